"""Holds the numbers of an entry against the rows, and says which rows explain what does not agree."""

from collections import defaultdict
from collections.abc import Sequence

import numpy as np

from blade.measure.shipped.facts import NO_TASK, Facts, Mask
from blade.measure.shipped.infos import Infos
from blade.measure.shipped.readings import Entry, Part, Reading, plain_reading, readings, without_one
from blade.measure.shipped.report import Tally
from blade.measure.shipped.scores import ScoreKeys
from blade.measure.shipped.sheet import Answers, Sheet


class Weighed:
    """A reading with what it gives for every sheet of an entry."""

    def __init__(self, reading: Reading, sheets: Sequence[Sheet]) -> None:
        self.reading = reading
        self.answers = [sheet.solve(reading.rows) for sheet in sheets]
        self.compared = [_compared(sheet, answers) for sheet, answers in zip(sheets, self.answers, strict=True)]
        self.missed = [compared & ~answers.ok for compared, answers in zip(self.compared, self.answers, strict=True)]
        self.misses = sum(int(missed.sum()) for missed in self.missed)

    def explains(self, sheet: int, group: int, place: int) -> bool:
        """Whether a number agrees by this reading."""
        answers = self.answers[sheet]
        return bool(answers.ok[group, place]) and place not in answers.reasons


def _compared(sheet: Sheet, answers: Answers) -> Mask:
    """Which numbers of a sheet can be compared: given, of a known column."""
    known = np.ones(len(sheet.keys), dtype=bool)
    known[list(answers.reasons)] = False
    return np.asarray(~np.isnan(sheet.shipped) & known)


def check_entry(
    tally: Tally, facts: Facts, entry: Entry, sheets: Sequence[Sheet], *, infos: Infos | None, scores: ScoreKeys | None
) -> Reading:
    """Compare every number of an entry; the reading that was taken."""
    facts.load({column for sheet in sheets for column in sheet.columns} | ({*infos.values} if infos else set()))
    plain = plain_reading(facts, entry)
    others = readings(facts, entry)
    if scores:
        shipped = dict(zip(sheets[0].keys, sheets[0].shipped[0].tolist(), strict=True)) if sheets[0].keys else {}
        scores.learn(shipped, [plain.rows, *(other.rows for other in others)])
    weighed = [Weighed(plain, sheets)]
    if weighed[0].misses or not plain.legitimate:
        weighed += [Weighed(other, sheets) for other in others]
    taken = min((one for one in weighed if one.reading.legitimate), key=lambda one: one.misses)
    if taken.reading.text:
        how = "fewest differ" if taken.misses else "they agree"
        tally.note(f"The numbers are read as Gym 0.7 may write them: {how} {taken.reading.text}.")
    listed = Tally("", "")
    if infos:
        infos.check(listed, facts, entry.where, taken.reading.rows)
    explanations = sorted((one for one in weighed if one is not taken), key=lambda one: one.misses)
    if taken.misses and infos and infos.key:
        explanations.append(Weighed(infos.reading(facts), sheets))
    if taken.misses and all(one.misses for one in weighed):
        explanations += _without_one(facts, taken, sheets)
    for number, sheet in enumerate(sheets):
        _compare(tally, facts, sheet, taken, _Why(facts, sheets, number, taken, explanations, infos))
    tally.join(listed)
    return taken.reading


def _without_one(facts: Facts, taken: Weighed, sheets: Sequence[Sheet]) -> list[Weighed]:
    """One row too many or too few, if that makes every number of the first sheet agree."""
    for place, key in enumerate(sheets[0].keys):
        name, _, column = key.partition("/")
        if name != "mean" or not taken.missed[0][:, place].any() or len(sheets[0].names) != 1:
            continue
        tried = without_one(facts, taken.reading.rows, column, float(sheets[0].shipped[0, place]))
        found = (Weighed(reading, sheets) for reading in tried)
        return [one for one in found if not one.missed[0].any()][:1]
    return []


class _Why:
    """Finds the sentence and the rows for a number of one sheet that does not agree."""

    def __init__(
        self,
        facts: Facts,
        sheets: Sequence[Sheet],
        number: int,
        taken: Weighed,
        explanations: Sequence[Weighed],
        infos: Infos | None,
    ) -> None:
        self._facts, self._sheets, self.number = facts, sheets, number
        self._sheet, self._taken, self._explanations, self._infos = sheets[number], taken, explanations, infos
        self._same: dict[frozenset[str], list[int]] = defaultdict(list)
        for place in range(len(self._sheet.keys)):
            self._same[self._sheet.columns_at(place)].append(place)

    def of(self, group: int, place: int) -> tuple[str, list[str]]:
        part = self._part(group, place)
        for one in self._explanations:
            if one.explains(self.number, group, place):
                return f"It agrees {one.reading.text}.", one.reading.refs(part)
        return self._by_infos(part) or self._by_tasks(part) or (self._by_others(group, place), [])

    def _part(self, group: int, place: int) -> Part:
        label, columns = int(self._sheet.ids[group]), self._sheet.columns_at(place)
        if self._sheet.by == "task":
            return Part(task=label, columns=columns)
        return Part(repeat=label if self._sheet.by == "repeat" else None, columns=columns)

    def _by_infos(self, part: Part) -> tuple[str, list[str]] | None:
        """Rows whose own values are not those that the sidecar lists for them."""
        refs = self._infos.refs(self._facts, part) if self._infos else []
        return ("The rows whose listed values differ may explain it.", refs) if refs else None

    def _by_tasks(self, part: Part) -> tuple[str, list[str]] | None:
        """For a number over all tasks: the tasks whose own numbers in its columns differ too."""
        if self._sheet.by != "all":
            return None
        tasks: set[int] = set()
        for sheet, missed, answers in zip(self._sheets, self._taken.missed, self._taken.answers, strict=True):
            if sheet.by == "task":
                places = [place for place in range(len(sheet.keys)) if sheet.columns_at(place) & part.columns]
                tasks.update(sheet.ids[missed[:, places].any(axis=1) & answers.present].tolist())
        if not tasks:
            return None
        rows = self._taken.reading.rows
        refs = self._facts.refs_at(rows.at[np.isin(rows.tasks, list(tasks))])
        named = ", ".join(str(task) for task in sorted(tasks)[:5]) + (" and others" if len(tasks) > 5 else "")
        plural = "s of tasks" if len(tasks) > 1 else "s of task"
        return f"The statistic{plural} {named} differ too; no other reading of the rows explains it.", refs

    def _by_others(self, group: int, place: int) -> str:
        columns = self._sheet.columns_at(place)
        same = [other for other in self._same[columns] if other != place] if columns else []
        compared, missed = self._taken.compared[self.number][group], self._taken.missed[self.number][group]
        if compared[same].any() and not missed[same].any():
            return "Nothing here explains it; the other statistics of this column agree with the rows."
        return "Nothing here explains it."


def _compare(tally: Tally, facts: Facts, sheet: Sheet, taken: Weighed, why: _Why) -> None:
    answers, compared = taken.answers[why.number], taken.compared[why.number].copy()
    for place, reason in answers.reasons.items():
        tally.skip(sheet.keys[place], reason)
    if sheet.by == "task":
        for absent in np.flatnonzero(~answers.present).tolist():
            _report_absent(tally, facts, sheet, absent)
        compared &= answers.present[:, None]
        tally.agree(int(answers.present.sum()))
    tally.agree(int((compared & answers.ok).sum()))
    for group, place in np.argwhere(compared & ~answers.ok).tolist():
        shipped, ours = float(sheet.shipped[group, place]), float(answers.ours[group, place])
        text, refs = ("", []) if tally.full else why.of(group, place)
        recomputed = None if np.isnan(ours) else ours
        tally.differ(sheet.names[group], sheet.keys[place], shipped, recomputed, why=text, refs=refs)


def _report_absent(tally: Tally, facts: Facts, sheet: Sheet, group: int) -> None:
    """A task that the sidecar has and the rows have not."""
    task = int(sheet.ids[group])
    at = np.flatnonzero(facts.task == task) if task != NO_TASK else np.zeros(0, dtype=np.int64)
    known = sorted(set(facts.standing[at].tolist()) - {"row"})
    told = f"; its rollouts here are {' and '.join(known)}" if known else ""
    lines = "; lines of the rollouts file could not be read" if facts.skipped and not known else ""
    why = f"No row that entered is of this task{told}{lines}."
    tally.differ(sheet.names[group], "the task", "statistics", None, why=why, refs=facts.refs_at(at))


def report_unlisted(tally: Tally, facts: Facts, taken: Reading, sheet: Sheet, what: str) -> None:
    """Tasks that have rows and of which the sidecar says nothing."""
    if not sheet.names:
        return
    rows = taken.rows
    for task in np.setdiff1d(rows.tasks[rows.at >= 0], sheet.ids).tolist():
        refs = facts.refs_at(rows.at[rows.tasks == task])
        why = f"The rollouts file has rows of this task, and {what} has none."
        tally.differ(f"task {task}", "the task", None, "rows", why=why, refs=refs)
