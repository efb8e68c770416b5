"""Opens a session with every generated bot, with nobody at the other end: `hold_sessions.py TREE`.

A bot's own code runs with dummy keys up to the point where the conversation would begin: it reads its settings, makes
every transport it offers, its services, the pipeline and the observers. Each bot does so three times: with its optional
settings unset, on every transport; then with them empty, and spelled out as `.env.example` shows them, on one.
"""

import asyncio
import json
import os
import sys
import tempfile
import traceback
import warnings
from pathlib import Path
from typing import Any

from fastapi import WebSocket
from loguru import logger
from pipecat.pipeline.pipeline import Pipeline
from pipecat.pipeline.worker import PipelineParams, PipelineWorker
from pipecat.processors.frame_processor import FrameProcessor
from pipecat.runner.types import (
    DailyRunnerArguments,
    LiveKitRunnerArguments,
    MOQRunnerArguments,
    RunnerArguments,
    SmallWebRTCRunnerArguments,
    VonageRunnerArguments,
    WebSocketRunnerArguments,
)
from pipecat.services.ai_service import AIService
from pipecat.services.settings import ServiceSettings
from pipecat.transports.base_transport import TransportParams
from pipecat.transports.smallwebrtc.connection import SmallWebRTCConnection
from pipecat.utils.types import is_given
from pipecat.workers.runner import WorkerRunner
from starlette.websockets import WebSocketState

import catalogue_hollow as hollow
from catalogue_build import write_google_credentials
from project import Project, loaded, projects, report
from stand_in_carrier import CARRIERS
from stand_in_carrier import RATE as TELEPHONE_RATE

# Constructors that load a model, which is downloaded the first time.
SECONDS = 60


def main() -> int:
    logger.remove()
    with tempfile.TemporaryDirectory() as folder:
        # Google's classes then find the credentials of "this machine" while the variable is unset.
        Path(write_google_credentials(Path(folder))).rename(Path(folder, "application_default_credentials.json"))
        os.environ["CLOUDSDK_CONFIG"] = folder
        with hollow.libraries(name for names in hollow.HEAVY.values() for name in names):
            held, problems = hold_all(projects(Path(sys.argv[1])))
    print(f"held the sessions of {held} bots", file=sys.stderr)
    status = report(problems)
    sys.stdout.flush()
    # Some clients keep threads that nothing ends.
    os._exit(status if held else 1)


def hold_all(all_projects: list[Project]) -> tuple[int, list[tuple[Project, str]]]:
    held, problems = 0, []
    for project in all_projects:
        left_out = left_out_of(project)
        if left_out:
            print(f"not held: {project.name}: {left_out}", file=sys.stderr)
            continue
        held += 1
        problems += [(project, problem) for problem in asyncio.run(hold(project))]
    return held, problems


def left_out_of(project: Project) -> str | None:
    for service in project.services():
        if "downloads" in service:
            return f"{service['id']} downloads its model"
        needed = service.get("requires_python", "3.11")
        if sys.version_info[:2] < tuple(map(int, needed.split("."))):
            return f"{service['id']} needs Python {needed}"
    return None


async def hold(project: Project) -> list[str]:
    needed = {name: "1" for name, _, _ in project.example if project.variables_read.get(name)}
    # What the runner asks of the environment for a call.
    carriers = [transport for transport in project.transports() if transport["runner_key"] in CARRIERS]
    variables = [variable for carrier in carriers for variable in carrier.get("env", [])]
    needed |= {variable["name"]: "1" for variable in variables if not {"default", "optional"} & variable.keys()}
    # The last way is the one of a machine with credentials of its own.
    needed |= {service["one_of"][-1]: "1" for service in project.services() if service.get("one_of")}
    optional = {name: value for name, value, _ in project.example if name not in needed}
    runs = {
        "unset": needed,
        "empty": needed | dict.fromkeys(optional, ""),
        "spelled out": needed | {name: value for name, value in optional.items() if value},
    }
    problems, settings = [], {}
    for run, variables in runs.items():
        for name, _, _ in project.example:
            os.environ.pop(name, None)
        os.environ |= variables
        try:
            with warnings.catch_warnings(record=True) as warned:
                warnings.simplefilter("always", DeprecationWarning)
                transports = project.transports()[: None if run == "unset" else 1]
                services = await asyncio.wait_for(session(project, transports), SECONDS)
        except BaseException as error:
            problems.append(f"with its optional settings {run}: {where(error)}{type(error).__name__}: {error}")
            continue
        settings[run] = [values(service) for service in services]
        problems += missing(project, services)
        if not any("deprecated" in service for service in project.services()):
            problems += [
                f"{path.name}:{one.lineno}: {one.message}"
                for one in warned
                if (path := Path(one.filename)).parent == project.server
            ]
        if run != "spelled out":
            problems += [f"optional settings {run}: {problem}" for problem in overridden(project, services)]
    if "unset" in settings and "empty" in settings and settings["unset"] != settings["empty"]:
        problems.append(f"an empty variable is not an unset one: {difference(settings['unset'], settings['empty'])}")
    return problems


async def session(project: Project, transports: list[dict]) -> list[AIService]:
    """One session on each transport; the services of the last."""
    bot = loaded(project.server)
    processors: list[FrameProcessor] = []
    begun = []
    rates: list[tuple[int, int]] = []

    class Watched(Pipeline):
        def __init__(self, given, *args, **kwargs):
            processors.extend(given)
            super().__init__(given, *args, **kwargs)

    class Rated(PipelineWorker):
        def __init__(self, pipeline, *, params, **kwargs):
            rates.append((params.audio_in_sample_rate, params.audio_out_sample_rate))
            super().__init__(pipeline, params=params, **kwargs)

    async def begin(runner, *_args, **_kwargs):
        begun.append(runner)

    bot.Pipeline, bot.PipelineWorker = Watched, Rated
    run, WorkerRunner.run = WorkerRunner.run, begin
    try:
        for transport in transports:
            arguments = arguments_of(transport["runner_key"])
            processors.clear()
            begun.clear()
            rates.clear()
            arguments.handle_sigint = arguments.handle_sigterm = False
            arguments.pipeline_idle_timeout_secs = 300
            await bot.bot(arguments)
            assert begun, f"the session on {transport['runner_key']} ended before the conversation began"
            expected = rates_of(project, transport["runner_key"])
            assert rates == [expected], f"{transport['runner_key']}: sound at {rates}, not at {expected}"
            made, wanted = type(processors[0]).__module__, transport.get("avatar", transport)["module"]
            # The class of these parameters is the one of every transport that has none of its own.
            if wanted != TransportParams.__module__:
                assert made == wanted, f"the session on {transport['id']} is one of {made}, not of {wanted}"
    finally:
        WorkerRunner.run = run
    for factory in getattr(bot, "TRANSPORT_PARAMS", {}).values():
        factory()
    return [processor for processor in processors if isinstance(processor, AIService)]


def arguments_of(runner_key: str) -> RunnerArguments:
    match runner_key:
        case "webrtc":
            return SmallWebRTCRunnerArguments(webrtc_connection=SmallWebRTCConnection())
        case "daily":
            return DailyRunnerArguments(room_url="https://example.daily.co/room", token="token")
        case "livekit":
            return LiveKitRunnerArguments(room_name="room", url="wss://example.com", token="token")
        case "moq":
            return MOQRunnerArguments(host="localhost", port=4080, serve=True)
        case "vonage":
            return VonageRunnerArguments(application_id="application", vonage_session_id="session", token="token")
        case "websocket":
            scope = {"type": "websocket", "path": "/ws-client", "headers": []}
            socket = WebSocket(scope, receive=nothing, send=nothing)
            return WebSocketRunnerArguments(websocket=socket, transport_type="websocket")
        case carrier if carrier in CARRIERS:
            return WebSocketRunnerArguments(websocket=call_from(carrier))
    raise AssertionError(f"the runner has no {runner_key}")


def rates_of(project: Project, runner_key: str) -> tuple[int, int]:
    """The sample rates of a session, in and out: a telephone's on the telephone, the framework's own elsewhere."""
    if runner_key not in CARRIERS:
        params = PipelineParams()
        return params.audio_in_sample_rate, params.audio_out_sample_rate
    fixed = [service["input_rate"] for service in project.services() if "input_rate" in service]
    return (fixed or [TELEPHONE_RATE])[0], TELEPHONE_RATE


def call_from(carrier: str) -> WebSocket:
    """The socket of a call on which the carrier has said what it says first."""
    said = [{"type": "websocket.receive", "text": json.dumps(message)} for message in CARRIERS[carrier].greeting]
    if len(said) == 1:
        said.append({"type": "websocket.receive", "text": json.dumps(CARRIERS[carrier].media)})

    async def receive():
        return said.pop(0)

    socket = WebSocket({"type": "websocket", "path": "/ws", "headers": []}, receive=receive, send=nothing)
    socket.client_state = socket.application_state = WebSocketState.CONNECTED
    return socket


async def nothing(*_):
    """Nobody is at the other end."""


def missing(project: Project, services: list[AIService]) -> list[str]:
    """The chosen classes that the pipeline lacks."""
    made = {base.__name__ for service in services for base in type(service).__mro__}
    return [f"no {service['class']} in the pipeline" for service in project.services() if service["class"] not in made]


def overridden(project: Project, services: list[AIService]) -> list[str]:
    """The settings whose class default, as the catalogue gives it, is not in force."""
    problems = []
    for described in project.services():
        made = next((one for one in services if type(one).__name__ == described["class"]), None)
        for argument in described.get("args", []) if made else []:
            expected = argument.get("class_default")
            actual = values(made).get(argument["name"].removeprefix("settings."))
            if expected is not None and str(getattr(actual, "value", actual)) != expected:
                problems.append(f"{described['class']} {argument['name']} is {actual!r}, its default is {expected!r}")
    return problems


def values(service: AIService) -> dict[str, Any]:
    settings = getattr(service, "_settings", None)
    if not isinstance(settings, ServiceSettings):
        return {}
    return {name: value for name, value in vars(settings).items() if is_given(value)}


def difference(unset: list[dict], empty: list[dict]) -> str:
    pairs = [(one, other) for one, other in zip(unset, empty, strict=True) if one != other]
    return "; ".join(
        f"{name}: {one[name]!r}, {other.get(name)!r}"
        for one, other in pairs
        for name in one
        if one[name] != other.get(name)
    )


def where(error: BaseException) -> str:
    places = [
        f"{path.name}:{frame.lineno}: "
        for frame in traceback.extract_tb(error.__traceback__)
        if (path := Path(frame.filename)).parent.name == "server"
    ]
    return places[-1] if places else ""


if __name__ == "__main__":
    sys.exit(main())
