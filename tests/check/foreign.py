"""Reports of another hand about the simulated runs: each line as it is true, and what is false in its place."""

from typing import NamedTuple


class Line(NamedTuple):
    """A line, a part of it, and what would be false there."""

    text: str
    part: str
    false: str

    @property
    def altered(self) -> str:
        return self.text.replace(self.part, self.false, 1)


PROSE = [
    Line("We ran steady and hasty on the same 20 tasks, four times each.", "20 tasks", "26 tasks"),
    Line("Steady solves 93.8% of its attempts; hasty only 70.0%.", "93.8%", "91.3%"),
    Line("Steady solves 93.8% of its attempts; hasty only 70.0%.", "70.0%", "73.5%"),
    Line("That is a drop of 23.8 points for hasty relative to steady.", "23.8", "18.4"),
    Line("Out of 80 rollouts, hasty got 56 right and 24 wrong.", "24", "31"),
    Line("In total hasty passed 56 of 80 rollouts.", "56 of 80", "51 of 80"),
    Line("steady failed 5 of 80.", "5 of 80", "9 of 80"),
    Line("pass@4 is 95.0% for hasty and 100% for steady.", "95.0%", "85.0%"),
    Line("hasty's consistency is 45%, steady's 75%.", "45%", "65%"),
    Line("The mean reward of hasty is 0.70.", "0.70", "0.81"),
    Line("hasty is worse than steady.", "worse", "better"),
    Line("The pass rate of steady is higher than that of hasty.", "higher", "lower"),
    Line("15 of the 20 tasks always pass in steady.", "15 of the 20", "12 of the 20"),
    Line("hasty has 9 tasks that always pass, 10 that sometimes pass and 1 that never does.", "10 that", "7 that"),
    Line("Only one task never passes in hasty: task 10.", "task 10", "task 3"),
    Line("Task 10 fails every time in hasty, although steady never fails it.", "Task 10", "Task 11"),
    Line("Task 7 went from 4/4 (steady) to 1/4 (hasty).", "1/4", "3/4"),
    Line("On task 11, hasty passes 2 of 4 attempts.", "2 of 4", "1 of 4"),
    Line("Task 12 is solved by hasty once in four attempts (1/4).", "1/4", "2/4"),
    Line("In hasty, tasks 1, 4, 7 and 12 sometimes pass.", "12", "10"),
    Line("Tasks 0, 5 and 6 always pass in hasty.", "5", "7"),
    Line("hasty:10/0 fails.", "fails", "passes"),
    Line("Rollout 0 of task 10 in hasty fails.", "fails", "passes"),
    Line("See hasty:11/1#5 for what it created.", "hasty:11/1", "hasty:11/6"),
    Line("See `hasty:11/1#5` for what it created.", "#5", "#55"),
    Line("The answer in `hasty:10/0#0` begins “I know this without a look at the databases.”", "look", "glance"),
    Line("`hasty:11/1` ends by saying \"'Travel talk' is booked and the invitation is out.\"", "booked", "cancelled"),
    Line("hasty calls calendar_search 55 times; steady 54 times.", "55", "41"),
    Line("directory_search was called 72 times by hasty.", "72", "98"),
    Line("The weakest category of hasty is knowledge, at 0%.", "knowledge", "questions"),
    Line("hasty is worst on medium tasks: 52.8% by difficulty.", "52.8%", "61.0%"),
    Line("In the calendar category hasty passes 54.2%.", "54.2%", "44.2%"),
    Line("For category = mail, steady reaches 100% and hasty 62.5%.", "62.5%", "72.5%"),
    Line("2 tasks got better and 9 got worse.", "9 got worse", "4 got worse"),
    Line("“Asked instead of going on” explains 4 of 24 failing rollouts of hasty.", "4 of 24", "7 of 24"),
    Line("Nothing is missing: both runs have 80 rollouts.", "80 rollouts", "76 rollouts"),
    Line("Of 80 rollouts of hasty 60 reach state_match.", "60", "66"),
    Line("The difference is significant (p = 0.014).", "0.014", "0.31"),
]

TABLES = [
    Line("| model | accuracy | passed | failed |\n|---|---|---|---|\n| steady | 93.8 | 75 | 5 |", "93.8", "90.2"),
    Line("| model | accuracy | passed | failed |\n|---|---|---|---|\n| hasty | 70.0 % | 56 | 24 |", "56", "61"),
    Line("| | steady | hasty |\n|---|---|---|\n| pass@1 | 93.8% | 70.0% |", "70.0%", "75.0%"),
    Line("| | steady | hasty |\n|---|---|---|\n| pass@1 | 93.8% | 70.0% |\n| always | 15 | 9 |", "| 9 |", "| 12 |"),
    Line("| Task | steady | hasty |\n|---|---|---|\n| 7 | 4/4 | 1/4 |\n| 13 | 4/4 | 2/4 |", "2/4", "3/4"),
    Line("| Task | steady | hasty |\n|---|---|---|\n| 7 | 4/4 | 1/4 |\n| 13 | 4/4 | 2/4 |", "| 13 ", "| 33 "),
    Line("| run | task | passes |\n|---|---|---|\n| hasty | 4 | 1/4 |", "1/4", "3/4"),
    Line("| category | steady | hasty |\n|---|---|---|\n| mail | 100% | 62.5% |", "62.5%", "87.5%"),
    Line("| failure mode | steady | hasty |\n|---|---|---|\n| Asked instead of going on | 3 | 4 |", "| 4 |", "| 9 |"),
    Line(
        "| tool | steady | hasty |\n|---|---|---|\n| directory_search | 77 calls | 72 calls |", "72 calls", "52 calls"
    ),
    Line("| stage | steady | hasty |\n|---|---|---|\n| judged | 80 | 80 |\n| passed | 75 | 56 |", "| 56 |", "| 60 |"),
    Line("| metric | value |\n|---|---|\n| steady pass@1 | 0.938 |\n| hasty pass@1 | 0.700 |", "0.700", "0.760"),
]


def report(altered: Line | None = None) -> str:
    """All lines, true but for one."""
    lines = [each.altered if each is altered else each.text for each in PROSE]
    tables = [each.altered if each is altered else each.text for each in TABLES]
    prose = "\n".join(f"- {line}" for line in lines)
    return (
        "# How hasty compares with steady\n\n## What we saw\n\n" + prose + "\n\n## In tables\n\n" + "\n\n".join(tables)
    )
