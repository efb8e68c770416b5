"""Reads generated projects, and holds what they say against the installed framework: `check_projects.py TREE`.

Nothing of a project runs here; `hold_sessions.py` does that.
"""

import ast
import json
import re
import sys
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pipecat
import yaml
from opentelemetry.sdk import environment_variables

from check_image import deployment, image
from check_requirements import imports, requirements
from project import Project, projects, report

PACKAGE = Path(pipecat.__file__).parent
# Made by the steps that the README describes, so they may be spoken of before they exist.
MADE_LATER = ("uv.lock", ".env", ".env.local", ".venv", "recordings", "evals/logs", "node_modules", "dist", ".next")


def main() -> int:
    return report([(project, problem) for project in projects(Path(sys.argv[1])) for problem in problems(project)])


def problems(project: Project) -> list[str]:
    unreadable = list(parses(project))
    if unreadable:
        return unreadable
    checks = [texts, environment, requirements, imports, image, deployment, readme, arguments, pictures]
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
        # `${{` begins an expression of a workflow.
        if re.search(r"(?<!\$)\{\{|\{%", text) and path.suffix not in {".tsx", ".ts", ".jsx", ".html"}:
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
    by_class = {read["name"]: read for service in project.services() for read in service.get("reads", [])}
    first_ways = {service["one_of"][0] for service in project.services() if service.get("one_of")}
    of_server = {variable["name"] for variable in described if variable.get("reader", "bot") != "bot"}
    for name in of_server - names_in(project.call_server):
        yield f"catalogue: server.py does not read {name}"
    own = frozenset().union(*map(names_in, project.programs.values()))
    for name in runner.keys() - names_in_framework() - own:
        yield f"catalogue: nothing in the framework or in the project reads {name}"
    for name in project.variables_read.keys() - set(listed):
        yield f".env.example: {name} is read by the project and not listed"
    for name in by_class.keys() - set(listed):
        yield f".env.example: {name} is read by a service's class and not listed"
    for name in runner.keys() - set(listed):
        yield f".env.example: {name} is read by the runner for the chosen transports and not listed"
    # The exporter of traces reads its own.
    exporter = set(dir(environment_variables)) if "tracing.py" in project.programs else set()
    for name in set(listed) - project.variables_read.keys() - runner.keys() - by_class.keys() - exporter:
        yield f".env.example: {name} is listed and nobody reads it"
    for name, value, is_open in project.example:
        needed = (
            project.variables_read.get(name, False)
            or name in first_ways
            or (name in runner and not {"default", "optional"} & runner[name].keys())
        )
        if is_open and not value and not needed:
            yield f".env.example: the empty line for {name} overrides what holds without it"
        if needed and not is_open:
            yield f".env.example: {name} is needed and its line is commented out"


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


def pictures(project: Project) -> Iterator[str]:
    """Every transport that can carry pictures carries those that were chosen."""
    entries = {
        key.value: {keyword.arg for keyword in made.body.keywords}
        for table in ast.walk(project.bot)
        if isinstance(table, ast.Dict)
        for key, made in zip(table.keys, table.values, strict=True)
        if isinstance(key, ast.Constant) and isinstance(made, ast.Lambda) and isinstance(made.body, ast.Call)
    }
    for transport in project.transports():
        name = transport["runner_key"]
        if transport["bot_type"] != "web" or transport.get("pictures") == "none":
            continue
        for direction, word in (("input", "in"), ("output", "out")):
            chosen = project.made["config"][f"video_{direction}"]
            if chosen != (f"video_{word}_enabled" in entries.get(name, set())):
                yield f"bot.py: video {direction} was {'' if chosen else 'not '}chosen, and {name} has it otherwise"


def files(project: Project) -> list[Path]:
    return [
        path
        for path in sorted(project.root.rglob("*"))
        if path.is_file() and path.suffix not in {".pyc", ".png", ".ico"}
    ]


def names_in(program: ast.Module | None) -> frozenset[str]:
    """Every upper-case name that stands as text in a program."""
    nodes = ast.walk(program) if program else ()
    texts = [node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)]
    return frozenset(text for text in texts if re.fullmatch(r"[A-Z][A-Z0-9_]+", text))


@cache
def names_in_framework() -> frozenset[str]:
    """Every upper-case name that stands as text in the framework's code."""
    texts = [path.read_text() for folder in ("runner", "transports") for path in (PACKAGE / folder).rglob("*.py")]
    return frozenset(name for text in texts for name in re.findall(r"[\"']([A-Z][A-Z0-9_]+)[\"']", text))


if __name__ == "__main__":
    sys.exit(main())
