#!/usr/bin/env python3
# @MANIFEST@{"protocol":"1.0","name":"@NAME@","version":"0.1.0","about":"Keeps secret sets in a file of this user, not encrypted","role":"secrets-backend","secrets":"1.0","settings":[{"name":"file","about":"File that keeps the sets (default: ~/.local/share/@NAME@/sets.json)"}]}
#
# The line above is all that a listing reads. Keep it in step with `Store`.
"""A secrets backend: `bot-cli cloud secrets list --backend @SHORT@` works through it.

It keeps all sets in one JSON file that only this user can read. **The file is not encrypted**: whoever can read it, or a
backup of it, has every value. Replace `Store` by what keeps your secrets; the rest is the protocol.
"""

import contextlib
import fcntl
import json
import os
import re
import signal
import sys
import tempfile
from pathlib import Path

NAME = "@NAME@"
VERSION = "0.1.0"
HELP = f"""A secrets backend of bot-cli. It is not started by hand:
  bot-cli cloud secrets list --backend {NAME.removeprefix("secrets-")}
"""
LONGEST_VALUE = 64 * 1024
STATUS = {"unavailable": 7}  # The exit status of a command that fails for this reason; 1 for the others.
NAMES = re.compile("[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?")


class Failure(Exception):
    """Ends a request with a code that BACKENDS.md has, and with words that have no value in them."""

    def __init__(self, code, message):
        super().__init__(message)
        self.code = code


class Store:
    """The sets of one organization, in a file that other processes change, too."""

    def __init__(self, path, organization):
        self.path, self.organization = Path(os.path.realpath(path)), organization
        self.effect = None  # What became of the change that is under way.

    def sets(self):
        return self.read()["organizations"].get(self.organization, {})

    @contextlib.contextmanager
    def change(self):
        """The sets, which are written when the block ends without a failure: whole, or not at all."""
        self.effect = "not_done"
        self.path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        with open(f"{self.path}.lock", "w", opener=private) as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            content = self.read()
            sets = content["organizations"].setdefault(self.organization, {})
            before = json.dumps(content)
            yield sets
            if json.dumps(content) != before:
                self.write(json.dumps(content, indent=1).encode())

    def read(self):
        """What cannot be read is a failure and never an empty store: a change would delete what is there."""
        try:
            content = json.loads(self.path.read_bytes())
        except FileNotFoundError:
            return {"version": 1, "organizations": {}}
        except ValueError:
            raise Failure("unavailable", f"`{self.path}` is damaged") from None
        if not isinstance(content, dict) or content.get("version") != 1:
            raise Failure("unavailable", f"`{self.path}` was not written by this version")
        return content

    def write(self, content):
        # Beside the file, so that renaming it does not copy it; mkstemp gives it the mode 0600.
        descriptor, draft = tempfile.mkstemp(prefix=f".{self.path.name}.", dir=self.path.parent)
        try:
            with open(descriptor, "wb") as file:
                file.write(content)
                file.flush()
                os.fsync(file.fileno())
            os.replace(draft, self.path)
        except BaseException:
            with contextlib.suppress(OSError):
                os.unlink(draft)
            raise
        # It is there now, and not yet sure to survive a loss of power.
        self.effect = "unknown"
        folder = os.open(self.path.parent, os.O_RDONLY)
        try:
            os.fsync(folder)
        finally:
            os.close(folder)
        self.effect = "done"


def private(path, flags):
    return os.open(path, flags, 0o600)


class Backend:
    """One method for each request; `serve` calls it with the parameters."""

    def __init__(self):
        self.store = None

    def open(self, params):
        if params.get("region"):
            raise Failure("not_found", "this backend has no regions")
        settings = params.get("settings") or {}
        data = os.environ.get("XDG_DATA_HOME") or os.path.expanduser("~/.local/share")
        path = settings.get("file") or os.path.join(data, NAME, "sets.json")
        organization = params.get("organization") or "default"
        self.store = Store(os.path.expanduser(path), organization)
        return {
            "organization": organization,
            "place": f"{self.store.path}, not encrypted",
            "names": {"shortest": 1, "longest": 63, "capitals": True},
            "limits": {"value_bytes": LONGEST_VALUE},
            "can": ["values", "image_pull_secrets", "organizations"],
        }

    def organizations(self, params):
        names = {*self.store.read()["organizations"], self.store.organization}
        return {"organizations": [{"name": name} for name in sorted(names)]}

    def list(self, params):
        return {"sets": [shown(name, kept) for name, kept in sorted(self.store.sets().items())]}

    def get(self, params):
        kept = self.store.sets().get(params["name"])
        if kept is None:
            return {"set": None}
        keys = {"keys": sorted(kept["entries"])} if "entries" in kept else {}
        return {"set": shown(params["name"], kept) | keys}

    def values(self, params):
        kept = self.store.sets().get(params["name"]) or {}
        return {"values": kept.get("entries")}

    def credentials(self, params):
        kept = self.store.sets().get(params["name"]) or {}
        if "host" not in kept:
            raise Failure("not_found", "there is no such image pull secret")
        return {"host": kept["host"], "credentials": kept["credentials"]}

    def put(self, params):
        with self.store.change() as sets:
            kept = prior(sets, params, "entries")
            kept.setdefault("entries", {}).update(params["entries"])
            if any(len(value.encode()) > LONGEST_VALUE for value in params["entries"].values()):
                raise Failure("too_large", f"a value has at most {LONGEST_VALUE} bytes")
        return {}

    def put_image_pull_secret(self, params):
        with self.store.change() as sets:
            kept = prior(sets, params, "host")
            kept.update(host=params["host"], credentials=params["credentials"])
        return {}

    def unset(self, params):
        with self.store.change() as sets:
            kept = sets.get(params["name"], {"entries": {}})
            if "entries" not in kept:
                raise Failure("conflict", "an image pull secret has no keys")
            entries = kept["entries"]
            missing = [key for key in params["keys"] if entries.pop(key, None) is None]
        return {"missing": missing}

    def delete(self, params):
        with self.store.change() as sets:
            deleted = sets.pop(params["name"], None) is not None
        return {"deleted": deleted}


def shown(name, kept):
    kind = "secret" if "entries" in kept else "image_pull_secret"
    return {"name": name, "kind": kind, "status": "ready"}


def prior(sets, params, kind):
    """The set to change, if it is still there as the user was told, or a new one."""
    name = params["name"]
    if not NAMES.fullmatch(name):
        raise Failure("invalid_name", "a name has letters, digits and hyphens, 63 at most")
    if (name in sets) == (params["prior"] == "absent"):
        raise Failure("conflict", "the set was made or removed in the meantime")
    if name in sets and kind not in sets[name]:
        raise Failure("conflict", "the set is of the other kind")
    return sets.setdefault(name, {})


METHODS = {
    "secrets/open": Backend.open,
    "secrets/organizations": Backend.organizations,
    "secrets/list": Backend.list,
    "secrets/get": Backend.get,
    "secrets/values": Backend.values,
    "secrets/credentials": Backend.credentials,
    "secrets/put": Backend.put,
    "secrets/put_image_pull_secret": Backend.put_image_pull_secret,
    "secrets/unset": Backend.unset,
    "secrets/delete": Backend.delete,
}


FORMS = {"name": str, "keys": list, "entries": dict, "host": str, "credentials": str, "settings": dict}


# --- From here on: the protocol. ---


SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Refused(Exception):
    """A line or a request that the protocol does not allow, with its code and the reason."""


class Told(Exception):
    """A signal told the backend to end."""


def serve(requests, replies):
    backend = Backend()
    while line := read(requests):
        if not line.strip():
            continue
        try:
            message = decoded(line)
        except Refused as why:
            send(replies, id=None, error=error(*why.args))
            continue
        if "method" in message and message.get("id") is not None:
            send(replies, id=message["id"], **reply(backend, message))


def read(requests):
    """The next line. Only here a signal ends the backend: a request that was read is carried out and answered."""
    signal.pthread_sigmask(signal.SIG_UNBLOCK, SIGNALS)
    line = requests.readline()
    signal.pthread_sigmask(signal.SIG_BLOCK, SIGNALS)
    return line


def reply(backend, request):
    params = request.get("params") or {}
    try:
        return {"result": served(backend, request["method"], params)}
    except Refused as why:
        return {"error": error(*why.args)}
    except Failure as failure:
        return {"error": failed(backend, failure.code, str(failure))}
    except OSError as cause:
        return {"error": failed(backend, "unavailable", f"`{cause.filename}`: {cause.strerror}")}
    except (AttributeError, KeyError, TypeError, ValueError):
        # Its words could have a value in them.
        return {"error": error(-32602, "a parameter is missing or has another form")}


def served(backend, method, params):
    for version in (params.get("protocol", "1.0"), params.get("secrets", "1.0")):
        if str(version).split(".")[0] != "1":
            raise Refused(-32022, "the version is not supported", {"supported": ["1.0"]})
    if method not in METHODS:
        raise Refused(-32601, "there is no such method")
    if (method == "secrets/open") == bool(backend.store):
        raise Refused(-32600, "`secrets/open` comes first, and once")
    for name, form in FORMS.items():
        if name in params and not isinstance(params[name], form):
            raise TypeError(name)
    if not all(isinstance(value, str) for value in params.get("entries", {}).values()):
        raise TypeError("entries")
    if backend.store:
        backend.store.effect = None
    return METHODS[method](backend, params)


def failed(backend, code, message):
    data = {"code": code}
    if backend.store and backend.store.effect:
        data["effect"] = backend.store.effect
    return error(STATUS.get(code, 1), message, data)


def error(code, message, data=None):
    return {"code": code, "message": message, "data": data or {}}


def send(replies, **message):
    replies.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    replies.flush()


def decoded(line):
    try:
        message = json.loads(line.decode())
    except (ValueError, RecursionError):
        raise Refused(-32700, "the line is not JSON in UTF-8") from None
    if not isinstance(message, dict) or message.get("jsonrpc") != "2.0":
        raise Refused(-32600, "the line is not a message")
    if not isinstance(message.get("method", ""), str) or not {"method", "result", "error"} & {*message}:
        raise Refused(-32600, "the line is not a message")
    if isinstance(message.get("id", 0), bool) or not isinstance(message.get("id", 0), int | str | None):
        raise Refused(-32600, "the line is not a message")
    if "params" in message and not isinstance(message["params"], dict | None):
        raise Refused(-32600, "the line is not a message")
    return message


def told(number, frame):
    raise Told(number)


def main():
    if len(sys.argv) > 1 or sys.stdin.isatty():
        print(f"bot-cli-{NAME} {VERSION}\n" if "--version" in sys.argv else HELP, end="")
        sys.exit()
    # A stray print reaches standard error and not the host.
    replies = os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)
    for number in SIGNALS:
        signal.signal(number, told)
    try:
        serve(sys.stdin.buffer, replies)
    except BrokenPipeError:
        os._exit(1)  # the host is gone
    except Told as told_by:
        os._exit(128 + told_by.args[0])


if __name__ == "__main__":
    main()
