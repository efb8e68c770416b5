"""Checks that what stands in `.env` arrives in the services of generated projects: `check_env_files.py FOLDER ...`.

Every `services.py` below the folders is imported beside its `settings.py`, with another value in `.env` for each of its variables. Then it
is imported once more with the same variables in the environment, which wins over the file.
"""

import ast
import importlib
import os
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from shutil import copy
from typing import Any

import catalogue_hollow as hollow

# By the function of `settings.py` or the type it converts to: a value in the file, one in the environment, and how both are read.
VALUES = {
    "required": ("from .env", "from outside", str),
    "optional": ("from .env", "from outside", str),
    "int": ("7", "8", int),
    "float": ("0.25", "0.75", float),
    "split": ("a, b", "c", lambda text: [item.strip() for item in text.split(",")]),
}


def main() -> int:
    paths = [path for folder in sys.argv[1:] for path in sorted(Path(folder).rglob("server/services.py"))]
    with hollow.libraries(name for names in hollow.HEAVY.values() for name in names):
        found = [f"{path}: {problem}" for path in paths for problem in problems(path)]
    print(*found, sep="\n", end="\n" if found else "")
    print(f"imported the services of {len(paths)} bots", file=sys.stderr)
    return 1 if found or not paths else 0


def problems(services: Path) -> Iterator[str]:
    known = dict(variables(ast.parse(services.read_text())))
    with tempfile.TemporaryDirectory() as folder:
        for module in (services, services.with_name("settings.py")):
            copy(module, folder)
        Path(folder, ".env").write_text("".join(f"{name}='{file}'\n" for name, (file, _, _) in known.items()))
        for source, place in ((".env", 0), ("the environment", 1)):
            outside = {name: values[place] for name, values in known.items()} if place else {}
            try:
                made = imported(Path(folder), outside, known)
            except ImportError as error:
                # Some packages need a newer Python.
                print(f"not imported: {services}: {error}", file=sys.stderr)
                return
            for name, values in known.items():
                expected, actual = values[2](values[place]), getattr(made, name, None)
                if hasattr(made, name) and actual != expected:
                    yield f"{name} is {actual!r}, and {source} has {expected!r}"
            yield from made.problems_of_settings


def variables(program: ast.Module) -> Iterator[tuple[str, tuple[str, str, Any]]]:
    """The variables that the statements of a module read, each with its values."""
    values = [statement.value for statement in program.body if isinstance(statement, ast.Assign | ast.AnnAssign | ast.Expr)]
    for call in (node for value in values if value for node in ast.walk(value)):
        match call:
            case ast.Call(func=ast.Name("one_of"), args=[ast.Constant(name), ast.List(choices), *_]):
                first, *_, last = [choice.value for choice in choices if isinstance(choice, ast.Constant)]
                yield name, (last, first, str)
            case ast.Call(func=ast.Name("converted"), args=[ast.Constant(name), ast.Name(convert), *_]):
                yield name, VALUES[convert]
            case ast.Call(func=ast.Name("required"), args=[ast.Constant(name)]):
                yield name, VALUES["required"]
            case ast.Call(func=ast.Name("optional") | ast.Attribute(attr="getenv"), args=[ast.Constant(name), *_]):
                yield name, VALUES["optional"]
            case ast.Call(func=ast.Name("one_required"), args=names):
                yield from ((name.value, VALUES["required"]) for name in names if isinstance(name, ast.Constant))


def imported(folder: Path, outside: dict[str, str], known: dict[str, Any]) -> Any:
    before = dict(os.environ)
    for name in known:
        os.environ.pop(name, None)
    os.environ |= outside
    for module in ("services", "settings"):
        sys.modules.pop(module, None)
    sys.path.insert(0, str(folder))
    importlib.invalidate_caches()
    try:
        services = importlib.import_module("services")
        services.problems_of_settings = importlib.import_module("settings").problems
        return services
    finally:
        sys.path.remove(str(folder))
        os.environ.clear()
        os.environ |= before


if __name__ == "__main__":
    sys.exit(main())
