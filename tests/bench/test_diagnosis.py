"""The bench of diagnoses: a perfect one scores perfectly, and each way of being wrong is caught."""

import copy
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from scipy import stats

from bench.diagnosis import report
from bench.diagnosis.cases import BASELINE, CANDIDATE, NOISE, OFFSET, Case, grid, play
from bench.diagnosis.document import keys
from bench.diagnosis.from_truth import perfect_document
from bench.diagnosis.judging import Score
from bench.diagnosis.score import judge
from bench.diagnosis.truth import Told, Truth, points, right_verdicts, sign_flip_p, undecidable

Document = dict[str, Any]
TASKS, REPEATS = 20, 4


def told(run: str, task: int, repeat: int, fault: str | None = None, **more: Any) -> Told:
    causes = {
        "cut": ("BI", "harness"), "gap": ("KG", "model"), "slip": ("UK", "model"), "lost": ("IR", "infrastructure"),
        None: (None, None),
    }  # fmt: skip
    cause, owner = causes[fault]
    outcome = "passed" if fault is None else "not_measured" if fault == "lost" else "failed"
    known = {"prompt": "p", "decoys": frozenset(), "occurred": frozenset({fault} - {None})}
    owners = frozenset({owner} - {None})
    return Told(
        run=run, task=str(task), repeat=str(repeat), outcome=outcome, fault=fault, cause=cause, owners=owners,
        **(known | more),
    )  # fmt: skip


def truth_of(before: Callable[[int, int], str | None], after: Callable[[int, int], str | None]) -> Truth:
    """Two runs whose rollouts fail as the functions of task and repeat say; half of all show a decoy."""

    def run(name: str, fault: Callable[[int, int], str | None]) -> tuple[Told, ...]:
        return tuple(
            told(name, task, repeat, fault(task, repeat), decoys=frozenset(["chatty"] if (task + repeat) % 2 else []))
            for task in range(TASKS)
            for repeat in range(REPEATS)
        )

    return Truth(run(BASELINE, before), run(CANDIDATE, after))


def gaps(task: int, repeat: int) -> str | None:
    return "gap" if task < 3 else None


def cuts_and_gaps(task: int, repeat: int) -> str | None:
    return gaps(task, repeat) or ("cut" if task < 13 and repeat < 3 else None)


def losses_and_gaps(task: int, repeat: int) -> str | None:
    return gaps(task, repeat) or ("lost" if repeat == 0 else None)


CUT = Case("cut", "signals", "made", TASKS, REPEATS, 0, ((CANDIDATE, "cut"),))
LOST = Case("lost", "signals", "made", TASKS, REPEATS, 0, ((CANDIDATE, "lost"),))
CALM = Case(NOISE, "signals", "made", TASKS, REPEATS, 0)


@pytest.fixture
def cut() -> Truth:
    return truth_of(gaps, cuts_and_gaps)


def term_of(document: Document, mode: str) -> dict[str, Any]:
    return next(term for term in document["comparisons"][0]["terms"] if term["mode"] == mode)


def mode_of(document: Document, mode: str, run: int = 1) -> dict[str, Any]:
    return next(found for found in document["runs"][run]["modes"] if found["mode"] == mode)


def wrong(score: Score) -> set[str]:
    return {check for check, held in score.checks.items() if held is False}


# What a perfect diagnosis scores


def test_a_perfect_diagnosis_is_right_in_every_check_that_is_asked(cut: Truth) -> None:
    score = judge(CUT, cut, perfect_document(cut))
    assert score.perfect
    asked = {check for check, held in score.checks.items() if held is not None}
    assert asked == {"verdict", "delta", "cause", "shares", "precision", "recall", "owner", "decoys"}


def test_a_perfect_diagnosis_of_unmeasured_rollouts_is_right() -> None:
    truth = truth_of(gaps, losses_and_gaps)
    score = judge(LOST, truth, perfect_document(truth))
    assert score.perfect
    assert score.checks["cause"] is True
    assert right_verdicts(truth) == {"no difference shown"}


def test_an_improvement_is_judged_like_a_regression() -> None:
    truth = truth_of(cuts_and_gaps, gaps)
    case = Case("cut", "signals", "made", TASKS, REPEATS, 0, ((BASELINE, "cut"),))
    assert right_verdicts(truth) == {"better"}
    assert judge(case, truth, perfect_document(truth)).perfect


def test_the_simulated_worlds_pass_with_the_document_of_their_truth(tmp_path: Path) -> None:
    for number, case in enumerate(list(grid(quick=True))[::7]):
        _, truth = play(case, tmp_path / str(number))
        score = judge(case, truth, perfect_document(truth))
        assert score.perfect, (case.name, score.why)


# What is wrong is caught


def test_an_empty_document_is_wrong_and_stops_nothing(cut: Truth) -> None:
    assert {"verdict", "delta", "cause", "shares", "recall"} <= wrong(judge(CUT, cut, {}))


def test_a_wrong_verdict_is_caught(cut: Truth) -> None:
    document = perfect_document(cut)
    document["comparisons"][0]["verdict"] = "no difference shown"
    assert wrong(judge(CUT, cut, document)) == {"verdict"}


def test_a_delta_that_is_off_by_little_is_caught(cut: Truth) -> None:
    document = perfect_document(cut)
    document["comparisons"][0]["delta"]["value"] += 1e-6
    assert wrong(judge(CUT, cut, document)) == {"delta"}


def test_a_wrong_main_cause_is_caught(cut: Truth) -> None:
    document = perfect_document(cut)
    term_of(document, "cut")["cause"] = "UK"
    assert wrong(judge(CUT, cut, document)) == {"cause", "shares", "recall"}


def test_a_wrong_cause_of_unmeasured_rollouts_is_caught() -> None:
    truth = truth_of(gaps, losses_and_gaps)
    document = perfect_document(truth)
    mode_of(document, "lost")["cause"] = "BI"
    assert wrong(judge(LOST, truth, document)) == {"cause", "recall"}


def test_unmeasured_rollouts_that_are_counted_as_failures_are_caught() -> None:
    truth = truth_of(gaps, losses_and_gaps)
    document = perfect_document(truth)
    document["runs"][1]["not_measured"] = []
    assert "cause" in wrong(judge(LOST, truth, document))


def test_points_that_went_to_another_cause_are_caught(cut: Truth) -> None:
    document = perfect_document(cut)
    term = term_of(document, "cut")
    document["comparisons"][0]["terms"].append({**term, "mode": "other", "cause": "TI", "points": -5.0, "refs": []})
    term["points"] += 5.0
    assert wrong(judge(CUT, cut, document)) == {"shares"}


def test_too_wide_a_mode_is_imprecise(cut: Truth) -> None:
    document = perfect_document(cut)
    term_of(document, "cut")["refs"] += [f"{CANDIDATE}:{task}/3#1" for task in range(3, 12)]
    assert wrong(judge(CUT, cut, document)) == {"precision"}


def test_a_mode_that_misses_rollouts_is_caught(cut: Truth) -> None:
    document = perfect_document(cut)
    term = term_of(document, "cut")
    term["refs"] = term["refs"][: len(term["refs"]) // 2]
    assert wrong(judge(CUT, cut, document)) == {"recall"}


def test_a_wrong_owner_is_caught(cut: Truth) -> None:
    document = perfect_document(cut)
    mode_of(document, "cut")["owner"] = "verifier"
    assert wrong(judge(CUT, cut, document)) == {"owner"}


def test_a_decoy_that_is_named_is_caught(cut: Truth) -> None:
    document = perfect_document(cut)
    chatty = [f"{t.run}:{t.task}/{t.repeat}" for t in cut.rollouts if t.outcome == "failed" and "chatty" in t.decoys]
    decoy = {"mode": "talks at length", "cause": "BI", "points": 0.0, "within_noise": False, "refs": chatty}
    document["comparisons"][0]["terms"].append(decoy)
    assert wrong(judge(CUT, cut, document)) == {"decoys"}
    decoy["within_noise"] = True
    assert judge(CUT, cut, document).perfect


def test_a_story_told_in_noise_is_caught() -> None:
    truth = truth_of(gaps, gaps)
    document = perfect_document(truth)
    assert judge(CALM, truth, document).perfect
    document["comparisons"][0]["terms"][0]["within_noise"] = False
    assert wrong(judge(CALM, truth, document)) == {"story"}


def test_an_offset_that_is_not_told_is_caught() -> None:
    truth = truth_of(lambda task, _: "gap" if task < 12 else None, lambda task, _: "cut" if task > 7 else None)
    case = Case(OFFSET, "signals", "made", TASKS, REPEATS, 0, ((BASELINE, "gap"), (CANDIDATE, "cut")))
    document = perfect_document(truth)
    assert right_verdicts(truth) == {"no difference shown"}
    assert judge(case, truth, document).perfect
    term_of(document, "gap")["within_noise"] = True
    assert wrong(judge(case, truth, document)) == {"story"}


def test_what_noise_swallowed_is_not_asked() -> None:
    truth = truth_of(gaps, lambda task, repeat: "cut" if (task, repeat) == (9, 1) else gaps(task, repeat))
    score = judge(CUT, truth, perfect_document(truth))
    assert score.checks["cause"] is None
    assert score.checks["recall"] is None


def test_few_repeats_do_not_tell_gaps_from_unreliable_knowledge(cut: Truth) -> None:
    document = perfect_document(cut)
    term_of(document, "gap")["cause"] = "unknown"
    moved = copy.deepcopy(document)
    term_of(moved, "gap")["points"] = -15.0
    term_of(moved, "cut")["points"] += 15.0
    few = Case("cut", "signals", "made", TASKS, 1, 0, ((CANDIDATE, "cut"),))
    assert judge(few, cut, document).perfect
    assert "shares" in wrong(judge(few, cut, moved))


def slips(task: int, repeat: int) -> str | None:
    """Unreliable on six tasks; on the first of them bad luck makes it look like a gap."""
    return "slip" if task == 0 or (task < 6 and repeat < 2) else None


def test_bad_luck_may_be_called_a_gap_and_a_gap_may_not_be_called_bad_luck() -> None:
    truth = truth_of(lambda *_: None, slips)
    case = Case("slip", "signals", "made", TASKS, REPEATS, 0, ((CANDIDATE, "slip"),))
    assert undecidable(truth) == {(CANDIDATE, "0", str(repeat)) for repeat in range(REPEATS)}
    document = perfect_document(truth)
    [term] = document["comparisons"][0]["terms"]
    lucky = [ref for ref in term["refs"] if ref.startswith(f"{CANDIDATE}:0/")]
    rest = {**term, "points": term["points"] + 5.0, "refs": [ref for ref in term["refs"] if ref not in lucky]}
    gap = {**term, "mode": "gap", "cause": "KG", "points": -5.0, "refs": lucky}
    document["comparisons"][0]["terms"] = [rest, gap]
    assert judge(case, truth, document).perfect
    gap["points"], rest["points"] = -8.0, term["points"] + 8.0
    assert wrong(judge(case, truth, document)) == {"shares"}


def test_a_gap_among_few_rollouts_that_tell_may_be_called_anything_like_it() -> None:
    truth = truth_of(lambda *_: None, lambda task, repeat: ("cut" if repeat else "gap") if task < 9 else None)
    document = perfect_document(truth)
    assert len(undecidable(truth)) == 9
    for cause in ("KG", "UK", "unknown"):
        term_of(document, "gap")["cause"] = cause
        assert judge(CUT, truth, document).perfect
    term_of(document, "gap")["cause"] = "TI"
    assert wrong(judge(CUT, truth, document)) == {"shares"}


# The truth's own arithmetic


def test_points_by_any_label_sum_to_the_delta(cut: Truth) -> None:
    delta = 100 * (sum(t.outcome == "passed" for t in cut.candidate) - sum(t.outcome == "passed" for t in cut.baseline))
    for label in (lambda t: t.fault, lambda t: t.cause, lambda t: "all"):
        assert sum(points(cut, label).values()) == pytest.approx(delta / TASKS / REPEATS)


def test_a_task_in_other_words_is_another_task() -> None:
    truth = truth_of(gaps, gaps)
    reworded = Truth(truth.baseline, (told(CANDIDATE, 0, 0, prompt="q"), *truth.candidate[REPEATS:]))
    assert reworded.common() == [str(task) for task in range(1, TASKS)]


@pytest.mark.parametrize("size", [5, 12, 30])
def test_the_sign_flip_test_agrees_with_another_implementation(size: int) -> None:
    values = np.random.default_rng(size).normal(0.3, 1.0, size)
    test = stats.permutation_test(
        (values,), lambda x, axis: x.mean(axis=axis), permutation_type="samples", n_resamples=50_000, vectorized=True,
        rng=np.random.default_rng(0),
    )  # fmt: skip
    assert sign_flip_p(values) == pytest.approx(test.pvalue, abs=0.01)


def test_refs_are_read_whatever_the_step_or_the_attempt() -> None:
    read = keys(["candidate:17/2#5", "candidate:17/2.a1", "a%20b:q%2F1/0#i2"])
    assert read == {("candidate", "17", "2"), ("a b", "q/1", "0")}


# Cases and report


def test_the_truth_is_kept_away_from_the_runs(tmp_path: Path) -> None:
    case = next(iter(grid(quick=True)))
    paths, truth = play(case, tmp_path)
    assert all(path.is_file() for path in paths)
    assert not list((tmp_path / "runs").glob("*truth*"))
    assert case.kind not in paths[0].read_text(encoding="utf-8")
    assert len(truth.baseline) == len(truth.candidate) == case.tasks * case.repeats


def test_every_kind_is_in_the_grid_of_its_stage() -> None:
    signals, contrast = ({case.kind for case in grid(stage=stage)} for stage in ("signals", "contrast"))
    assert len(signals | contrast) >= 25
    assert signals & contrast <= {OFFSET}
    assert {case.kind for case in grid(quick=True)} == signals | contrast


def test_the_report_counts_what_was_asked_and_says_what_was_wrong(cut: Truth) -> None:
    wrong_document = perfect_document(cut)
    wrong_document["comparisons"][0]["verdict"] = "better"
    scored = [report.Scored(CUT, judge(CUT, cut, document), {}) for document in (perfect_document(cut), wrong_document)]
    found = json.loads(json.dumps(report.figures(scored)))
    assert found["cases"] == 2
    assert found["perfect"] == 1
    assert found["checks"]["verdict"] == [1, 2]
    assert found["checks"]["story"] is None
    assert found["wrong"][0]["why"] == {"verdict": "better, true is worse"}
    assert "1/2" in report.table(scored)
