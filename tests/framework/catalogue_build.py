"""Builds the Python arguments that the catalogue's TOML describes, from dummy values of the right types."""

from __future__ import annotations

import dataclasses
import importlib
import inspect
import json
import sys
import types
import typing
from pathlib import Path
from typing import Any

NAMES_THAT_HOLD_ADDRESSES = ("url", "endpoint")
DUMMY_TEXT = "00000000-0000-4000-8000-000000000000"


@dataclasses.dataclass
class Bench:
    """What dummy values are made of."""

    session: Any
    google_credentials: str


class Absent:
    """An argument that is not given at all."""


ABSENT = Absent()


def dummy(arg: dict, bench: Bench) -> Any:
    """A value that the variable of `arg` could hold, already turned into its Python type."""
    kind = arg.get("type", "str")
    if kind == "choice":
        return arg["choices"][0]
    if kind == "list":
        return [DUMMY_TEXT]
    if kind in ("int", "float"):
        return {"int": int, "float": float}[kind](arg.get("default") or arg.get("class_default") or 1)
    if arg["env"] == "GOOGLE_APPLICATION_CREDENTIALS":
        return bench.google_credentials
    if arg["env"] == "GOOGLE_CREDENTIALS":
        return Path(bench.google_credentials).read_text() if bench.google_credentials else None
    known = arg.get("default") or arg.get("class_default")
    if known:
        return known
    if any(part in arg["name"] for part in NAMES_THAT_HOLD_ADDRESSES) and "endpoint_name" not in arg["name"]:
        return "https://127.0.0.1:9"
    return DUMMY_TEXT


def unset(arg: dict, in_settings: bool) -> Any:
    """What generated code passes while the variable of `arg` is unset."""
    if "default" in arg:
        kind = {"int": int, "float": float}.get(arg.get("type", "str"), str)
        return kind(arg["default"])
    if in_settings:
        return ABSENT
    return None


def value(arg: dict, scope: dict, bench: Bench, filled: bool, in_settings: bool, prompt: dict) -> Any:
    """The Python value of `arg`; `filled` says whether optional variables are set."""
    if "env" in arg:
        required = not any(key in arg for key in ("default", "class_default", "optional"))
        return dummy(arg, bench) if filled or required else unset(arg, in_settings)
    if "value" in arg:
        return arg["value"]
    if "expr" in arg:
        return eval(arg["expr"], {"session": bench.session, **scope})
    inner = {}
    for each in arg.get("args", []):
        made = value(each, scope, bench, filled, False, {})
        if made is not ABSENT:
            inner[each["name"]] = made
    inner.update(prompt.get(arg["name"], {}))
    return scope[arg["call"]](**inner)


def keywords(service: dict, scope: dict, bench: Bench, filled: bool) -> tuple[dict, dict]:
    """The keyword arguments of the class, and those of its `Settings`."""
    direct: dict[str, Any] = {}
    settings: dict[str, Any] = {}
    prompt: dict[str, dict] = {}
    if "prompt" in service:
        holder, _, field = service["prompt"].rpartition(".")
        if holder == "settings":
            settings[field] = "Be brief."
        else:
            prompt[holder] = {field: "Be brief."}
    for arg in service.get("args", []):
        in_settings = arg["name"].startswith("settings.")
        made = value(arg, scope, bench, filled, in_settings, prompt)
        if made is not ABSENT:
            (settings if in_settings else direct)[arg["name"].removeprefix("settings.")] = made
    return direct, settings


def scope_of(entry: dict) -> dict:
    """The names that `imports` brings."""
    scope = {}
    for module, names in entry.get("imports", {}).items():
        loaded = importlib.import_module(module)
        for name in names:
            scope[name] = getattr(loaded, name)
    return scope


def parameters(cls: type) -> dict[str, tuple[Any, bool]]:
    """Every keyword that constructing `cls` accepts by name: its type and whether the class itself insists on it.

    Follows `**kwargs` up the base classes, so that a name which only some `**kwargs` swallows is not among them.
    """
    fields = getattr(cls, "model_fields", None)
    if fields is not None:
        hints = hints_of(cls)
        return {name: (hints.get(name, Any), field.is_required()) for name, field in fields.items()}
    found: dict[str, tuple[Any, bool]] = {}
    own = True
    for base in cls.__mro__:
        init = base.__dict__.get("__init__")
        if init is None:
            continue
        if dataclasses.is_dataclass(base) and not found:
            hints = hints_of(base)
            return {field.name: (hints[field.name], False) for field in dataclasses.fields(base)}
        hints = hints_of(init)
        open_ended = False
        for name, parameter in list(inspect.signature(init).parameters.items())[1:]:
            if parameter.kind is inspect.Parameter.VAR_KEYWORD:
                open_ended = True
            elif parameter.kind is not inspect.Parameter.VAR_POSITIONAL and name not in found:
                found[name] = (hints.get(name, Any), own and parameter.default is inspect.Parameter.empty)
        own = False
        if not open_ended:
            break
    return found


def hints_of(annotated: Any) -> dict[str, Any]:
    """The annotations of a function or class; `Any` for those whose names only type checkers see."""
    hints: dict[str, Any] = {}
    for owner in reversed(getattr(annotated, "__mro__", (annotated,))):
        names = vars(sys.modules[owner.__module__]) if hasattr(owner, "__module__") else {}
        for name, hint in getattr(owner, "__annotations__", {}).items():
            try:
                hints[name] = eval(hint, dict(names)) if isinstance(hint, str) else hint
            except NameError:
                hints[name] = Any
    return hints


def accepts(hint: Any, wanted: type) -> bool:
    """Whether a value of type `wanted` fits the annotation `hint`."""
    if hint is Any or hint is wanted:
        return True
    origin = typing.get_origin(hint)
    if origin in (typing.Union, types.UnionType):
        return any(accepts(part, wanted) for part in typing.get_args(hint))
    if origin is typing.Literal:
        return any(isinstance(choice, wanted) for choice in typing.get_args(hint))
    return (origin or hint) is wanted or (wanted is int and hint is float)


def literals(hint: Any) -> list[str]:
    """The texts of a `Literal` in the annotation, when it admits no other text."""
    if typing.get_origin(hint) is typing.Literal:
        return [choice for choice in typing.get_args(hint) if isinstance(choice, str)]
    if typing.get_origin(hint) in (typing.Union, types.UnionType):
        parts = typing.get_args(hint)
        return [] if str in parts else [text for part in parts for text in literals(part)]
    return []


def write_google_credentials(folder: Path) -> str:
    """A service account file that Google's library can read, with a key made for the occasion."""
    from cryptography.hazmat.primitives import serialization
    from cryptography.hazmat.primitives.asymmetric import rsa
    from google.oauth2 import service_account

    # Some classes fetch a token as they are constructed.
    service_account.Credentials.refresh = lambda *_args: None

    key = rsa.generate_private_key(public_exponent=65537, key_size=2048).private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    path = folder / "service-account.json"
    account = {
        "type": "service_account",
        "project_id": "example",
        "private_key_id": "1",
        "private_key": key.decode(),
        "client_email": "bot@example.iam.gserviceaccount.com",
        "client_id": "1",
        "token_uri": "https://127.0.0.1:9/token",
    }
    path.write_text(json.dumps(account))
    return str(path)
