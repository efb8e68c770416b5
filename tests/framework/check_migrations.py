"""Checks the migration notes against the installed framework: `check_migrations.py`.

A new name is there. An old name that is to be there still is deprecated there since the release that the note says, and
one that is to be gone is gone. Nothing is imported.
"""

import ast
import re
import sys
import tomllib
from collections.abc import Iterator
from importlib.metadata import version
from importlib.util import find_spec
from pathlib import Path

PACKAGE = Path(find_spec("pipecat").origin).parent
# The most characters between a name and what is said of it.
NEAR = 600


def main() -> int:
    found = list(problems(Path(__file__).resolve().parents[2] / "templates/migrations"))
    print(*found, sep="\n")
    return 1 if found else 0


def problems(folder: Path) -> Iterator[str]:
    installed = release(version("pipecat-ai"))
    sources = {path: path.read_text() for path in PACKAGE.rglob("*.py")}
    names = {name for path, text in sources.items() for name in names_of(path, text)}
    files = sorted(folder.glob("*.toml"))
    if not files:
        yield f"{folder}: has no migration note"
    for file in files:
        note = tomllib.loads(file.read_text())
        since = re.compile(rf"deprecated(?:::| since) {re.escape(note['from'])}\b")
        marked = [(path, text, mark.start()) for path, text in sources.items() for mark in since.finditer(text)]
        for old, new in note["names"].items():
            if new and new not in names and release(note["from"]) <= installed:
                yield f"{file.name}: the framework has no `{new}`"
            if release(note["to"]) <= installed:
                if old in names:
                    yield f"{file.name}: the framework still has `{old}`"
            elif old not in names:
                yield f"{file.name}: the framework has no `{old}` any more"
            elif not any(speaks_of(old, *mark) for mark in marked):
                yield f"{file.name}: the framework does not call `{old}` deprecated since {note['from']}"


def names_of(path: Path, text: str) -> Iterator[str]:
    """The modules, classes, functions, attributes, parameters and events of a file."""
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    yield ".".join(part for part in parts if part != "__init__")
    for node in ast.walk(ast.parse(text)):
        match node:
            case ast.ClassDef(name=name) | ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name):
                yield name
            case ast.arg(arg=name) | ast.Attribute(attr=name) | ast.Name(id=name):
                yield name
            case ast.Constant(value=str(name)) if name.startswith("on_"):
                yield name


def speaks_of(name: str, path: Path, text: str, mark: int) -> bool:
    """Whether a mark is in the module of this name, or beside the name."""
    if "." in name:
        return PACKAGE.parent / name.replace(".", "/") in (path.with_suffix(""), *path.parents)
    return re.search(rf"\b{re.escape(name)}\b", text[max(0, mark - NEAR) : mark + NEAR]) is not None


def release(text: str) -> tuple[int, ...]:
    return tuple(int(part) for part in text.split("."))


if __name__ == "__main__":
    sys.exit(main())
