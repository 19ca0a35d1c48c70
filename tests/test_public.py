"""The public door: what `import blade` gives, and what it costs."""

import ast
import json
import subprocess
import sys
from pathlib import Path

import pytest

import blade
from tests.building import message, row, write

SOURCE = Path(blade.__file__).parent


def test_all_is_sorted_and_equals_the_public_names() -> None:
    assert blade.__all__ == sorted(blade.__all__)
    assert dir(blade) == sorted([*blade.__all__, "__version__"])
    for name in blade.__all__:
        assert getattr(blade, name).__name__ == name


def test_type_checkers_see_the_same_names() -> None:
    tree = ast.parse((SOURCE / "__init__.py").read_text())
    checked = {
        alias.name
        for node in ast.walk(tree)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("blade")
        for alias in node.names
        if not alias.name.startswith("_")
    }
    assert checked == set(blade.__all__)


def test_a_name_that_is_not_there_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="has no attribute 'nothing'"):
        _ = blade.nothing  # type: ignore[attr-defined]


def loaded_after(code: str) -> set[str]:
    """The modules that a fresh interpreter has loaded after this code."""
    program = f"{code}; import json, sys; print(json.dumps([*sys.modules]))"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, timeout=60, check=True)
    return set(json.loads(done.stdout))


def test_the_import_costs_next_to_nothing() -> None:
    assert not {"click", "duckdb", "numpy", "msgspec", "yaml"} & loaded_after("import blade")


def test_reading_and_showing_pay_for_no_query_engine(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", [row()])
    assert not {"click", "duckdb", "numpy"} & loaded_after(f"import blade; list(blade.read({str(path)!r}))")
    with blade.load(path):
        pass
    assert not {"duckdb", "numpy"} & loaded_by("show", "m:0/0", str(path))


def loaded_by(*arguments: str) -> set[str]:
    """The modules that a process of `blade` has loaded in the end."""
    program = (
        "import json, sys\n"
        "from blade.cli import main\n"
        "try:\n"
        "    main()\n"
        "finally:\n"
        "    print(json.dumps([*sys.modules]), file=sys.stderr)"
    )
    done = subprocess.run([sys.executable, "-c", program, *arguments], capture_output=True, timeout=60, check=True)
    return set(json.loads(done.stderr))


def test_help_pays_for_no_verb() -> None:
    assert not {"duckdb", "numpy", "yaml"} & loaded_by("--help")


def test_importing_does_not_read_the_environment() -> None:
    watch = (
        "import os\n"
        "class Watched(dict):\n"
        "    def __getitem__(self, key): raise SystemExit(f'{key} was read')\n"
        "    get = __contains__ = __getitem__\n"
        "import duckdb, glob, gzip, multiprocessing, msgspec, numpy, tempfile, urllib.parse, zlib\n"
        "os.environ = Watched()\n"
        "import blade\n"
        "for name in blade.__all__: getattr(blade, name)\n"
    )
    done = subprocess.run([sys.executable, "-c", watch], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stderr) == (0, b"")


def test_the_library_never_prints_and_never_imports_its_command_line() -> None:
    for path in SOURCE.rglob("*.py"):
        if "cli" in path.relative_to(SOURCE).parts or path.name in ("__main__.py", "toolkit.py"):
            continue  # command lines themselves
        for node in ast.walk(ast.parse(path.read_text())):
            assert not (isinstance(node, ast.Call) and getattr(node.func, "id", "") == "print"), path
            names = [alias.name for alias in getattr(node, "names", ())] if isinstance(node, ast.Import) else []
            module = (node.module or "") if isinstance(node, ast.ImportFrom) else ""
            assert not any(name.split(".")[0] in ("click", "rich") for name in [*names, module]), path
            assert not module.startswith("blade.cli"), path


def test_errors_are_one_tree_of_builtin_kinds() -> None:
    kinds = {
        blade.InputError: ValueError,
        blade.RefError: LookupError,
        blade.QueryError: ValueError,
        blade.StoreError: OSError,
    }
    for error, builtin in kinds.items():
        assert issubclass(error, blade.BladeError)
        assert issubclass(error, builtin)
        assert str(error("what", hint="do")) == "what (do)"


def test_a_run_is_read_row_by_row_and_found_by_ref(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", [row(message("hello")), "oops"])
    first, second = blade.read(path)
    assert isinstance(first, blade.Rollout)
    assert first.answer() == (0, "hello")
    assert [step.text for step in first.steps] == ["hello"]
    assert isinstance(second, blade.Skipped)
    assert blade.resolve("m:0/0", path) is not None
    assert blade.resolve(blade.Ref("m", "0", "0", "0"), [path]).text(0) == "hello"
    with pytest.raises(blade.RefError):
        blade.resolve("m:1/0", path)


def test_a_store_is_closed_by_its_with_statement(tmp_path: Path) -> None:
    path = write(tmp_path / "m.jsonl", [row()])
    with blade.load(path, blade.Options()) as store:
        directory = store.runs[0].directory
        assert directory.exists()
        assert store.sql("select ref, text from steps").rows == [("m:0/0#0", "4")]
    assert not directory.exists()
    store.close()
