"""Checks that each transport of the installed framework is in the catalogue: `check_transports.py`.

Nothing is imported: some modules import only where special hardware is there. A transport is a class of
`pipecat.transports`, a value of the runner's `-t`, or a folder of that package without such a class. It is in the
catalogue when the runner makes it for a key of one of the catalogue's files, or when one of these files has a bot make
it. Else `left_out.toml` says why it is not, or `COVERED` says what does the same.
"""

import ast
import sys
import tomllib
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path

PACKAGE = Path(find_spec("pipecat").origin).parent
REASONS = {"deprecated", "needs hardware", "no wheel"}
# Another way to the same: the file or the service of the catalogue, and why one is enough.
COVERED = {
    "pipecat.transports.heygen.transport.HeyGenTransport": (
        "heygen_video",
        "shows the same avatar, on every transport with pictures instead of a room of its own",
    ),
    "pipecat.transports.tavus.transport.TavusTransport": (
        "tavus_video",
        "shows the same avatar, on every transport with pictures instead of a room of its own",
    ),
    "pipecat.transports.websocket.client.WebsocketClientTransport": (
        "websocket",
        "is the other end of it: a program that reaches a bot",
    ),
    "pipecat.transports.websocket.rtvi_client.RTVIClientTransport": (
        "websocket",
        "is the other end of it: a program that reaches a bot",
    ),
    "pipecat.transports.websocket.server.SingleClientWebsocketServerTransport": (
        "websocket",
        "speaks the same frames, to more than one client",
    ),
}
# Formats of telephone companies that the runner does not recognize: a bot would need a web server of its own for them.
UNRECOGNIZED = {
    "pipecat.serializers.genesys.GenesysAudioHookSerializer",
    "pipecat.serializers.vonage.VonageFrameSerializer",
}
# The other end of a bot's format.
CLIENTS = {"pipecat.serializers.rtvi_client.RTVIClientSerializer"}


def main() -> int:
    left_out = [
        entry
        for entry in tomllib.loads(Path(__file__).with_name("left_out.toml").read_text())["class"]
        if entry["name"].startswith("pipecat.transports.")
    ]
    found = list(dict.fromkeys(problems(Path(__file__).resolve().parents[2] / "templates", left_out)))
    print(*found, sep="\n")
    return 1 if found else 0


def problems(templates: Path, left_out: list[dict]) -> Iterator[str]:
    files = [tomllib.loads(path.read_text()) for path in sorted((templates / "transports").glob("*.toml"))]
    providers = [tomllib.loads(path.read_text()) for path in (templates / "providers").glob("*.toml")]
    ids = {file["id"] for file in files} | {service["id"] for each in providers for service in each["service"]}
    # What needs more than the key is another transport over the same connection.
    keys = {file["runner_key"] for file in files if not {"run_option", "avatar", "family"} & file.keys()}
    there = subclasses("transports", "BaseTransport")
    made = made_by_runner()
    offered = {name for key in keys & made.keys() for name in made[key]}
    offered |= {avatar["class"] for file in files if (avatar := file.get("avatar"))}
    named = {entry["name"]: entry for entry in left_out}
    for name in there:
        if name.rpartition(".")[2] in offered:
            if name in named or name in COVERED:
                yield f"{name}: is said to be left out, and is in the catalogue"
        elif name not in named and name not in COVERED:
            yield f"{name}: the framework has it, the catalogue lacks it, and left_out.toml does not say why"
    for name, entry in named.items():
        if name not in there:
            yield f"{name}: is left out, and the framework has no such transport"
        elif (entry["reason"] == "deprecated") != there[name]:
            yield f"{name}: {'is' if there[name] else 'is not'} deprecated in the framework"
        if entry["reason"] not in REASONS or not entry["why"].strip():
            yield f"{name}: `{entry['reason']}` is no reason to leave a transport out, or nobody says why"
    for name, (by, why) in COVERED.items():
        if name not in there or by not in ids:
            yield f"{name}: `{by}` {why}, but one of the two is not there"
    for key in runner_keys() - keys:
        yield f"-t {key}: the runner has it, the catalogue lacks it"
    folders = {name.split(".")[2] for name in there}
    for folder in sorted(path.name for path in (PACKAGE / "transports").iterdir() if (path / "__init__.py").exists()):
        if folder not in folders | ids:
            yield f"pipecat.transports.{folder}: the framework has it, and the catalogue lacks it"
    yield from serializers(files)


def serializers(files: list[dict]) -> Iterator[str]:
    """The formats of WebSockets: those that the runner or a file of the catalogue names are in use."""
    used = (PACKAGE / "runner/utils.py").read_text() + str(files)
    for name, deprecated in subclasses("serializers", "FrameSerializer").items():
        in_use = name.rpartition(".")[2] in used
        if in_use == (name in UNRECOGNIZED | CLIENTS) and not deprecated:
            yield f"{name}: {'is in use after all' if in_use else 'is in no use, and nobody says why'}"


def subclasses(package: str, root: str) -> dict[str, bool]:
    """The classes below a class, with their modules, and whether each is deprecated."""
    classes = []
    for path in sorted((PACKAGE / package).rglob("*.py")):
        module = ".".join(path.relative_to(PACKAGE.parent).with_suffix("").parts)
        for node in ast.parse(path.read_text()).body:
            if isinstance(node, ast.ClassDef):
                deprecated = any("deprecated" in ast.unparse(decorator) for decorator in node.decorator_list)
                classes.append((module, node.name, {ast.unparse(base) for base in node.bases}, deprecated))
    found: dict[str, bool] = {}
    roots = {root}
    while more := {
        f"{module}.{name}": deprecated
        for module, name, bases, deprecated in classes
        if bases & roots and f"{module}.{name}" not in found
    }:
        found |= more
        roots |= {name.rpartition(".")[2] for name in more}
    return found


def made_by_runner() -> dict[str, set[str]]:
    """For each key of a bot's table, the classes that the framework makes for it."""
    tree = ast.parse((PACKAGE / "runner/utils.py").read_text())
    functions = {node.name: node for node in tree.body if isinstance(node, ast.AsyncFunctionDef)}
    made = {}
    for branch in ast.walk(functions["create_transport"]):
        if isinstance(branch, ast.If):
            keys, classes = called(branch.body)
            # A second one is what the framework falls back to.
            made |= {key: made.get(key, set()) | classes for key in keys[:1]}
    # What a telephone company streams is told apart elsewhere.
    _, classes = called(functions["_create_telephony_transport"].body)
    return made | {key: classes for key in telephone_companies()}


def called(body: list[ast.stmt]) -> tuple[list[str], set[str]]:
    """The keys that statements look up, in order, and the transports that they make."""
    calls = [node for statement in body for node in ast.walk(statement) if isinstance(node, ast.Call)]
    calls.sort(key=lambda call: call.lineno)
    names = {call: ast.unparse(call.func) for call in calls}
    keys = [
        call.args[0].value
        for call, name in names.items()
        if name == "_get_transport_params" and isinstance(call.args[0], ast.Constant)
    ]
    return keys, {name for name in names.values() if name.endswith("Transport")}


def runner_keys() -> set[str]:
    """What the runner's `-t` takes; `eval` is deprecated there."""
    for call in ast.walk(ast.parse((PACKAGE / "runner/run.py").read_text())):
        if isinstance(call, ast.Call) and any(isinstance(arg, ast.Constant) and arg.value == "-t" for arg in call.args):
            choices = next(keyword.value for keyword in call.keywords if keyword.arg == "choices")
            constants = {node.value for node in ast.walk(choices) if isinstance(node, ast.Constant)}
            return (constants | telephone_companies()) - {"eval"}
    raise AssertionError("the runner has no option -t")


def telephone_companies() -> set[str]:
    for statement in ast.parse((PACKAGE / "runner/run.py").read_text()).body:
        if isinstance(statement, ast.Assign) and ast.unparse(statement.targets[0]) == "TELEPHONY_TRANSPORTS":
            return set(ast.literal_eval(statement.value))
    raise AssertionError("the runner has no TELEPHONY_TRANSPORTS")


if __name__ == "__main__":
    sys.exit(main())
