"""Generated projects as the checks see them: a folder each, and beside it `NAME.json` with how it was made."""

import ast
import importlib
import json
import os
import re
import sys
import tomllib
from functools import cached_property
from pathlib import Path
from types import ModuleType

VARIABLE = re.compile(r"[A-Z][A-Z0-9]*(_[A-Z0-9]+)+|ENV|PORT")
CATALOGUE = Path(__file__).parents[2] / "templates"


class Project:
    def __init__(self, made: Path):
        self.name = made.stem
        self.root = made.with_suffix("")
        self.server = self.root / "server"
        self.made = json.loads(made.read_text())

    @cached_property
    def bot(self) -> ast.Module:
        return ast.parse((self.server / "bot.py").read_text())

    @cached_property
    def pyproject(self) -> dict:
        return tomllib.loads((self.server / "pyproject.toml").read_text())

    @cached_property
    def example(self) -> list[tuple[str, str, bool]]:
        """The lines of `.env.example`: variable, value, and whether the line stands open."""
        lines = re.findall(r"^(# )?([A-Z][A-Z0-9_]*)=(.*)$", (self.server / ".env.example").read_text(), re.MULTILINE)
        return [(name, value.strip().strip("\"'"), not commented) for commented, name, value in lines]

    @cached_property
    def call_server(self) -> ast.Module | None:
        """The web server that brings calls to the bot, where there is one."""
        path = self.server / "server.py"
        return ast.parse(path.read_text()) if path.exists() else None

    @cached_property
    def programs(self) -> dict[str, ast.Module]:
        """The bot, the modules beside it, and the web server where there is one."""
        return {path.name: ast.parse(path.read_text()) for path in sorted(self.server.glob("*.py"))}

    @cached_property
    def variables_read(self) -> dict[str, bool]:
        """The variables that the programs read, and whether one of them does so with `required`."""
        read = {}
        for node in (node for program in self.programs.values() for node in ast.walk(program)):
            match node:
                case ast.Call(func=function, args=[ast.Constant(value=str(name)), *_]) if VARIABLE.fullmatch(name):
                    read[name] = read.get(name, False) or ast.unparse(function) in ("required", "formed")
                case ast.Subscript(value=ast.Attribute(attr="environ"), slice=ast.Constant(value=str(name))):
                    read[name] = True
        return read

    def transports(self) -> list[dict]:
        return [load(CATALOGUE / "transports" / f"{name}.toml") for name in self.made["transports"]]

    def services(self) -> list[dict]:
        return [SERVICES[name] for name in self.made["services"]]


def loaded(server: Path) -> ModuleType:
    """The bot of a project, as if it ran on a developer's machine, in the project's folder."""
    os.chdir(server)
    os.environ["ENV"] = "local"
    # Another project's modules have the same names.
    for path in server.glob("*.py"):
        sys.modules.pop(path.stem, None)
    sys.path.insert(0, str(server))
    try:
        return importlib.import_module("bot")
    finally:
        sys.path.remove(str(server))


def load(path: Path) -> dict:
    return tomllib.loads(path.read_text())


def load_services() -> dict[str, dict]:
    providers = [load(path) for path in sorted((CATALOGUE / "providers").glob("*.toml"))]
    return {service["id"]: service for provider in providers for service in provider["service"]}


SERVICES = load_services()


def projects(tree: Path) -> list[Project]:
    # pyright may run at the same time, with its settings beside the projects.
    return [Project(made) for made in sorted(tree.glob("*.json")) if made.stem != "pyrightconfig"]


def report(problems: list[tuple[Project, str]]) -> int:
    """Prints the problems by project, each with the command that makes it; the exit status."""
    by_project: dict[str, list[str]] = {}
    for project, problem in problems:
        by_project.setdefault(f"{project.name}: {project.made['command']}", []).append(problem)
    for project, lines in by_project.items():
        print(project, *dict.fromkeys(lines), sep="\n  ")
    return 1 if problems else 0
