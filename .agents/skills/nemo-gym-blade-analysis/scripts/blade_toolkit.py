"""Validate, extract-anchor-facts, make-shallow, score, calibrate: the verbs of a benchmark's author.

    python blade_toolkit.py VERB --help

In a checkout of BLADE it runs where nothing is installed. Where the skill was installed into another repository it
uses the `blade` package of that environment.
"""

import sys
from pathlib import Path

_ABOVE = 4
"""From scripts/ to the root of the checkout: the skill's folder, skills/, .agents/, the root."""


def _from_checkout() -> None:
    """Let Python find the package of the checkout that this script belongs to."""
    parents = Path(__file__).resolve().parents
    source = parents[_ABOVE] / "src" if len(parents) > _ABOVE else None
    if source and (source / "blade" / "package" / "toolkit.py").is_file():
        sys.path.insert(0, str(source))


def main() -> int:
    """Run the verb that the command line names; say in one line what is missing where it cannot."""
    sys.dont_write_bytecode = True  # the checkout, or the environment, stays as it was
    if sys.version_info < (3, 11):  # noqa: UP036 - this is the file that says so
        print("blade_toolkit: needs Python 3.11 or newer", file=sys.stderr)
        return 2
    _from_checkout()
    try:
        from blade.package.toolkit import main as toolkit
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] != "blade":
            raise
        how = "python -m pip install blade-diagnostics (or `python -m pip install .` in a checkout of it)"
        print(f"blade_toolkit: BLADE is not installed here: {how}", file=sys.stderr)
        return 2
    return toolkit()


if __name__ == "__main__":
    sys.exit(main())
