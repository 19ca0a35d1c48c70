"""Tasks of the repair: a repository with a defect, and a verifier that runs tests which nobody was shown."""

from dataclasses import dataclass

from examples.repair.families import FAMILIES, LOG, Job
from examples.repair.repository import Repository, TestResult
from examples.repair.tools import TOOLBOX
from examples.theatre.script import Move
from examples.theatre.tasks import Draft, Family, FamilyMaker, Row, Task, Verdict


@dataclass(frozen=True, slots=True)
class RepairSetting:
    """A repository before a repair, and the tests that it must pass after it."""

    job: Job

    def begin(self) -> Repository:
        return Repository(self.job.files)

    def fields(self, task: Task) -> Row:
        return {
            "repo": self.job.path.partition("/")[0],
            "category": task.family.category,
            "difficulty": task.family.difficulty,
            "problem_statement": task.prompt,
        }

    def verify(self, task: Task, state: Repository, last_message: str | None) -> Verdict:
        return _verdict(state.run_source(self.job.hidden_tests), state.patch())

    def rejected(self, task: Task, verdict: Verdict) -> Verdict:
        names = [*verdict.fields["tests_status"]["passed"], *verdict.fields["tests_status"]["failed"]]
        results = [TestResult(name, None) for name in names[:-1]]
        slow = TestResult(names[-1], task.vocabulary.phrase("verifier: test too slow"))
        return _verdict((*results, slow), verdict.fields["patch"])


def _verdict(results: tuple[TestResult, ...], patch: str) -> Verdict:
    failed = [result for result in results if not result.passed]
    fields = {
        "patch": patch,
        "patch_exists": bool(patch),
        "resolved": not failed,
        "tests_status": {
            "passed": [result.name for result in results if result.passed],
            "failed": [result.name for result in failed],
        },
        "test_report": "\n".join(f"{one.name}: {one.message or 'ok'}" for one in results),
    }
    return Verdict(reward=float(not failed), fields=fields, text=failed[0].message if failed else None)


class RepairMaker(FamilyMaker):
    """Makes repairs."""

    families = FAMILIES

    def prompt(self, kind: Family, draft: Draft) -> str:
        return self.vocabulary.phrase("prompt", **draft.details)

    def task(self, index: int, kind: Family, draft: Draft) -> Task:
        again = Move("read_file", {"path": LOG}, "Once more, from the beginning.")
        return Task(
            benchmark="repair",
            index=index,
            family=kind,
            vocabulary=self.vocabulary,
            toolbox=TOOLBOX,
            setting=RepairSetting(draft.setting),
            prompt=self.prompt(kind, draft),
            solution=draft.solution,
            wrong_answers=(),
            expected_answer=None,
            answer_form="{answer}",
            system=self.vocabulary.phrase("system"),
            tools=tuple(TOOLBOX.tools),
            widest=(Move("read_file", {"path": LOG}, "The log may tell more."), again, again),
        )
