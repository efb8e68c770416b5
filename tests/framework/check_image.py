"""The image of a generated project and how the hosting service runs it."""

import re
import subprocess
import tomllib
from collections.abc import Iterator
from fnmatch import fnmatch
from functools import cache

from dockerfile_parse import DockerfileParser
from packaging.specifiers import SpecifierSet

from project import Project


def image(project: Project) -> Iterator[str]:
    dockerfile = project.server / "Dockerfile"
    if not dockerfile.exists():
        return
    yield from (f"Dockerfile: {problem}" for problem in lint(dockerfile.read_text()))
    parser = DockerfileParser(path=str(dockerfile), cache_content=True)
    ignored = project.server / ".dockerignore"
    rules = ignored.read_text().split("\n") if ignored.exists() else []
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
