"""A package under validation: what was read of it, read once for all checks."""

from collections.abc import Callable, Sequence
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Final

from blade.artifacts.nemo_gym.names import run_name
from blade.errors import BladeError
from blade.package import engine, rows
from blade.package.holding import hold
from blade.package.layout import Golden, Layout, layout_of, plain_name
from blade.package.reading import Document, Text, json_at, text_at
from blade.package.rows import FileRows

if TYPE_CHECKING:
    from blade.check.checking import Checked
    from blade.check.claims.truth import Truth
    from blade.scan.store import Options

LEAST_FACTS: Final = 8


class Subject:
    """A package under validation."""

    def __init__(
        self, root: Path, *, least_facts: int = LEAST_FACTS, phases: frozenset[str], options: "Options | None" = None
    ) -> None:
        self.root = root
        self.least_facts = least_facts
        self.phases = phases
        self._options = options
        self._texts: dict[Path, Text] = {}

    @cached_property
    def layout(self) -> Layout:
        return layout_of(self.root)

    def text(self, path: Path) -> Text:
        """A text of the package."""
        if path not in self._texts:
            self._texts[path] = text_at(path, self.root)
        return self._texts[path]

    def document(self, path: Path) -> Document:
        """A JSON document of the package."""
        return json_at(path, self.root)

    @cached_property
    def skill(self) -> str:
        """The text of the skill; empty where it cannot be read."""
        return self.text(self.layout.skill).text if self.layout.skill else ""

    @cached_property
    def rows(self) -> dict[str, FileRows]:
        """The rows of every run."""
        return rows.read_runs(self.layout.runs, self.root, self.id_fields)

    @cached_property
    def id_fields(self) -> tuple[str, ...]:
        """The fields by which the package's own profile names tasks."""
        return engine.id_fields_of(self.text(self.layout.profile).text) if self.layout.profile else ()

    @cached_property
    def tasks(self) -> frozenset[str]:
        """The tasks of all runs."""
        return frozenset(task for each in self.rows.values() for task in each.tasks)

    @cached_property
    def readable_goldens(self) -> list[Golden]:
        return [golden for golden in self.layout.goldens if self.text(golden.report).text]

    @cached_property
    def _engine(self) -> "engine.Engine | str":
        first = self.layout.baseline
        runs = sorted(self.layout.runs.items(), key=lambda run: (plain_name(run_name(run[0])) != first, run[0]))
        paths = [path for _, files in runs for path in files]
        if not any(each.scored for each in self.rows.values()):
            return "no run can be read"
        return engine.opened(paths, self.layout.profile, self._options)

    def with_engine(self, work: "Callable[[engine.Engine], None]") -> str:
        """Do something with the store of the runs; why that cannot be, in words."""
        if isinstance(self._engine, str):
            return self._engine
        try:
            work(self._engine)
        except (BladeError, OSError) as error:
            return f"the runs cannot be examined: {error}"
        return ""

    def held(self, texts: Sequence[str], model: str) -> "list[Checked] | str":
        """Texts that speak of a model, held against the runs; or why they cannot be."""
        found: list[Checked] = []
        return self.with_engine(lambda engine: found.extend(hold(engine, texts, model))) or found

    @cached_property
    def truth(self) -> "Truth | str":
        """What is true of the runs; or why nobody can say."""
        found: list[Truth] = []
        return self.with_engine(lambda engine: found.append(engine.truth)) or found[0]

    def close(self) -> None:
        """Close the store, where one was opened."""
        opened = self.__dict__.get("_engine")
        if opened is not None and not isinstance(opened, str):
            opened.close()
