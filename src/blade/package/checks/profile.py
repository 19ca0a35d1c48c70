"""The profile beside the skill: it is well-formed, and its rules run on the package's own rollouts."""

from collections.abc import Iterator

from blade.package.engine import Engine
from blade.package.findings import FAIL, PASS, SKILL, SKIP, Finding, check
from blade.package.rows import listed
from blade.package.subject import Subject
from blade.profile.reading import read_profile


@check(SKILL, 60)
def profile(subject: Subject) -> Iterator[Finding]:
    """The profile says nothing that it may not say, and its rules run."""
    path = subject.layout.profile
    if path is None:
        why = "no profile.toml: the taxonomy is prose that no program can run; `blade profile draft` writes one"
        yield Finding(SKIP, SKILL, "profile rules run", why)
        return
    shown = subject.layout.shown(path)
    text, trouble = subject.text(path)
    problems = [trouble] if trouble else [str(problem) for problem in read_profile(text)[1]]
    if problems:
        fix = f"mend it until `blade profile check {shown} RUN...` is content"
        yield Finding(FAIL, SKILL, "profile is well-formed", listed(problems), fix, shown)
        return
    yield Finding(PASS, SKILL, "profile is well-formed", file=shown)
    yield from _rules(subject, shown)


def _rules(subject: Subject, shown: str) -> Iterator[Finding]:
    name, found = "profile rules run", []
    why = subject.with_engine(lambda engine: found.append(_ran(engine)))
    if why:
        yield Finding(SKIP, SKILL, name, why)
        return
    [(problems, told)] = found
    fix = f"mend the rules: `blade profile check {shown} RUN... --names` lists what they may name" if problems else ""
    yield Finding(FAIL if problems else PASS, SKILL, name, listed(problems) if problems else told, fix, shown)


def _ran(engine: Engine) -> tuple[list[str], str]:
    """What is wrong with the rules, and what they catch."""
    found = engine.rules()
    problems = [f"no row has a field named {name}" for name in found.unknown_fields]
    problems += [f"{one.kind} “{one.name}”: {one.error}" for one in found.caught if one.error]
    modes = [one for one in found.caught if one.kind == "mode"]
    lost = found.failing + found.not_measured
    told = f"{len(found.caught) - len(modes)} stages, {len(modes)} modes"
    if modes:
        told += f"; {lost - found.unexplained:,} of {lost:,} rollouts that fail or are not measured have a mode"
    return problems, told
