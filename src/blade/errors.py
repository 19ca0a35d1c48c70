"""Everything BLADE raises on purpose.

    BladeError              something a person can act on; its text is one clear line
    ├── InputError          a file or directory cannot be read as a run          (ValueError)
    ├── RefError            a ref does not parse, or points to nothing           (LookupError)
    ├── QueryError          SQL that cannot be run on the store                  (ValueError)
    └── StoreError          the store cannot be written or read                  (OSError)

A bad row is no exception: it becomes a `blade.rollout.Skipped` record and the work goes on.
"""


class BladeError(Exception):
    """The root: `text` says what is wrong, `hint` what to do about it."""

    def __init__(self, text: str, *, hint: str = "") -> None:
        super().__init__(text)
        self.text = text
        self.hint = hint

    def __str__(self) -> str:
        return f"{self.text} ({self.hint})" if self.hint else self.text


class InputError(BladeError, ValueError):
    """A path that holds no readable run; names the file and, where it is known, the line."""

    def __init__(self, text: str, *, file: str = "", line: int | None = None, hint: str = "") -> None:
        place = f"{file}:{line}: " if file and line else f"{file}: " if file else ""
        super().__init__(place + text, hint=hint)
        self.file = file
        self.line = line


class RefError(BladeError, LookupError):
    """A ref that cannot be parsed or that points to nothing."""


class QueryError(BladeError, ValueError):
    """SQL that the store refuses or cannot run."""


class StoreError(BladeError, OSError):
    """A store that cannot be written or read."""
