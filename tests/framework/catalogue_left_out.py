"""Which services the installed framework has, read from its source, and which of them the catalogue lacks.

Nothing is imported: some modules import only where a large extra or special hardware is there.
"""

from __future__ import annotations

import ast
import re
import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.util import find_spec
from pathlib import Path

PACKAGE = Path(find_spec("pipecat").origin).parent
LEFT_OUT = Path(__file__).with_name("left_out.toml")
REASONS = ("deprecated", "needs hardware", "no wheel")
ROOTS = {
    "pipecat.services.stt_service.STTService",
    "pipecat.services.llm_service.LLMService",
    "pipecat.services.tts_service.TTSService",
}
# Avatars have no base class of their own.
ROOT_OF_VIDEO = "pipecat.services.ai_service.AIService"


@dataclass(frozen=True)
class Found:
    """A class of the framework's services, as its source describes it."""

    name: str
    bases: tuple[str, ...]
    deprecated: bool


def problems(entries: list[dict]) -> list[str]:
    """What is neither in the catalogue nor left out for a reason, and what is wrong with the list of the latter."""
    offered = {f"{entry['module']}.{entry['class']}" for entry in entries}
    left_out = tomllib.loads(LEFT_OUT.read_text())["class"]
    left_out = [entry for entry in left_out if entry["name"].startswith("pipecat.services.")]
    there = services()
    found = []
    for name in sorted(there.keys() - offered - {entry["name"] for entry in left_out}):
        found.append(f"{name}: the framework has it, the catalogue lacks it, and left_out.toml does not say why")
    for entry in left_out:
        name = entry["name"]
        if entry["reason"] not in REASONS:
            found.append(f"{name}: `{entry['reason']}` is no reason to leave a service out")
        if name not in there:
            found.append(f"{name}: is left out, and the framework has no such service")
        elif (entry["reason"] == "deprecated") != there[name].deprecated:
            found.append(f"{name}: {'is' if there[name].deprecated else 'is not'} deprecated in the framework")
        if name in offered:
            found.append(f"{name}: is left out and in the catalogue")
        if not entry["why"].strip():
            found.append(f"{name}: nobody says why it is left out")
    return found


def services() -> dict[str, Found]:
    """The concrete services for speech, language and video."""
    known = classes()
    inherited = {base for each in known.values() for base in each.bases}
    return {
        name: each
        for name, each in known.items()
        if is_service(name, known) and not (is_base(name) and name in inherited)
    }


def is_service(name: str, known: dict[str, Found]) -> bool:
    module, _, _ = name.rpartition(".")
    # The framework's own base classes stand beside the folders of the providers.
    if module.count(".") < 3:
        return False
    above = ancestors(name, known)
    return bool(above & ROOTS) or (module.endswith(".video") and ROOT_OF_VIDEO in above)


def is_base(name: str) -> bool:
    return re.search(r"Base([A-Z]|$)|^_", name.rpartition(".")[2]) is not None


def ancestors(name: str, known: dict[str, Found]) -> set[str]:
    above: set[str] = set()
    pending = [name]
    while pending:
        for base in known[pending.pop()].bases:
            if base in known and base not in above:
                above.add(base)
                pending.append(base)
    return above


@cache
def classes() -> dict[str, Found]:
    found = {}
    for path in sorted((PACKAGE / "services").rglob("*.py")):
        module = module_of(path)
        tree = ast.parse(path.read_text())
        names = imported(tree, module)
        own = {node.name for node in tree.body if isinstance(node, ast.ClassDef)}
        for node in tree.body:
            if not isinstance(node, ast.ClassDef):
                continue
            bases = []
            for base in node.bases:
                text = ast.unparse(base).partition("[")[0]
                bases.append(f"{module}.{text}" if text in own else names.get(text, text))
            deprecated = any("deprecated" in ast.unparse(decorator) for decorator in node.decorator_list)
            found[f"{module}.{node.name}"] = Found(f"{module}.{node.name}", tuple(bases), deprecated)
    return found


def module_of(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


def imported(tree: ast.Module, module: str) -> dict[str, str]:
    """The names that a module imports, with where each comes from."""
    names = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.ImportFrom):
            above = module.rsplit(".", node.level)[0] + "." if node.level else ""
            source = above + (node.module or "")
            names |= {alias.asname or alias.name: f"{source}.{alias.name}" for alias in node.names}
    return names
