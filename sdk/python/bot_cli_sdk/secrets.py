"""Secrets backends, which store the sets of `bot-cli cloud secrets`. BACKENDS.md is the specification."""

import inspect
import re
import resource
import sys
from collections.abc import Iterable, Mapping
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, field
from typing import Any, ClassVar, NoReturn, cast

from ._build import PROTOCOL, build_if_asked
from ._server import Server
from .failure import CANCELLED, FAILED, NOT_ALLOWED, UNAVAILABLE, UNKNOWN, Cancelled, ErrorReply, Failure, Json, defect, given, members
from .session import Session

_GONE = dict.fromkeys(("unreachable", "timed_out", "unavailable"), UNAVAILABLE)
_EXITS = {"not_allowed": NOT_ALLOWED, "not_signed_in": NOT_ALLOWED, "cancelled": CANCELLED, **_GONE}
_NAME = re.compile("[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?")


class Refusal(Failure):
    """A failure with a code from BACKENDS.md. The message must not contain a secret value. `effect` is the outcome of a change."""

    def __init__(self, code: str, message: str, effect: str | Json | None = None, **more: Any) -> None:
        super().__init__(message, code=code, exit=_EXITS.get(code, FAILED), **more)
        self.effect = effect


class Conflict(Refusal):
    """The set has changed since the client read it."""

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
    """A change to a set: its state before and after, or `None` if it does not exist."""

    name: str
    before: Stored | None
    after: Stored | None


@dataclass
class Opened:
    """The result of `open`: a short description of where secrets are stored, and limits on names and sizes."""

    place: str
    organization: str | None = None
    shortest: int = 1
    longest: int = 63
    capitals: bool = True
    value_bytes: int | None = None
    set_bytes: int | None = None
    keys: int | None = None

    def wire(self, can: Iterable[str]) -> Json:
        names = {"shortest": self.shortest, "longest": self.longest, "capitals": self.capitals}
        limits = given(value_bytes=self.value_bytes, set_bytes=self.set_bytes, keys=self.keys)
        where = given(place=self.place, organization=self.organization)
        return {**where, "names": names, "limits": limits, "can": list(can)}


class Backend:
    """The base class of a backend. Subclasses define `open`, `sets`, `load` and `apply`.

    The library validates requests, checks `prior`, names and limits, and reports each change's effect: `not_done` if it fails before `apply`, and
    `unknown` if `apply` fails without an `effect`. For unexpected exceptions, it reports only the type and the line in your code.
    """

    name: ClassVar[str]
    version: ClassVar[str]
    about: ClassVar[str] = ""
    settings: ClassVar[Mapping[str, str]] = {}
    """The settings and their descriptions. A setting whose name ends with `*` is required."""
    can: ClassVar[tuple[str, ...]] = ("values", "image_pull_secrets", "organizations")
    session: Session

    def open(self, settings: Mapping[str, str], organization: str | None) -> Opened:
        """Opens the store without changing anything. Use `self.session` to ask questions."""
        raise NotImplementedError

    def sets(self) -> Iterable[tuple[str, type[Stored]]]:
        """Returns the name and kind of each set."""
        raise NotImplementedError

    def load(self, name: str) -> Stored | None:
        """Returns a set exactly as it was stored."""
        raise NotImplementedError

    def apply(self, change: Change) -> None:
        """Applies a change atomically. Cancellation does not interrupt it. If it fails, a `Refusal` can report the `effect`."""
        raise NotImplementedError

    def locked(self) -> AbstractContextManager[Any]:
        """Returns a context manager that prevents concurrent changes between `load` and `apply`."""
        return nullcontext()

    def organizations(self) -> Iterable[str]:
        """Returns the names of the user's organizations."""
        return [self.opened.organization] if self.opened.organization else []

    @classmethod
    def manifest(cls) -> Json:
        own: Json = {"protocol": PROTOCOL, "name": f"secrets-{cls.name}", "version": cls.version, "about": cls.about}
        settings = [given(name=name.rstrip("*"), about=about, required=name.endswith("*") or None) for name, about in cls.settings.items()]
        return own | given(role="secrets-backend", secrets="1.0", settings=settings)

    @classmethod
    def main(cls) -> NoReturn:
        """Serves a client, or prints a description if it is run directly."""
        build_if_asked(cls.manifest())
        if len(sys.argv) > 1 or sys.stdin.isatty():
            named = "--version" in sys.argv
            used = f"{cls.about or 'A secrets backend'}\n  bot-cli cloud secrets list --backend {cls.name}"
            print(f"bot-cli-secrets-{cls.name} {cls.version}" if named else used)
            sys.exit()
        resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
        Server(_Served(cls()).serve).run()

    opened: Opened


_FORMS = {"keys": list, "entries": dict, "settings": dict}  # containing strings; all other parameters are strings
_CHANGED = "the set has changed since it was read"
_ABILITIES = {"values": "values", "credentials": "values", "organizations": "organizations", "put_image_pull_secret": "image_pull_secrets"}


class _Served:
    """Implements the protocol methods, such as `do_put`, on top of a backend."""

    def __init__(self, backend: Backend) -> None:
        self._backend = backend
        self._is_open = False
        self._effect: str | None = None  # the current change's effect so far

    def serve(self, server: Server, method: str, params: Json) -> Json:
        if method == "describe":
            return self._backend.manifest()
        name = method.removeprefix("secrets/")
        do = getattr(self, f"do_{name}", None) if name != method else None
        if do is None:
            raise ErrorReply(-32601, "there is no such method")
        if name == "open" and str(params.get("secrets", "1.0")).split(".")[0] != "1":
            raise ErrorReply(-32022, "this version of the methods is not supported", supported=["1.0"])
        if (name == "open") == self._is_open:
            raise ErrorReply(-32600, "`secrets/open` must be the first request and the only one of its kind")
        parameters = inspect.signature(do).parameters
        values = {it: params.get(it) for it in parameters}
        if not all(_fits(it, value) or value is parameters[it].default for it, value in values.items()):
            raise ErrorReply(-32602, "a parameter is missing or has another form")
        self._backend.session = Session(server, params)
        self._effect = "not_done" if "prior" in parameters else None
        try:
            if name in _ABILITIES and _ABILITIES[name] not in self._backend.can:
                raise Refusal("not_supported", "this backend can't do it")
            return do(**values)
        except Failure as error:
            failure = error
        except ErrorReply:
            raise
        except Cancelled:
            if not self._effect:
                raise
            failure = Refusal("cancelled", "cancelled")
        except Exception as error:
            failure = Refusal("internal", defect(error))
        if self._effect:
            effect = failure.data["effect"] = (failure.effect if isinstance(failure, Refusal) else None) or self._effect
            failure.exit = UNKNOWN if effect == "unknown" and failure.exit == FAILED else failure.exit
        raise failure

    def do_open(self, settings: Json | None = None, organization: str | None = None, region: str | None = None) -> Json:
        settings = settings or {}
        required = [name.rstrip("*") for name in self._backend.settings if name.endswith("*")]
        if missing := [name for name in required if not settings.get(name)]:
            raise Refusal("invalid_setting", f"the setting `{missing[0]}` is missing")
        if region:
            raise Refusal("not_found", "this backend has no regions")
        opened = self._backend.open(settings, organization)
        self._backend.opened, self._is_open = opened, True
        return opened.wire(self._backend.can)

    def do_organizations(self) -> Json:
        return {"organizations": [{"name": name} for name in self._backend.organizations()]}

    def do_list(self) -> Json:
        return {"sets": [{"name": name, "kind": kind.kind} for name, kind in self._backend.sets()]}

    def do_get(self, name: str) -> Json:
        found = self._backend.load(name)
        keys = {"keys": list(found.values)} if isinstance(found, Secret) else {}
        return {"set": {"name": name, "kind": found.kind, **keys} if found else None}

    def do_values(self, name: str) -> Json:
        found = self._backend.load(name)
        return {"values": dict(found.values) if isinstance(found, Secret) else None}

    def do_credentials(self, name: str) -> Json:
        found = self._backend.load(name)
        if not isinstance(found, PullSecret):
            raise Refusal("not_found", "there is no such image pull secret")
        return {"host": found.host, "credentials": found.credentials}

    def do_put(self, name: str, entries: dict[str, str], prior: Any) -> Json:
        with self._backend.locked():
            before = self._before(name, Secret, prior, entries)
            self._put(Change(name, before, Secret({**_entries(before), **entries})), prior)
        return {}

    def do_put_image_pull_secret(self, name: str, host: str, credentials: str, prior: Any) -> Json:
        with self._backend.locked():
            before = self._before(name, PullSecret, prior)
            self._put(Change(name, before, PullSecret(host, credentials)), prior)
        return {}

    def do_unset(self, name: str, keys: list[str], prior: Any = None) -> Json:
        with self._backend.locked():
            before = self._before(name, Secret, prior, keys)
            values = _entries(before)
            missing = [key for key in keys if values.pop(key, None) is None]
            if len(missing) < len(keys):
                self._apply(Change(name, before, Secret(values)))
        return {"missing": missing}

    def do_delete(self, name: str, prior: Any = None) -> Json:
        with self._backend.locked():
            before = self._backend.load(name)
            if before and prior is not None and (prior == "absent" or _known(prior) != {*_entries(before)}):
                raise Conflict(_CHANGED)
            if before:
                self._apply(Change(name, before, None))
        return {"deleted": before is not None}

    def _before(self, name: str, kind: type[Stored], prior: Any, keys: Iterable[str] = ()) -> Stored | None:
        """Returns the set to change, after comparing its keys with those the client last read."""
        before = self._backend.load(name)
        if before and not isinstance(before, kind):
            raise Conflict("the set is of the other kind")
        if prior is not None and not (_known(prior) ^ {*_entries(before)}).isdisjoint(keys):
            raise Conflict(_CHANGED)
        return before

    def _put(self, change: Change, prior: Any) -> None:
        """Applies a change if `prior` and the limits permit it."""
        if (change.before is None) != (prior == "absent"):
            raise Conflict(_CHANGED)
        opened, name, values = self._backend.opened, change.name, _entries(change.after)
        fits = _NAME.fullmatch(name) and opened.shortest <= len(name) <= opened.longest
        if not change.before and (not fits or (not opened.capitals and name != name.lower())):
            raise Refusal("invalid_name", f"a name has {opened.shortest} to {opened.longest} letters, digits and hyphens")
        largest = max((len(value.encode()) for value in values.values()), default=0)
        whole = sum(len(text.encode()) for entry in values.items() for text in entry)
        for what, size, limit in (("a value is", largest, opened.value_bytes), ("the set is", whole, opened.set_bytes)):
            if limit is not None and size > limit:
                raise Refusal("too_large", f"{what} larger than {limit} bytes", bytes={"size": size, "limit": limit})
        if opened.keys is not None and len(values) > opened.keys:
            raise Refusal("too_large", f"the set has more than {opened.keys} keys")
        self._apply(change)

    def _apply(self, change: Change) -> None:
        with self._backend.session.finish():
            self._effect = "unknown"
            self._backend.apply(change)
            self._effect = "done"


def _entries(stored: Stored | None) -> dict[str, str]:
    return dict(stored.values) if isinstance(stored, Secret) else {}


def _known(prior: Any) -> set[str]:
    return {*members(prior).get("keys", [])}


def _fits(name: str, value: Any) -> bool:
    """Returns whether a parameter has the right type."""
    if name == "prior":
        return value == "absent" or isinstance(value, dict)
    texts = members(value).values() if isinstance(value, dict) else cast("list[Any]", value) if isinstance(value, list) else ()
    return isinstance(value, _FORMS.get(name, str)) and all(isinstance(text, str) for text in texts)
