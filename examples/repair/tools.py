"""What a programmer can do with the repository: look around, read, search, change, run the tests."""

from typing import Any

from examples.repair.repository import Repository
from examples.theatre.tools import Toolbox, ToolError, described
from examples.theatre.vocabulary import Arguments

TOOLBOX = Toolbox()
MAX_MATCHES = 20


def _file(repository: Repository, path: str) -> str:
    if path not in repository.files:
        raise ToolError("not_found", id=path)
    return repository.files[path]


def _is_hidden(path: str) -> bool:
    return path.startswith(".")


@TOOLBOX.tool("List the files of the repository.")
def list_files(repository: Repository, arguments: Arguments) -> dict[str, Any]:
    return {"files": sorted(path for path in repository.files if not _is_hidden(path))}


@TOOLBOX.tool("Read a file.", required=("path",), path=described("the path of the file"))
def read_file(repository: Repository, arguments: Arguments) -> dict[str, Any]:
    return {"content": _file(repository, arguments["path"])}


@TOOLBOX.tool("Find lines that hold a text.", required=("text",), text=described("the text to look for"))
def search_text(repository: Repository, arguments: Arguments) -> dict[str, Any]:
    found = [
        f"{path}:{number}: {line.strip()}"
        for path, content in sorted(repository.files.items())
        if not _is_hidden(path)
        for number, line in enumerate(content.splitlines(), 1)
        if arguments["text"] in line
    ]
    return {"matches": found[:MAX_MATCHES]}


@TOOLBOX.tool(
    "Replace a text in a file by another. The text must occur in the file once, exactly as given.",
    required=("path", "old", "new"),
    path=described("the path of the file"),
    old=described("the text that is there"),
    new=described("the text that shall be there"),
)
def replace_text(repository: Repository, arguments: Arguments) -> dict[str, Any]:
    path, old = arguments["path"], arguments["old"]
    content = _file(repository, path)
    if content.count(old) != 1:
        raise ToolError("no_match", path=path, count=content.count(old))
    repository.files[path] = content.replace(old, arguments["new"])
    return {"changed": path}


@TOOLBOX.tool("Run the tests of the repository.")
def run_tests(repository: Repository, arguments: Arguments) -> dict[str, Any]:
    paths = sorted(path for path in repository.files if path.startswith("tests/"))
    results = [(path, result) for path in paths for result in repository.run(path)]
    return {"tests": [{"path": path, "name": one.name, "message": one.message} for path, one in results]}
