"""Stands in for libraries that are left out of the environment for their size, so that what the framework's own class
does with its arguments and settings is still checked. What such a library would do is not.
"""

from __future__ import annotations

import importlib.abc
import importlib.machinery
import importlib.util
import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from types import ModuleType
from typing import Any
from unittest.mock import MagicMock

# Extras that bring gigabytes, with the modules that the framework imports of each.
HEAVY = {"funasr": ["funasr"], "pocket-tts": ["pocket_tts", "torch"]}


class Hollow(importlib.abc.MetaPathFinder, importlib.abc.Loader):
    """Finds any module below some names, and puts something into it that takes every call."""

    def __init__(self, names: set[str]) -> None:
        self.names = names

    def find_spec(self, name: str, _path: object, _target: object = None) -> importlib.machinery.ModuleSpec | None:
        if name.partition(".")[0] in self.names:
            return importlib.machinery.ModuleSpec(name, self, is_package=True)
        return None

    def create_module(self, spec: importlib.machinery.ModuleSpec) -> ModuleType:
        return HollowModule(spec.name)

    def exec_module(self, _module: ModuleType) -> None:
        pass


class HollowModule(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return MagicMock(name=name)


@contextmanager
def libraries(names: Iterable[str]) -> Iterator[None]:
    """Makes the modules of these names hollow where they are not installed."""
    finder = Hollow({name for name in names if importlib.util.find_spec(name) is None})
    sys.meta_path.append(finder)
    try:
        yield
    finally:
        sys.meta_path.remove(finder)
