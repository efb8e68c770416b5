#!/usr/bin/env python3
"""A secrets backend that stores each set in the password store `pass`, as the entry `bot-cli/ORGANIZATION/NAME`.

`pass show bot-cli/default/prod` shows a set as JSON. The entries of image pull secrets end with `.registry`, so that listing needs no key.
"""

import contextlib
import fcntl
import json
import os
import re
import subprocess
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import Any, cast

from bot_cli_sdk import Backend, Change, Opened, PullSecret, Refusal, Secret, Stored

NAME = re.compile("[A-Za-z0-9]([A-Za-z0-9-]{0,61}[A-Za-z0-9])?")
LOCKED = re.compile("no secret key|pinentry|passphrase|inappropriate ioctl|cancelled|timeout", re.IGNORECASE)
REGISTRY = ".registry"


class Pass(Backend):
    name = "pass"
    version = "0.1.0"
    about = "Keeps sets in the password store of pass"
    settings = {
        "store": "Folder of the password store (default: PASSWORD_STORE_DIR, or ~/.password-store)",
        "gnupg": "Folder of GnuPG's keys (default: GNUPGHOME, or ~/.gnupg)",
    }

    def open(self, settings: Mapping[str, str], organization: str | None) -> Opened:
        organization = organization or "default"
        if not NAME.fullmatch(organization):
            raise Refusal("not_found", "an organization has a name of 1 to 63 letters, digits and hyphens")
        store = settings.get("store") or os.environ.get("PASSWORD_STORE_DIR") or "~/.password-store"
        self.store = Path(os.path.expanduser(store)).absolute()
        self.folder = self.store / "bot-cli" / organization
        self.environment = {**os.environ, "PASSWORD_STORE_DIR": str(self.store), "LC_ALL": "C.UTF-8"}
        self.environment.pop("GPG_TTY", None)  # The terminal belongs to the host.
        if "gnupg" in settings:
            self.environment["GNUPGHOME"] = os.path.abspath(os.path.expanduser(settings["gnupg"]))
        if not (self.store / ".gpg-id").is_file():
            raise Refusal("no_place", f"there is no password store in `{self.store}`", hints=["pass init YOUR-KEY"])
        return Opened(f"the password store in {self.store}", organization)

    def organizations(self) -> list[str]:
        found = {path.name for path in self.folder.parent.glob("*") if path.is_dir() and NAME.fullmatch(path.name)}
        return sorted(found | {self.folder.name})

    def sets(self) -> Iterator[tuple[str, type[Stored]]]:
        for path in sorted(self.folder.glob("*.gpg")):
            name = path.stem.removesuffix(REGISTRY)
            if NAME.fullmatch(name):
                yield name, PullSecret if path.stem.endswith(REGISTRY) else Secret

    def load(self, name: str) -> Stored | None:
        for kind in (Secret, PullSecret):
            if NAME.fullmatch(name) and self.file(name, kind).exists():
                return self.read(name, kind)
        return None

    def apply(self, change: Change) -> None:
        present = change.before or change.after
        assert present
        file = self.file(change.name, type(present))
        before = file.read_bytes() if file.exists() else None
        if change.after is None:
            ran = self.run("rm", "--force", self.entry(file))
        else:
            ran = self.run("insert", "--multiline", "--force", self.entry(file), text=encoded(change.after))
        after = file.read_bytes() if file.exists() else None
        if ran.returncode and after == before:
            raise Refusal(*reason(ran), effect="not_done")
        # Only the commit may have failed, or the file may be truncated. If the entry can be read, it was stored.
        if ran.returncode and (None if after is None else self.read(change.name, type(present))) != change.after:
            raise Refusal(*reason(ran), effect="unknown")

    @contextlib.contextmanager
    def locked(self) -> Generator[None, None, None]:
        """Locks the store's folder against other processes of this backend. `pass` itself has no lock."""
        descriptor = os.open(self.store, os.O_RDONLY)
        try:
            fcntl.flock(descriptor, fcntl.LOCK_EX)
            yield
        finally:
            os.close(descriptor)

    def file(self, name: str, kind: type[Stored]) -> Path:
        return self.folder / f"{name}{REGISTRY if kind is PullSecret else ''}.gpg"

    def entry(self, file: Path) -> str:
        return str(file.relative_to(self.store)).removesuffix(".gpg")

    def read(self, name: str, kind: type[Stored]) -> Stored:
        entry = self.entry(self.file(name, kind))
        ran = self.run("show", entry)
        if ran.returncode:
            code, message = reason(ran)
            raise Refusal(code, message, hints=[f"pass show {entry}"] if code == "not_signed_in" else [])
        try:
            return decoded(ran.stdout, kind)
        except (ValueError, KeyError, TypeError):
            raise Refusal("foreign", f"the entry `{entry}` was not written by this backend") from None

    def run(self, *words: str, text: str = "") -> subprocess.CompletedProcess[bytes]:
        """Runs `pass`. Values pass through its standard input and output, never through its arguments or environment."""
        try:
            return subprocess.run(["pass", *words], input=text.encode(), capture_output=True, env=self.environment, check=False)
        except FileNotFoundError:
            raise Refusal("unavailable", "`pass` is not on PATH", "not_done", hints=["apt install pass"]) from None


def encoded(stored: Stored) -> str:
    members = {"values": dict(stored.values)} if isinstance(stored, Secret) else {"host": stored.host, "credentials": stored.credentials}
    return json.dumps({"kind": stored.kind, **members}, indent=1) + "\n"


def decoded(document: bytes, kind: type[Stored]) -> Stored:
    members: Any = json.loads(document)
    if members["kind"] != kind.kind:
        raise ValueError
    if kind is PullSecret:
        return PullSecret(str(members["host"]), str(members["credentials"]))
    return Secret({str(key): str(value) for key, value in cast("dict[Any, Any]", members["values"]).items()})


def reason(ran: subprocess.CompletedProcess[bytes]) -> tuple[str, str]:
    """Returns the code and message of a failure. It does not quote GnuPG's output, which could contain a value."""
    said = ran.stderr.decode(errors="replace")
    if LOCKED.search(said):
        return "not_signed_in", "the key of the password store is locked or is not there"
    if "encryption failed" in said or "encryption aborted" in said:
        return "refused", "GnuPG can't encrypt for the keys in `.gpg-id`"
    return "unavailable", f"`pass` failed with status {ran.returncode}"


if __name__ == "__main__":
    Pass.main()
