"""The image of a generated project and how the hosting service runs it."""

import io
import re
import shutil
import subprocess
import tarfile
import tempfile
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache
from pathlib import Path

from dockerfile_parse import DockerfileParser
from packaging.specifiers import SpecifierSet
from pipecatcloud._utils.build_utils import create_deterministic_tarball, get_exclusions

from project import Project


def image(project: Project) -> Iterator[str]:
    dockerfile = project.server / "Dockerfile"
    if not dockerfile.exists():
        return
    yield from (f"Dockerfile: {problem}" for problem in lint(dockerfile.read_text()))
    parser = DockerfileParser(path=str(dockerfile), cache_content=True)
    ignored = project.server / ".dockerignore"
    rules = ignored.read_text().split("\n") if ignored.exists() else []
    sent = context(project.server)
    for needed in ("Dockerfile", "bot.py", "pyproject.toml"):
        if needed not in sent:
            yield f".dockerignore: keeps `{needed}` from the hosting service, which builds the image"
    for base in parser.parent_images:
        if ":" not in base.rsplit("/", 1)[-1] and "@" not in base:
            yield f"Dockerfile: the base image `{base}` is not pinned"
        python = base.rsplit("-py", 1)[-1]
        if not SpecifierSet(project.pyproject["project"]["requires-python"]).contains(python):
            yield f"Dockerfile: the base image `{base}` has a Python that pyproject.toml refuses"
        if python != (project.server / ".python-version").read_text().strip():
            yield f"Dockerfile: the base image `{base}` has another Python than `.python-version`"
    for instruction in parser.structure:
        words = instruction["value"].split()
        sources = []
        if instruction["instruction"] in {"COPY", "ADD"} and not any(word.startswith("--from=") for word in words):
            sources = [word for word in words[:-1] if not word.startswith("--")]
        sources += re.findall(r"--mount=type=bind,(?:[^ ]*,)?source=([^ ,]+)", instruction["value"])
        for source in sources:
            if not list(project.server.glob(source)) and "*" not in source:
                yield f"Dockerfile: `{source}` is copied and does not exist"
            if kept_out(source.rstrip("*"), rules):
                yield f"Dockerfile: `{source}` is copied, but .dockerignore keeps it out"


def deployment(project: Project) -> Iterator[str]:
    deploy = project.server / "cloud-deploy.toml"
    if not deploy.exists():
        return
    settings = tomllib.loads(deploy.read_text())
    for key in ("agent_name", "secret_set"):
        if not re.fullmatch(r"[a-z0-9]([a-z0-9-]{1,61})[a-z0-9]", settings.get(key, "")):
            yield f"cloud-deploy.toml: {key} is no name that the service takes: {settings.get(key)!r}"
    video = project.made["config"]["video_input"] or project.made["config"]["video_output"]
    profile = "agent-2x" if video else "agent-1x"
    if settings.get("agent_profile") != profile:
        yield f"cloud-deploy.toml: the profile is {settings.get('agent_profile')!r}, this bot needs {profile!r}"
    telephone = any(transport["bot_type"] == "telephony" for transport in project.transports())
    filter_name = settings.get("krisp_viva", {}).get("audio_filter")
    if filter_name and filter_name != ("tel" if telephone else "pro"):
        yield f"cloud-deploy.toml: the noise filter {filter_name!r} is for other calls than this bot's"
    if "region" not in deploy.read_text():
        yield "cloud-deploy.toml: says nothing about the region"


def context(server: Path) -> dict[str, bytes]:
    """The files that the hosting service's own client would send to be built."""
    packed = create_deterministic_tarball(str(server), get_exclusions(server))
    with tarfile.open(fileobj=io.BytesIO(packed.tarball)) as files:
        return {member.name: files.extractfile(member).read() for member in files.getmembers()}


def lay_out(server: Path, image: Path) -> None:
    """Puts the files into `image` that the working directory of the bot's image would have."""
    with tempfile.TemporaryDirectory() as folder:
        for name, content in context(server).items():
            file = Path(folder, name)
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_bytes(content)
        for instruction in DockerfileParser(path=f"{folder}/Dockerfile").structure:
            if instruction["instruction"] != "COPY":
                continue
            *sources, target = (word for word in instruction["value"].split() if not word.startswith("--"))
            for source in sources:
                for found in Path(folder).glob(source):
                    if found.is_dir():
                        shutil.copytree(found, image / target, dirs_exist_ok=True)
                    else:
                        shutil.copy(found, image / target)


def kept_out(source: str, rules: list[str]) -> bool:
    verdict = False
    for rule in rules:
        if rule and not rule.startswith("#") and fnmatch(source.removeprefix("./"), rule.removeprefix("!").strip("/")):
            verdict = not rule.startswith("!")
    return verdict


@cache
def lint(dockerfile: str) -> list[str]:
    """What the linter says of a text; most projects have the same one."""
    done = subprocess.run(
        ["hadolint", "--no-color", "-"], input=dockerfile, capture_output=True, text=True, check=False
    )
    return (done.stdout + done.stderr).splitlines()
