"""What a generated project installs, held against what it imports and against the installed framework."""

import ast
import importlib.metadata
import importlib.util
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pipecat
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from project import Project

FRAMEWORK = importlib.metadata.distribution("pipecat-ai")
PACKAGE = Path(pipecat.__file__).parent
PYTHONS = [f"3.{minor}" for minor in range(9, 20)]
SUPPORTED = {
    python
    for python in PYTHONS
    if f"Programming Language :: Python :: {python}" in FRAMEWORK.metadata.get_all("Classifier")
}


def requirements(project: Project) -> Iterator[str]:
    described = project.pyproject["project"]
    groups = [Requirement(text) for group in project.pyproject.get("dependency-groups", {}).values() for text in group]
    runtime = [Requirement(text) for text in described["dependencies"]]
    extras = set()
    for requirement in [*runtime, *groups]:
        operators = {specifier.operator for specifier in requirement.specifier}
        if not ({"==", "~="} & operators or {">", ">="} & operators and {"<", "<="} & operators):
            yield f"pyproject.toml: `{requirement}` lacks a floor or a ceiling"
        installed = version(requirement.name)
        if installed and not requirement.specifier.contains(installed):
            yield f"pyproject.toml: `{requirement}` does not admit {installed}, with which it is tested here"
        if canonicalize_name(requirement.name) == "pipecat-ai":
            extras |= {canonicalize_name(extra) for extra in requirement.extras}
        elif requirement in runtime and not used(project, requirement.name):
            yield f"pyproject.toml: `{requirement}` is installed and nothing imports it"
    for extra in extras - {canonicalize_name(extra) for extra in FRAMEWORK.metadata.get_all("Provides-Extra")}:
        yield f"pyproject.toml: pipecat-ai has no extra `{extra}`"
    admitted = SpecifierSet(described["requires-python"])
    for python in PYTHONS:
        if admitted.contains(python) and python not in SUPPORTED:
            yield f"pyproject.toml: Python {python} is admitted, which pipecat-ai does not say it runs on"
        if admitted.contains(python) and (lost := lost_on(python, extras)):
            yield f"pyproject.toml: Python {python} is admitted, where {', '.join(sorted(lost))} install nothing"
        if python in SUPPORTED and not admitted.contains(python) and not lost_on(python, extras):
            yield f"pyproject.toml: requires-python `{admitted}` keeps out {python}, on which everything installs"
    pinned = project.server / ".python-version"
    if not pinned.exists() or not admitted.contains(pinned.read_text().strip()):
        yield f".python-version: names no Python that `{admitted}` admits, so `uv` takes any"


def imports(project: Project) -> Iterator[str]:
    asked = {Requirement(text) for text in project.pyproject["project"]["dependencies"]}
    available = {name for requirement in asked for name in closure(requirement.name, frozenset(requirement.extras))}
    for name, program in project.programs.items():
        found, unknown = imported_distributions(program, {path.removesuffix(".py") for path in project.programs})
        for module in unknown:
            yield f"{name}: there is no module `{module}`"
        for module, distributions in found.items():
            if not distributions & available:
                yield f"pyproject.toml: {name} needs the module `{module}`, which no requirement brings"


@cache
def version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


@cache
def distributions_of() -> dict[str, set[str]]:
    """Modules of the environment, with the distributions that bring them."""
    found = importlib.metadata.packages_distributions().items()
    return {module: {canonicalize_name(name) for name in names} for module, names in found}


def used(project: Project, name: str) -> bool:
    """Whether a program imports a distribution, or a chosen service of the catalogue asks for it."""
    programs = project.programs.values()
    imported = {module.split(".")[0] for program in programs for module, _ in imported_names(program)}
    needed = {Requirement(text).name for service in project.services() for text in service.get("packages", [])}
    if name == "tzdata":  # The standard library reads it, where the system has no time zones.
        return "zoneinfo" in imported
    brings = {module for module, names in distributions_of().items() if canonicalize_name(name) in names}
    return name in needed or bool(imported & brings)


def lost_on(python: str, extras: set[str]) -> set[str]:
    return {extra for extra in extras if lost(python, extra)}


@cache
def lost(python: str, extra: str) -> bool:
    """Whether an extra has requirements, all of them kept away by a marker on this Python."""
    on = default_environment() | {"python_version": python, "python_full_version": f"{python}.0", "extra": extra}
    asked = [Requirement(text).marker for text in FRAMEWORK.requires or []]
    of_extra = [marker for marker in asked if marker and re.search(rf"extra == .{re.escape(extra)}.$", str(marker))]
    return bool(of_extra) and not any(marker.evaluate(on) for marker in of_extra)


@cache
def closure(name: str, extras: frozenset[str]) -> frozenset[str]:
    """A distribution and all that installing it with these extras brings."""
    brought = {canonicalize_name(name)}
    pending = [(name, extras)]
    seen = set()
    while pending:
        name, extras = pending.pop()
        if (name, extras) in seen:
            continue
        seen.add((name, extras))
        try:
            asked = importlib.metadata.requires(name) or []
        except importlib.metadata.PackageNotFoundError:
            continue
        for requirement in map(Requirement, asked):
            wanted = (
                [requirement.marker.evaluate({"extra": extra}) for extra in extras | {""}]
                if requirement.marker
                else [True]
            )
            if any(wanted):
                brought.add(canonicalize_name(requirement.name))
                pending.append((canonicalize_name(requirement.name), frozenset(requirement.extras)))
    return frozenset(brought)


def imported_names(tree: ast.AST) -> list[tuple[str, str | None]]:
    """The imports that run when a module is loaded."""
    found = []
    for node in statements(tree):
        if isinstance(node, ast.Import):
            found += [(alias.name, None) for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and node.module and not node.level:
            found += [(node.module, alias.name) for alias in node.names]
    return found


def statements(tree: ast.AST) -> Iterator[ast.AST]:
    for node in ast.iter_child_nodes(tree):
        if isinstance(node, ast.If) and "TYPE_CHECKING" in ast.unparse(node.test):
            continue
        yield node
        if not isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield from statements(node)


def imported_distributions(program: ast.Module, beside: set[str]) -> tuple[dict[str, set[str]], set[str]]:
    """The modules outside the framework that loading a program loads, with who may bring them; and those that it
    imports and that do not exist. The modules beside it are not followed.

    Imports are followed through the framework's service and transport modules: these need the extras.
    """
    found: dict[str, set[str]] = {}
    unknown: set[str] = set()
    own = [module for module, _ in imported_names(program)]
    pending = list(own)
    seen = set()
    while pending:
        module = pending.pop()
        top = module.split(".")[0]
        if module in seen or top in sys.stdlib_module_names or top in beside:
            continue
        seen.add(module)
        if top == "pipecat":
            source = PACKAGE.parent.joinpath(*module.split("."))
            source = source / "__init__.py" if source.is_dir() else source.with_suffix(".py")
            if not source.exists():
                unknown.add(module)
            elif module.startswith(("pipecat.services.", "pipecat.transports.", "pipecat.runner.")):
                pending += [name for name, _ in imported_names(loaded(source))]
        elif importlib.util.find_spec(top):
            found[top] = distributions_of().get(top, set())
        elif module in own:
            unknown.add(module)
    return found, unknown


@cache
def loaded(source: Path) -> ast.Module:
    return ast.parse(source.read_text())
