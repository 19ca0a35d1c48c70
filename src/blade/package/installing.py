"""The analysis skill put into a user's repository, where coding agents look for it."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Final, NamedTuple

from blade.errors import InputError

NAME: Final = "nemo-gym-blade-analysis"
HOME: Final = ".agents"
AGENTS: Final = {"claude": ".claude", "codex": ".codex"}
"""Agents, and the directory in which each looks for skills beside the common one."""

_PACKAGE: Final = Path(__file__).resolve().parents[1]


class Installed(NamedTuple):
    """A skill that was put somewhere."""

    skill: Path
    links: list[Path]
    files: int


def source() -> Path:
    """The skill that this installation carries: in the wheel, else in the checkout."""
    for place in (_PACKAGE / "skills" / NAME, _PACKAGE.parents[1] / HOME / "skills" / NAME):
        if (place / "SKILL.md").is_file():
            return place
    raise InputError("this installation carries no skill", hint="install BLADE from its wheel, or work in a checkout")


def install(directory: Path, agents: list[str], *, force: bool = False) -> Installed:
    """Copy the skill into `directory`/.agents/skills, and let the directories of `agents` link there.

    Files of the skill that somebody changed are an `InputError` unless `force` says to replace them.
    """
    if not directory.is_dir():
        raise InputError("no such directory", file=str(directory), hint="name the root of your repository with --dir")
    origin, place = source(), directory / HOME / "skills" / NAME
    changed = [path for path in _files(origin) if _differs(origin / path, place / path)]
    if changed and not force:
        shown = ", ".join(str(path) for path in changed[:3])
        raise InputError(f"is there already, with other content: {shown}", file=str(place), hint="--force replaces it")
    try:
        for path in _files(origin):
            (place / path).parent.mkdir(parents=True, exist_ok=True)
            shutil.copyfile(origin / path, place / path)
        links = [_link(directory / AGENTS[agent] / "skills" / NAME, place) for agent in agents]
    except OSError as error:
        raise InputError(f"cannot be written: {error.strerror}", file=str(place)) from None
    return Installed(place, links, len(list(_files(origin))))


def _files(origin: Path) -> Iterator[Path]:
    """The files of the skill, from its root."""
    for path in sorted(origin.rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            yield path.relative_to(origin)


def _differs(ours: Path, theirs: Path) -> bool:
    return theirs.exists() and ours.resolve() != theirs.resolve() and theirs.read_bytes() != ours.read_bytes()


def _link(link: Path, place: Path) -> Path:
    """A link to the skill; a copy where links cannot be made; what leads there already stays."""
    if link.exists() and link.resolve() == place.resolve():
        return link
    link.parent.mkdir(parents=True, exist_ok=True)
    if link.is_symlink():
        link.unlink()
    try:
        link.symlink_to(os.path.relpath(place, link.parent), target_is_directory=True)
    except OSError:
        shutil.copytree(place, link, dirs_exist_ok=True)
    return link
