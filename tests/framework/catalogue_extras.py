"""What the extras of the installed framework bring, and on which Python."""

from __future__ import annotations

import re
from importlib import metadata

from packaging.requirements import Requirement

FRAMEWORK = "pipecat-ai"
OLDEST = "3.11"
PYTHONS = (OLDEST, "3.12", "3.13", "3.14")


def normal(name: str) -> str:
    """A distribution's name as package indexes compare it."""
    return re.sub(r"[-_.]+", "-", name).lower()


def provided() -> set[str]:
    """The extras that the framework's metadata names."""
    return set(metadata.metadata(FRAMEWORK).get_all("Provides-Extra") or [])


def brought(extra: str, python: str | None = None) -> set[str]:
    """The distributions that an extra asks for itself, other extras of the framework followed."""
    environment = {"extra": extra}
    if python is not None:
        environment |= {"python_version": python, "python_full_version": f"{python}.0"}
    found: set[str] = set()
    for line in metadata.requires(FRAMEWORK) or []:
        requirement = Requirement(line)
        if "extra" not in str(requirement.marker or "") or not requirement.marker.evaluate(environment):
            continue
        if normal(requirement.name) == FRAMEWORK:
            for other in requirement.extras:
                found |= brought(other, python)
        else:
            found.add(normal(requirement.name))
    return found


def oldest_python(extras: list[str]) -> str | None:
    """The oldest Python on which the extras bring all that they ever bring; none where that is the framework's own."""
    whole = {extra: set().union(*(brought(extra, python) for python in PYTHONS)) for extra in extras}
    for python in PYTHONS:
        if all(brought(extra, python) == names for extra, names in whole.items()):
            return None if python == OLDEST else python
    return PYTHONS[-1]


def installed_with(extras: list[str]) -> set[str]:
    """Every distribution that installing the framework with these extras and nothing else would install."""
    found: set[str] = set()
    queue = [(FRAMEWORK, frozenset(extras))]
    done = set()
    while queue:
        name, wanted = queue.pop()
        if (name, wanted) in done:
            continue
        done.add((name, wanted))
        found.add(normal(name))
        try:
            lines = metadata.requires(name) or []
        except metadata.PackageNotFoundError:
            continue
        for line in lines:
            requirement = Requirement(line)
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in wanted | {""}):
                queue.append((requirement.name, frozenset(requirement.extras)))
    return found
