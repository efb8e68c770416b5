#!/usr/bin/env python3
"""Fails every system call of every change of the vault in turn, and kills the process at each, with strace.

    vault_faults.py target/debug/bot-cli-cloud [EVERY]

EVERY leaves out all but one of so many faults; without it, every call is failed in every way.
After each fault the vault must be as before or as after the change, and the sentence of the failure must say which.
"""

import collections
import itertools
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

CALLS = "openat read write fsync fdatasync renameat rename unlink flock mkdir statx fcntl".split()
FAULTS = {"EIO": "error=EIO", "ENOSPC": "error=ENOSPC", "KILL": "signal=KILL"}

binary = os.path.abspath(sys.argv[1])
every = int((sys.argv[2:3] or [1])[0])
root = tempfile.mkdtemp(prefix="vault-faults-")
folder = os.path.join(root, "data/bot-cli/vault")
environment = {
    "HOME": root,
    "XDG_DATA_HOME": os.path.join(root, "data"),
    "PATH": "/usr/bin:/bin",
    "BOT_CLI_KEYRING": "off",
    "BOT_CLI_BACKEND": "local",
}


def run(*words, before=()):
    command = [*before, binary, *words]
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=root)


def state():
    """Everything that can be seen; an error is part of it."""
    listed = run("--json", "secrets", "list")
    if listed.returncode != 0:
        return listed.stdout
    names = [found["name"] for found in json.loads(listed.stdout)["sets"]]
    values = [run("secrets", "run", name, "--", "env", "-0").stdout for name in names]
    keep = [[v for v in text.split("\0") if v[:2] in ("A=", "B=", "C=")] for text in values]
    return list(zip(names, map(sorted, keep)))


def origin(kind):
    shutil.rmtree(os.path.join(root, "data"), ignore_errors=True)
    if kind == "filled":
        run("secrets", "set", "prod", "A=1", "B=2", "-s")
        run("secrets", "set", "test", "C=3", "-s")
    kept = os.path.join(root, f"origin {kind}")
    if os.path.exists(os.path.join(root, "data")):
        shutil.copytree(os.path.join(root, "data"), kept)
    return kept


def reset(kept):
    shutil.rmtree(os.path.join(root, "data"), ignore_errors=True)
    if os.path.exists(kept):
        shutil.copytree(kept, os.path.join(root, "data"))


def watch(words, calls, *more):
    """The change under strace, and what strace saw."""
    log = os.path.join(root, "log")
    options = [word for option in (f"trace={calls}", *more) for word in ("-e", option)]
    done = run(*words, before=["strace", "-f", "-qq", "-o", log, *options])
    with open(log, errors="replace") as file:
        return done, file.read()


def points(kept, words):
    """Where a change can be disturbed: each call that it makes, in each way."""
    reset(kept)
    _, traced = watch(words, ",".join(CALLS))
    made = collections.Counter(re.findall(r"^\d+ +(\w+)\(", traced, re.MULTILINE))
    for call in CALLS:
        for number in range(1, made[call] + 1):
            for fault in FAULTS:
                yield call, number, fault


kinds = {kind: origin(kind) for kind in ["empty", "filled"]}
with open(os.path.join(root, "passphrase"), "w") as file:
    file.write("correct horse battery")
reset(kinds["filled"])
run("vault", "backup", "copy", "--passphrase-file", "passphrase")
CHANGES = {
    "set": ["secrets", "set", "prod", "A=9", "-s"],
    "delete": ["secrets", "delete", "prod", "-s"],
    "rekey": ["vault", "rekey"],
    "restore": ["vault", "restore", "copy", "--passphrase-file", "passphrase", "--skip"],
}
total, wrong, said = 0, [], {}
for kind, kept in kinds.items():
    for change, words in CHANGES.items():
        if kind == "empty" and change in ("delete", "rekey"):
            continue
        reset(kept)
        before = state()
        assert run(*words).returncode == 0, (kind, change)
        after = state()
        for call, number, fault in itertools.islice(points(kept, words), 0, None, every):
            reset(kept)
            done, traced = watch(words, call, f"inject={call}:{FAULTS[fault]}:when={number}")
            # A run makes now and then a call less than another.
            if "INJECTED" not in traced and "SIGKILL" not in traced:
                continue
            total += 1
            found = state()
            where = (kind, change, call, fault, number, done.returncode, done.stderr[-300:], found)
            claims = [c for c in ("nothing has changed", "the change is in place") if c in done.stderr]
            claim = "done" if done.returncode == 0 else (claims or ["no claim"])[0]
            if "its result could not be written" in done.stderr:
                claim = "done, and not shown"
            if fault == "KILL" and done.returncode != 0:
                claim = "killed"
            said[claim] = said.get(claim, 0) + 1
            right = {
                "done": [after],
                "done, and not shown": [after],
                "nothing has changed": [before],
                "the change is in place": [after],
                "no claim": [before],
                "killed": [before, after],
            }[claim]
            if found not in right:
                wrong.append(where)
                print("WRONG", *where, sep="\n  ", flush=True)
            # The next change works, and leaves nothing of this one.
            again = run("secrets", "set", "next", "A=1", "-s")
            left = [n for n in os.listdir(folder) if n not in ("vault.age", "vault.key", "vault.lock")]
            if again.returncode != 0 or left:
                wrong.append(where)
                print("AFTERWARDS", again.stderr, left, *where, sep="\n  ", flush=True)
        print(f"{kind}, {change}: {total} faults so far, {len(wrong)} wrong", flush=True)
print(f"{total} faults, {len(wrong)} wrong outcomes: {said}")
shutil.rmtree(root)
sys.exit(bool(wrong))
