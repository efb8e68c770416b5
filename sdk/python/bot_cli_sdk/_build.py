"""Builds one executable from a plugin's source and this library: a line with the manifest, followed by a zip archive that Python runs."""

import json
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

LIBRARY = Path(__file__).parent
# Split in two: a file that contains the whole marker would be mistaken for a plugin.
MARKER = "bot-cli-plugin" + ": "
PROTOCOL = "1.0"


def build_if_asked(manifest: dict[str, Any]) -> None:
    """Handles `python3 plugin.py --build`: writes `bot-cli-NAME` next to the source, and exits.

    The executable contains the modules and packages in that folder, except tests. The build is reproducible.
    """
    source = Path(sys.argv[0])
    if sys.argv[1:] != ["--build"] or source.suffix != ".py":
        return
    import io  # noqa: PLC0415
    import zipfile  # noqa: PLC0415 - not needed at run time

    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as opened:
        for name, path in sorted({**dict(_modules(source)), "__main__.py": source}.items()):
            opened.writestr(zipfile.ZipInfo(name), path.read_bytes(), zipfile.ZIP_DEFLATED)
    line = json.dumps(manifest, separators=(",", ":"), ensure_ascii=False)
    target = source.resolve().with_name(f"bot-cli-{manifest['name']}")
    draft = target.with_name(f".{target.name}.{os.getpid()}")
    draft.write_bytes(f"#!/usr/bin/env python3\n# {MARKER}{line}\n".encode() + archive.getvalue())
    draft.chmod(0o755)
    draft.replace(target)
    print(f"Created {os.path.relpath(target)}")
    sys.exit()


def _modules(source: Path) -> Iterator[tuple[str, Path]]:
    folder = source.resolve().parent
    packages = [init.parent for init in folder.glob("*/__init__.py") if init.parent.name not in ("tests", LIBRARY.name)]
    for package in [LIBRARY, *packages]:
        for path in package.rglob("*.py"):
            yield str(path.relative_to(package.parent)), path
    for path in folder.glob("*.py"):
        if path.name != source.name and not path.name.startswith(("test", "setup")):
            yield path.name, path
