"""Imports modules as if only the framework and the named extras were installed.

Run as a program: `catalogue_isolated.py EXTRA,… MODULE…`; prints one line for each module that does not import.
"""

from __future__ import annotations

import importlib
import importlib.abc
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from importlib import metadata

import catalogue_extras as extras


class Without(importlib.abc.MetaPathFinder):
    """Hides every installed package but those of some distributions."""

    def __init__(self, distributions: set[str]) -> None:
        self.hidden = {
            package
            for package, owners in metadata.packages_distributions().items()
            if not any(extras.normal(owner) in distributions for owner in owners)
        }

    def find_spec(self, name: str, _path: object, _target: object = None) -> None:
        if name.partition(".")[0] in self.hidden:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)


def problems(entries: list[dict]) -> list[str]:
    """The modules of `entries` that need more than their own extras; what installs the same shares an interpreter."""
    modules: dict[frozenset[str], tuple[str, set[str]]] = {}
    for entry in entries:
        named = {entry["module"], *entry.get("imports", {})}
        wanted = entry.get("extras", [])
        modules.setdefault(frozenset(extras.installed_with(wanted)), (",".join(wanted), set()))[1].update(named)

    def run(item: tuple[str, set[str]]) -> list[str]:
        command = [sys.executable, __file__, item[0], *sorted(item[1])]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        return done.stdout.splitlines() or (done.stderr.splitlines()[-1:] if done.returncode else [])

    with ThreadPoolExecutor(max_workers=2) as pool:
        return [line for lines in pool.map(run, modules.values()) for line in lines]


def main() -> None:
    wanted = [extra for extra in sys.argv[1].split(",") if extra]
    sys.meta_path.insert(0, Without(extras.installed_with(wanted)))
    for module in sys.argv[2:]:
        try:
            importlib.import_module(module)
        except Exception as error:
            print(f"{module}: does not import with the extras [{', '.join(wanted)}] alone: {error}")


if __name__ == "__main__":
    main()
