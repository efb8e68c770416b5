"""Reads generated projects, and holds what they say against the installed framework: `check_projects.py TREE`.

Nothing of a project runs here; `hold_sessions.py` does that.
"""

import ast
import importlib.metadata
import importlib.util
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

import pipecat
import yaml
from dockerfile_parse import DockerfileParser
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet
from packaging.utils import canonicalize_name

from project import Project, projects, report

FRAMEWORK = importlib.metadata.distribution("pipecat-ai")
PACKAGE = Path(pipecat.__file__).parent
# Made by the steps that the README describes, so they may be spoken of before they exist.
MADE_LATER = ("uv.lock", ".env", ".env.local", ".venv", "recordings", "evals/logs", "node_modules", "dist", ".next")


def main() -> int:
    return report([(project, problem) for project in projects(Path(sys.argv[1])) for problem in problems(project)])


def problems(project: Project) -> list[str]:
    unreadable = list(parses(project))
    if unreadable:
        return unreadable
    checks = [texts, environment, requirements, imports, image, deployment, readme, arguments]
    return [problem for check in checks for problem in check(project)]


def texts(project: Project) -> Iterator[str]:
    for path in files(project):
        where = path.relative_to(project.root)
        text = path.read_bytes().decode()
        if not text.endswith("\n") or text.endswith("\n\n"):
            yield f"{where}: does not end with one newline"
        if "\r" in text or re.search(r"[ \t]$", text, re.MULTILINE) and path.suffix != ".md":
            yield f"{where}: carriage returns or blanks at the end of a line"
        if re.search(r"copyright|spdx", text, re.IGNORECASE):
            yield f"{where}: claims a copyright"
        if re.search(r":latest\b", text):
            yield f"{where}: an image or package `:latest`"
        if re.search(r"\{\{|\{%", text) and path.suffix not in {".tsx", ".ts", ".jsx", ".html"}:
            yield f"{where}: an unrendered passage of a template"


def parses(project: Project) -> Iterator[str]:
    parsers = {".toml": tomllib.loads, ".json": json.loads, ".yaml": yaml.safe_load, ".yml": yaml.safe_load}
    for path in files(project):
        try:
            if path.suffix == ".py":
                compile(path.read_text(), path, "exec")
            elif path.suffix in parsers:
                parsers[path.suffix](path.read_text())
        except (SyntaxError, ValueError, yaml.YAMLError) as error:
            yield f"{path.relative_to(project.root)}: {error}"


def environment(project: Project) -> Iterator[str]:
    listed = [name for name, _, _ in project.example]
    for name in {name for name in listed if listed.count(name) > 1}:
        yield f".env.example: {name} is listed twice"
    described = [variable for transport in project.transports() for variable in transport.get("env", [])]
    runner = {variable["name"]: variable for variable in described if variable.get("reader") != "server"}
    for variable in described:
        reads = project.call_server is not None and names_in(project.call_server)
        if variable.get("reader", "bot") != "bot" and variable["name"] not in (reads or ()):
            yield f"catalogue: server.py does not read {variable['name']}"
    for name in runner.keys() - names_in_framework() - names_in(project.bot):
        yield f"catalogue: nothing in the framework or in bot.py reads {name}"
    for name in project.variables_read.keys() - set(listed):
        yield f".env.example: {name} is read by bot.py or server.py and not listed"
    for name in runner.keys() - set(listed):
        yield f".env.example: {name} is read by the runner for the chosen transports and not listed"
    for name in set(listed) - project.variables_read.keys() - runner.keys():
        yield f".env.example: {name} is listed and nobody reads it"
    for name, value, is_open in project.example:
        needed = project.variables_read.get(name, False) or (
            name in runner and not {"default", "optional"} & runner[name].keys()
        )
        if is_open and not value and not needed:
            yield f".env.example: the empty line for {name} overrides what holds without it"
        if needed and not is_open:
            yield f".env.example: {name} is needed and its line is commented out"


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
    for python in ("3.11", "3.12", "3.13"):
        if admitted.contains(python) and (lost := lost_on(python, extras)):
            yield f"pyproject.toml: Python {python} is admitted, where {', '.join(sorted(lost))} install nothing"
    if not admitted.contains("3.13") or (not admitted.contains("3.11") and not lost_on("3.11", extras)):
        yield f"pyproject.toml: requires-python `{admitted}` keeps out a Python on which everything installs"


def imports(project: Project) -> Iterator[str]:
    asked = {Requirement(text) for text in project.pyproject["project"]["dependencies"]}
    available = {name for requirement in asked for name in closure(requirement.name, frozenset(requirement.extras))}
    for name, program in project.programs.items():
        found, unknown = imported_distributions(program)
        for module in unknown:
            yield f"{name}: there is no module `{module}`"
        for module, distributions in found.items():
            if not distributions & available:
                yield f"pyproject.toml: {name} needs the module `{module}`, which no requirement brings"


def image(project: Project) -> Iterator[str]:
    dockerfile = project.server / "Dockerfile"
    if not dockerfile.exists():
        return
    parser = DockerfileParser(path=str(dockerfile), cache_content=True)
    ignored = project.server / ".dockerignore"
    rules = ignored.read_text().split("\n") if ignored.exists() else []
    for base in parser.parent_images:
        if ":" not in base.rsplit("/", 1)[-1] and "@" not in base:
            yield f"Dockerfile: the base image `{base}` is not pinned"
    for instruction in parser.structure:
        words = instruction["value"].split()
        sources = []
        if instruction["instruction"] in {"COPY", "ADD"} and not any(word.startswith("--from=") for word in words):
            sources = [word for word in words[:-1] if not word.startswith("--")]
        sources += re.findall(r"--mount=type=bind,(?:[^ ]*,)?source=([^ ,]+)", instruction["value"])
        for source in sources:
            if not list(project.server.glob(source)) and "*" not in source:
                yield f"Dockerfile: `{source}` is copied and does not exist"
            if kept_out(source.rstrip("*"), rules):
                yield f"Dockerfile: `{source}` is copied, but .dockerignore keeps it out"


def deployment(project: Project) -> Iterator[str]:
    deploy = project.server / "cloud-deploy.toml"
    if not deploy.exists():
        return
    settings = tomllib.loads(deploy.read_text())
    for key in ("agent_name", "secret_set"):
        if not re.fullmatch(r"[a-z0-9]([a-z0-9-]{1,61})[a-z0-9]", settings.get(key, "")):
            yield f"cloud-deploy.toml: {key} is no name that the service takes: {settings.get(key)!r}"
    profile = "agent-2x" if project.made["video"] else "agent-1x"
    if settings.get("agent_profile") != profile:
        yield f"cloud-deploy.toml: the profile is {settings.get('agent_profile')!r}, this bot needs {profile!r}"
    telephone = any(transport["bot_type"] == "telephony" for transport in project.transports())
    filter_name = settings.get("krisp_viva", {}).get("audio_filter")
    if filter_name and filter_name != ("tel" if telephone else "pro"):
        yield f"cloud-deploy.toml: the noise filter {filter_name!r} is for other calls than this bot's"
    if "region" not in deploy.read_text():
        yield "cloud-deploy.toml: says nothing about the region"


def readme(project: Project) -> Iterator[str]:
    path = project.root / "README.md"
    if not path.exists():
        yield "README.md: is missing"
        return
    text = path.read_text()
    spoken_of = re.findall(r"(?<![\w:/.@-])[\w./-]*\w\.(?:py|toml|example|yaml|json|md|lock|html|tsx?)\b(?!/)", text)
    spoken_of += re.findall(r"(?<![\w:/.@-])(?:server|client)(?:/[\w.-]+)*/?", "\n".join(re.findall(r"`[^`]*`", text)))
    for mention in spoken_of:
        places = [project.root, project.server, project.server / "evals", project.root / "client"]
        if not any((place / mention).exists() for place in places) and not mention.rstrip("/").endswith(MADE_LATER):
            yield f"README.md: speaks of `{mention}`, which does not exist"
    for service in project.services():
        if service.get("deprecated", "") not in text:
            yield f"README.md: keeps silent about {service['id']}, which is deprecated"
    listed = set(re.findall(r"^ *(\d+)\. ", re.sub(r"```.*?```", "", text, flags=re.DOTALL), re.MULTILINE))
    if listed and {int(number) for number in listed} != set(range(1, max(map(int, listed)) + 1)):
        yield "README.md: steps are misnumbered"


def arguments(project: Project) -> Iterator[str]:
    """A variable's name given where its value belongs."""
    listed = {name for name, _, _ in project.example}
    for call in (node for program in project.programs.values() for node in ast.walk(program)):
        for keyword in call.keywords if isinstance(call, ast.Call) else []:
            match keyword.value:
                case ast.Constant(value=str(name)) if name in listed:
                    yield f"{keyword.arg} is given the name {name} for a value"


def files(project: Project) -> list[Path]:
    return [
        path
        for path in sorted(project.root.rglob("*"))
        if path.is_file() and path.suffix not in {".pyc", ".png", ".ico"}
    ]


def kept_out(source: str, rules: list[str]) -> bool:
    verdict = False
    for rule in rules:
        if rule and not rule.startswith("#") and fnmatch(source.removeprefix("./"), rule.removeprefix("!").strip("/")):
            verdict = not rule.startswith("!")
    return verdict


@cache
def names_in_framework() -> frozenset[str]:
    """Every upper-case name that stands as text in the framework's code."""
    texts = [path.read_text() for folder in ("runner", "transports") for path in (PACKAGE / folder).rglob("*.py")]
    return frozenset(name for text in texts for name in re.findall(r"[\"']([A-Z][A-Z0-9_]+)[\"']", text))


def names_in(program: ast.Module) -> frozenset[str]:
    """Every upper-case name that stands as text in a program."""
    texts = (node.value for node in ast.walk(program) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    return frozenset(text for text in texts if re.fullmatch(r"[A-Z][A-Z0-9_]+", text))


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


def imported_distributions(bot: ast.Module) -> tuple[dict[str, set[str]], set[str]]:
    """The modules outside the framework that loading a bot loads, with who may bring them; and those of its own that
    do not exist.

    Imports are followed through the framework's service and transport modules: these need the extras.
    """
    found: dict[str, set[str]] = {}
    unknown: set[str] = set()
    own = [module for module, _ in imported_names(bot)]
    pending = list(own)
    seen = set()
    while pending:
        module = pending.pop()
        top = module.split(".")[0]
        if module in seen or top in sys.stdlib_module_names:
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


if __name__ == "__main__":
    sys.exit(main())
