"""A secrets backend: a store for the sets of `bot-cli cloud secrets`. BACKENDS.md is the specification."""

from __future__ import annotations

import re
import resource
import sys
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, ClassVar, NoReturn, cast

from ._build import PROTOCOL, build_if_asked
from ._server import Server, members
from .failure import CANCELLED, FAILED, NOT_ALLOWED, UNAVAILABLE, UNKNOWN, Cancelled, Failure, Refused, defect
from .session import Json, Session

_EXITS = {
    "not_allowed": NOT_ALLOWED,
    "not_signed_in": NOT_ALLOWED,
    "cancelled": CANCELLED,
    **dict.fromkeys(("unreachable", "timed_out", "unavailable"), UNAVAILABLE),
}
_NAME = re.compile("[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?")


class Refusal(Failure):
    """A failure with a code that BACKENDS.md lists and words that have no value in them. `effect` is what became of a change."""

    def __init__(self, code: str, message: str, effect: str | Json | None = None, **more: Any) -> None:
        super().__init__(message, code=code, exit=_EXITS.get(code, FAILED), **more)
        self.effect = effect


class Conflict(Refusal):
    """The set is not as the user saw it."""

    def __init__(self, message: str) -> None:
        super().__init__("conflict", message, "not_done")


@dataclass(frozen=True)
class Secret:
    """A set of environment variables."""

    values: Mapping[str, str] = field(repr=False)
    kind: ClassVar[str] = "secret"


@dataclass(frozen=True)
class PullSecret:
    """The credentials of a container registry."""

    host: str
    credentials: str = field(repr=False)
    kind: ClassVar[str] = "image_pull_secret"


Stored = Secret | PullSecret


@dataclass(frozen=True)
class Change:
    """A set as it is and as it shall be; `None` for no set. `region` is that of a new set."""

    name: str
    before: Stored | None
    after: Stored | None
    region: str | None = None


@dataclass
class Opened:
    """The result of `open`: where the sets are, in a few words, and the rules for them."""

    place: str
    organization: str | None = None
    regions: Json | None = None
    shortest: int = 1
    longest: int = 63
    capitals: bool = True
    value_bytes: int | None = None
    set_bytes: int | None = None
    keys: int | None = None

    def wire(self, can: Iterable[str]) -> Json:
        limits = {name: limit for name in ("value_bytes", "set_bytes", "keys") if (limit := getattr(self, name)) is not None}
        names = {name: getattr(self, name) for name in ("shortest", "longest", "capitals")}
        own = {name: value for name in ("organization", "regions") if (value := getattr(self, name)) is not None}
        return {"place": self.place, **own, "names": names, "limits": limits, "can": list(can)}


class Backend:
    """Subclass it, and define `open`, `sets`, `load` and `apply`.

    The library reads and checks every request, compares `prior`, names and limits, and reports what became of a change: `not_done` before `apply`,
    `unknown` where `apply` fails and does not say more, and nothing of an unexpected exception but its type and the line of yours that raised it.
    """

    name: ClassVar[str]
    version: ClassVar[str]
    about: ClassVar[str] = ""
    settings: ClassVar[Mapping[str, str]] = {}
    """The settings and what they mean; one that ends with `*` is required."""
    can: ClassVar[tuple[str, ...]] = ("values", "image_pull_secrets", "organizations")
    session: Session

    def open(self, settings: Mapping[str, str], organization: str | None, region: str | None) -> Opened:
        """Finds the place, asks what it has to ask with `self.session`, and changes nothing."""
        raise NotImplementedError

    def sets(self) -> Iterable[tuple[str, type[Stored]]]:
        """Returns the name and kind of each set."""
        raise NotImplementedError

    def load(self, name: str) -> Stored | None:
        """Returns a set, exactly as it was stored."""
        raise NotImplementedError

    def apply(self, change: Change) -> None:
        """Makes a change: whole, or not at all. It is not cancelled meanwhile. If it fails, a `Refusal` can say how far it came."""
        raise NotImplementedError

    def locked(self) -> AbstractContextManager[Any]:
        """Returns a context in which nobody else changes a set between `load` and `apply`."""
        return nullcontext()

    def organizations(self) -> Iterable[str]:
        """Returns the names of the user's organizations."""
        return [self.opened.organization] if self.opened.organization else []

    @classmethod
    def manifest(cls) -> Json:
        own: Json = {"protocol": PROTOCOL, "name": f"secrets-{cls.name}", "version": cls.version, "about": cls.about}
        own |= {"role": "secrets-backend", "secrets": "1.0"}
        settings = [
            {"name": name.rstrip("*"), "about": about, **({"required": True} if name.endswith("*") else {})} for name, about in cls.settings.items()
        ]
        return own | ({"settings": settings} if settings else {})

    @classmethod
    def main(cls) -> NoReturn:
        """Serves the client, or says what it is to a user at a terminal."""
        build_if_asked(cls.manifest())
        if len(sys.argv) > 1 or sys.stdin.isatty():
            named = "--version" in sys.argv
            used = f"{cls.about or 'A secrets backend'}\n  bot-cli cloud secrets list --backend {cls.name}"
            print(f"bot-cli-secrets-{cls.name} {cls.version}" if named else used)
            sys.exit()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        _Served(cls()).run()

    opened: Opened


_FORMS: dict[str, type] = {"name": str, "keys": list, "entries": dict, "host": str, "credentials": str}
_NEEDS = {
    "list": (),
    "organizations": (),
    "get": ("name",),
    "values": ("name",),
    "credentials": ("name",),
    "put": ("name", "entries", "prior"),
    "put_image_pull_secret": ("name", "host", "credentials", "prior"),
    "unset": ("name", "keys"),
    "delete": ("name",),
}
_ABILITIES = {"values": "values", "credentials": "values", "organizations": "organizations", "put_image_pull_secret": "image_pull_secrets"}
_CHANGES = ("put", "put_image_pull_secret", "unset", "delete")


class _Served:
    """The methods of the role, on top of a backend."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._is_open = False
        self._effect: str | None = None  # what became of the change that is under way

    def run(self) -> NoReturn:
        Server(self._serve).run()

    def _serve(self, server: Server, method: str, params: Json) -> Json:
        if method == "describe":
            return self._backend.manifest()
        role, _, name = method.partition("/")
        if role != "secrets" or name not in (*_NEEDS, "open"):
            raise Refused(-32601, "there is no such method")
        if name == "open" and str(params.get("secrets", "1.0")).split(".")[0] != "1":
            raise Refused(-32022, "this version of the methods is not supported", supported=["1.0"])
        if (name == "open") == self._is_open:
            raise Refused(-32600, "`secrets/open` must be the first request and the only one of its kind")
        self._backend.session = Session(server, params)
        self._effect = "not_done" if name in _CHANGES else None
        try:
            return self._answer(name, params)
        except Refusal as refusal:
            raise self._with_effect(refusal, refusal.effect or self._effect) from None
        except Cancelled:
            if self._effect:
                raise self._with_effect(Refusal("cancelled", "cancelled"), self._effect) from None
            raise
        except Failure as failure:
            raise self._with_effect(failure, self._effect) from None
        except Exception as error:
            if isinstance(error, Refused):
                raise
            raise self._with_effect(Refusal("internal", defect(error)), self._effect) from None

    def _with_effect(self, failure: Failure, effect: str | Json | None) -> Failure:
        if self._effect and effect:
            failure.data["effect"] = effect
            failure.exit = UNKNOWN if effect == "unknown" and failure.exit == FAILED else failure.exit
        return failure

    def _answer(self, name: str, params: Json) -> Json:
        if name == "open":
            return self._open(params)
        if not all(_fits(params, it) for it in _NEEDS[name]):
            raise Refused(-32602, "a parameter is missing or has another form")
        if name in _ABILITIES and _ABILITIES[name] not in self._backend.can:
            raise Refusal("not_supported", "this backend can't do it")
        return getattr(self, f"_{name}")(params)

    def _open(self, params: Json) -> Json:
        settings = members(params.get("settings", {}))
        if not isinstance(params.get("settings", {}), dict):
            raise Refused(-32602, "`settings` must be an object")
        required = [name.rstrip("*") for name in self._backend.settings if name.endswith("*")]
        if missing := [name for name in required if not settings.get(name)]:
            raise Refusal("invalid_setting", f"the setting `{missing[0]}` is missing")
        region = params.get("region")
        opened = self._backend.open(settings, params.get("organization"), region)
        if region and region not in [it["code"] for it in (opened.regions or {}).get("all", [])]:
            raise Refusal("not_found", "there is no such region")
        self._backend.opened, self._is_open = opened, True
        return opened.wire(self._backend.can)

    def _organizations(self, params: Json) -> Json:
        return {"organizations": [{"name": name} for name in self._backend.organizations()]}

    def _list(self, params: Json) -> Json:
        return {"sets": [{"name": name, "kind": kind.kind} for name, kind in self._backend.sets()]}

    def _get(self, params: Json) -> Json:
        found = self._backend.load(params["name"])
        keys = {"keys": list(found.values)} if isinstance(found, Secret) else {}
        return {"set": {"name": params["name"], "kind": found.kind, **keys} if found else None}

    def _values(self, params: Json) -> Json:
        found = self._backend.load(params["name"])
        return {"values": dict(found.values) if isinstance(found, Secret) else None}

    def _credentials(self, params: Json) -> Json:
        found = self._backend.load(params["name"])
        if not isinstance(found, PullSecret):
            raise Refusal("not_found", "there is no such image pull secret")
        return {"host": found.host, "credentials": found.credentials}

    def _put(self, params: Json) -> Json:
        with self._backend.locked():
            before = self._before(params, Secret)
            after = Secret({**(before.values if isinstance(before, Secret) else {}), **params["entries"]})
            self._check(params["name"], before, after)
            self._apply(Change(params["name"], before, after, params.get("region")))
        return {}

    def _put_image_pull_secret(self, params: Json) -> Json:
        with self._backend.locked():
            before = self._before(params, PullSecret)
            after = PullSecret(params["host"], params["credentials"])
            self._check(params["name"], before, after)
            self._apply(Change(params["name"], before, after, params.get("region")))
        return {}

    def _unset(self, params: Json) -> Json:
        name, keys = params["name"], params["keys"]
        with self._backend.locked():
            before = self._before(params, Secret)
            values = dict(before.values) if isinstance(before, Secret) else {}
            missing = [key for key in keys if values.pop(key, None) is None]
            if len(missing) < len(keys):
                self._apply(Change(name, before, Secret(values)))
        return {"missing": missing}

    def _delete(self, params: Json) -> Json:
        with self._backend.locked():
            before = self._backend.load(params["name"])
            prior = params.get("prior")
            keys = {*before.values} if isinstance(before, Secret) else set[str]()
            if prior is not None and before and (prior == "absent" or {*prior.get("keys", [])} != keys):
                raise Conflict("the set has changed since it was read")
            if before:
                self._apply(Change(params["name"], before, None))
        return {"deleted": before is not None}

    def _before(self, params: Json, kind: type[Stored]) -> Stored | None:
        """Returns the set to change, which must be as the client knows it."""
        before, prior = self._backend.load(params["name"]), params.get("prior")
        if before and not isinstance(before, kind):
            raise Conflict("the set is of the other kind")
        if "keys" not in params and (before is None) != (prior == "absent"):
            raise Conflict("the set was created or deleted since it was read")
        if prior is not None and kind is Secret:
            known: set[str] = set() if prior == "absent" else {*prior.get("keys", [])}
            keys = {*before.values} if isinstance(before, Secret) else set[str]()
            if any((key in known) != (key in keys) for key in params.get("keys", params.get("entries", []))):
                raise Conflict("a key was added or removed since the set was read")
        return before

    def _check(self, name: str, before: Stored | None, after: Stored) -> None:
        opened = self._backend.opened
        fits = _NAME.fullmatch(name) and opened.shortest <= len(name) <= opened.longest
        if not before and (not fits or (not opened.capitals and name != name.lower())):
            raise Refusal("invalid_name", f"a name has {opened.shortest} to {opened.longest} letters, digits and hyphens")
        values: Mapping[str, str] = after.values if isinstance(after, Secret) else {}
        sizes = [(len(value.encode()), len(key.encode())) for key, value in values.items()]
        largest, whole = max((value for value, _ in sizes), default=0), sum(value + key for value, key in sizes)
        for what, size, limit in (("a value is", largest, opened.value_bytes), ("the set is", whole, opened.set_bytes)):
            if limit is not None and size > limit:
                raise Refusal("too_large", f"{what} larger than {limit} bytes", bytes={"size": size, "limit": limit})
        if opened.keys is not None and len(values) > opened.keys:
            raise Refusal("too_large", f"the set has more than {opened.keys} keys")

    def _apply(self, change: Change) -> None:
        with self._backend.session.finish():
            self._effect = "unknown"
            self._backend.apply(change)
            self._effect = "done"


def _fits(params: Json, name: str) -> bool:
    """Returns whether a parameter is there and has its form."""
    value: Any = params.get(name)
    if name == "prior":
        return value == "absent" or isinstance(value, dict)
    texts: Iterable[Any] = members(value).values() if isinstance(value, dict) else cast("list[Any]", value) if isinstance(value, list) else ()
    return isinstance(value, _FORMS[name]) and all(isinstance(text, str) for text in texts)
