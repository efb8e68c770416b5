"""Provider packs whose services are computed. `bot-cli` reads the executable's manifest and never starts it."""

import sys
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from ._build import PROTOCOL, build_if_asked
from .failure import given


@dataclass
class Pack:
    """Services for new projects. PACKS.md documents the keys of `providers`. `framework` is a `pipecat-ai` version range, such as `>=1.14,<2`."""

    name: str
    version: str
    providers: Sequence[dict[str, Any]]
    about: str = ""
    framework: str | None = None
    catalogue: str = "1.0"

    def manifest(self) -> dict[str, Any]:
        own = {"protocol": PROTOCOL, "name": f"pack-{self.name}", "version": self.version, "about": self.about}
        return given(**own, role="provider-pack", catalogue=self.catalogue, providers=list(self.providers), framework=self.framework)

    def main(self) -> NoReturn:
        """Builds the executable if `--build` is given; otherwise prints the pack's name and version."""
        build_if_asked(self.manifest())
        print(f"The provider pack {self.name} {self.version}, used by bot-cli init")
        sys.exit()
