#!/usr/bin/env python3
"""A secrets backend: `bot-cli cloud secrets list --backend @SHORT@` works through it.

It keeps all sets in one JSON file that only this user can read. **The file is not encrypted**: anyone who can read it, or a backup of it, can
read every value. Replace `read` and `write` with your own storage. After a change, `./plugin.py --build` writes the executable
`bot-cli-@NAME@`.
"""

import contextlib
import fcntl
import json
import os
import tempfile
from collections.abc import Generator, Iterator, Mapping
from pathlib import Path
from typing import Any

from bot_cli_sdk import Backend, Change, Opened, PullSecret, Refusal, Secret, Stored

Sets = dict[str, dict[str, Any]]


class FileBackend(Backend):
    name = "@SHORT@"
    version = "0.1.0"
    about = "Keeps secret sets in a file of this user, not encrypted"
    settings = {"file": "File that keeps the sets (default: ~/.local/share/@NAME@/sets.json)"}

    def open(self, settings: Mapping[str, str], organization: str | None) -> Opened:
        self.organization = organization or "default"
        data = os.environ.get("XDG_DATA_HOME") or "~/.local/share"
        file = settings.get("file") or f"{data}/@NAME@/sets.json"
        self.file = Path(os.path.realpath(os.path.expanduser(file)))
        return Opened(f"{self.file}, not encrypted", self.organization, value_bytes=64 * 1024)

    def organizations(self) -> list[str]:
        return sorted({*self.read(), self.organization})

    def sets(self) -> Iterator[tuple[str, type[Stored]]]:
        for name, kept in self.read().get(self.organization, {}).items():
            yield name, PullSecret if "host" in kept else Secret

    def load(self, name: str) -> Stored | None:
        kept = self.read().get(self.organization, {}).get(name)
        return None if kept is None else PullSecret(**kept) if "host" in kept else Secret(kept["values"])

    def apply(self, change: Change) -> None:
        everything = self.read()
        sets = everything.setdefault(self.organization, {})
        if isinstance(change.after, Secret):
            sets[change.name] = {"values": dict(change.after.values)}
        elif change.after:
            sets[change.name] = {"host": change.after.host, "credentials": change.after.credentials}
        else:
            del sets[change.name]
        self.write(everything)

    @contextlib.contextmanager
    def locked(self) -> Generator[None, None, None]:
        with self.failing():
            self.file.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            lock = os.open(f"{self.file}.lock", os.O_CREAT | os.O_RDWR, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_EX)
            yield
        finally:
            os.close(lock)

    def read(self) -> dict[str, Sets]:
        """Returns the sets by organization. An unreadable file is not treated as empty, because a change would then delete its sets."""
        with self.failing():
            return json.loads(self.file.read_bytes()) if self.file.exists() else {}

    def write(self, everything: dict[str, Sets]) -> None:
        """Replaces the file in one step."""
        with self.failing():
            descriptor, draft = tempfile.mkstemp(prefix=".", dir=self.file.parent)  # with the mode 0600
            try:
                with open(descriptor, "w", encoding="utf-8") as file:
                    json.dump(everything, file, indent=1)
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(draft, self.file)
            except BaseException:
                os.unlink(draft)
                raise

    @contextlib.contextmanager
    def failing(self) -> Generator[None, None, None]:
        try:
            yield
        except (OSError, ValueError):
            raise Refusal("unavailable", f"`{self.file}` can't be read or written", "not_done") from None


if __name__ == "__main__":
    FileBackend.main()
