"""Which environment variables a service's class reads by itself, held against those that the catalogue asks for.

A read is found in the source of the class, of its bases, and of the framework's functions and classes that these
name. A read that only stands in for an argument which the catalogue gives is none.
"""

from __future__ import annotations

import ast
import importlib
import inspect
import sys
import textwrap
from functools import cache
from importlib import metadata
from typing import Any

import catalogue_extras as extras

# Reads that no bot of ours comes to.
NEVER = {
    ("gemini_tts", "GOOGLE_API_KEY"): "only for the other client, which `use_genai` would choose",
}


def problems(entry: dict) -> list[str]:
    """Variables that are read and not asked for, and those that are asked for and read by nobody."""
    cls = getattr(importlib.import_module(entry["module"]), entry["class"])
    given = {arg["name"].removeprefix("settings.") for arg in arguments(entry)}
    asked = {arg["env"] for arg in arguments(entry) if "env" in arg}
    by_itself = {read["name"] for read in entry.get("reads", [])}
    read = {name for name, instead_of in reads(cls) if not instead_of & given}
    found = []
    for name in sorted(read - asked - by_itself):
        if (entry["id"], name) not in NEVER:
            found.append(f"the class reads {name} by itself, and nobody is asked for it")
    for name in sorted(by_itself - {name for name, _ in reads(cls)}):
        if not named_by_libraries(name, tuple(entry.get("extras", []))):
            found.append(f"`reads` has {name}, which neither the class nor its libraries name")
    return found


def arguments(entry: dict) -> list[dict]:
    found = []
    pending = list(entry.get("args", []))
    while pending:
        arg = pending.pop()
        found.append(arg)
        pending += arg.get("args", [])
    return found


def reads(cls: type) -> set[tuple[str, frozenset[str]]]:
    """The variables that a class reads, each with the names whose value it stands in for."""
    found = set()
    seen = set()
    pending: list[Any] = [each for each in cls.__mro__ if is_of_framework(each)]
    while pending:
        thing = pending.pop()
        if thing in seen:
            continue
        seen.add(thing)
        here, named = reads_of(thing)
        found |= here
        scope = vars(sys.modules[thing.__module__])
        for name in named:
            other = scope.get(name)
            if (inspect.isclass(other) or inspect.isfunction(other)) and is_of_framework(other):
                pending.append(other)
    return found


def is_of_framework(thing: Any) -> bool:
    return getattr(thing, "__module__", "").startswith("pipecat.services.")


@cache
def reads_of(thing: Any) -> tuple[frozenset[tuple[str, frozenset[str]]], frozenset[str]]:
    """The variables that the source of a class or function reads, and the names that stand in it."""
    try:
        tree = ast.parse(textwrap.dedent(inspect.getsource(thing)))
    except (OSError, TypeError, SyntaxError):
        return frozenset(), frozenset()
    instead = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.BoolOp) and isinstance(node.op, ast.Or):
            before = frozenset(value.id for value in node.values if isinstance(value, ast.Name))
            instead |= {id(value): before for value in node.values}
    found = set()
    for node in ast.walk(tree):
        match node:
            case ast.Call(func=function, args=[ast.Constant(value=str(name)), *_]) if ast.unparse(function) in (
                "os.getenv",
                "os.environ.get",
            ):
                found.add((name, instead.get(id(node), frozenset())))
            case ast.Subscript(value=value, slice=ast.Constant(value=str(name)), ctx=ast.Load()):
                if ast.unparse(value) == "os.environ":
                    found.add((name, frozenset()))
    return frozenset(found), frozenset(node.id for node in ast.walk(tree) if isinstance(node, ast.Name))


@cache
def named_by_libraries(name: str, wanted: tuple[str, ...]) -> bool:
    """Whether the source of a distribution that the extras bring names a variable."""
    needle = name.encode()
    for distribution in set().union(*(extras.installed_with([extra]) for extra in wanted)) - {extras.FRAMEWORK}:
        try:
            files = metadata.files(distribution) or []
        except metadata.PackageNotFoundError:
            continue
        for file in files:
            path = file.locate()
            if file.suffix == ".py" and path.exists() and needle in path.read_bytes():
                return True
    return False
