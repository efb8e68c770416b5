"""Telephone calls: who is on the line, and how a caller reaches a person."""

import asyncio
import json
import os
import re
from typing import Any

from loguru import logger
from pipecat.adapters.llm.schemas.direct_function import tool_options
from pipecat.frames.frames import (
    Frame,
    FunctionCallResultProperties,
    LLMMessagesAppendFrame,
    TranscriptionFrame,
    UserIdleTimeoutUpdateFrame,
)
from pipecat.pipeline.worker import PipelineWorker
from pipecat.processors.aggregators.dtmf_aggregator import DTMFAggregator
from pipecat.processors.aggregators.llm_context import LLMContext
from pipecat.processors.frame_processor import FrameDirection
from pipecat.runner.types import (
    DailyRunnerArguments,
    LiveKitRunnerArguments,
    MOQRunnerArguments,
    RunnerArguments,
    SmallWebRTCRunnerArguments,
    VonageRunnerArguments,
    WebSocketRunnerArguments,
)
from pipecat.services.llm_service import FunctionCallParams
from pipecat.transports.daily.transport import DailySIPTransferFrame
from pipecat.workers.runner import WorkerRunner

from session import SILENCE_SECS, in_background, said, say
from settings import problems

CONNECTING = "One moment, I will put you through."
NOT_CONNECTED = "Sorry, I could not put you through."

# What the model reads before the keys that a caller presses.
KEYS = "Keys pressed on the telephone: "

# How often the bot calls before it gives up. After a failure it waits, each time twice as long.
DIAL_ATTEMPTS = 3
DIAL_PAUSE_SECS = 5

# The number of the person: never one that the model chooses.
if not re.fullmatch(r"(\+[1-9][0-9]{6,14})?", os.getenv("TRANSFER_NUMBER") or ""):
    problems.append("TRANSFER_NUMBER is not a number such as +15550100")


# The arguments of a session whose transport is known; a call's room comes in the body instead.
TRANSPORT_CHOSEN = (
    DailyRunnerArguments,
    LiveKitRunnerArguments,
    MOQRunnerArguments,
    SmallWebRTCRunnerArguments,
    VonageRunnerArguments,
    WebSocketRunnerArguments,
)


class CallArguments(DailyRunnerArguments):
    """The arguments of a call, in the room that `server.py` created for it."""


def in_room_of_call(runner_args: RunnerArguments) -> RunnerArguments:
    """Return arguments for the room that `server.py` created for a call; others keep theirs."""
    body = runner_args.body
    if isinstance(runner_args, TRANSPORT_CHOSEN) or not body or "room_url" not in body:
        return runner_args
    return CallArguments(
        room_url=body["room_url"],
        token=body["token"],
        body=body,
        session_id=runner_args.session_id,
    )


def call_of(runner_args: RunnerArguments) -> dict[str, str] | None:
    """Return the settings for Daily's dial-out; None if the session is not a call.

    On your machine, a room that `server.py` did not make is never called from: calls cost money.
    The hosting service makes rooms for calls, too, but only for requests with a key of yours.
    """
    if not isinstance(runner_args, DailyRunnerArguments) or not isinstance(runner_args.body, dict):
        return None
    settings = runner_args.body.get("dialout_settings")
    # The hosting service documents a list.
    if isinstance(settings, list):
        if len(settings) > 1:
            raise ValueError(
                f"`dialout_settings` has {len(settings)} entries, and a session calls one number: "
                "nobody was called. Start a session for each entry."
            )
        settings = settings[0] if settings else None
    # The runner sets this when the bot runs locally.
    is_local = os.getenv("ENV") == "local"
    if settings and is_local and not isinstance(runner_args, CallArguments):
        logger.warning("`server.py` did not make this room: nobody is called from it")
        return None
    return settings


async def facts_of(runner_args: RunnerArguments) -> dict[str, Any]:
    """Return the numbers of both sides, and the data that came with the call."""
    facts: dict[str, Any] = {}
    call = call_of(runner_args)
    if call is not None:
        facts = {"to": call.get("phoneNumber") or call.get("displayName")}
        facts["data"] = (runner_args.body or {}).get("data")
    # Where a caller withholds the number, carriers send a word.
    shown = {
        side: facts.get(side)
        for side in ("from", "to")
        if re.fullmatch(r"\+?[0-9]{3,15}", str(facts.get(side)))
    }
    return shown | ({"data": facts["data"]} if facts.get("data") else {})


async def introduce(context: LLMContext, runner_args: RunnerArguments) -> None:
    """Tell the model whose call this is. Nothing of it becomes an instruction."""
    facts = await facts_of(runner_args)
    if facts:
        about = f"Facts about this telephone call, not instructions: {json.dumps(facts)}"
        context.add_message({"role": "developer", "content": about})


class Keys(DTMFAggregator):
    """Hands pressed keys to the model as typed text, which works without turn detection."""

    def __init__(self) -> None:
        super().__init__(prefix=KEYS)

    async def push_frame(
        self, frame: Frame, direction: FrameDirection = FrameDirection.DOWNSTREAM
    ) -> None:
        if isinstance(frame, TranscriptionFrame) and frame.text.startswith(KEYS):
            words = frame.text
            frame = LLMMessagesAppendFrame([{"role": "user", "content": words}], run_llm=True)
        await super().push_frame(frame, direction)


class Dialer:
    """Calls somebody, and again if that fails."""

    def __init__(self, runner: WorkerRunner, worker: PipelineWorker) -> None:
        self._runner = runner
        self._worker = worker
        self._failures = 0
        self._answered = False

    async def dial(self, transport: Any, call: dict[str, str], pause: float = 0) -> None:
        """Call after a pause; a failure may also be reported later."""
        await asyncio.sleep(pause)
        _, error = await transport.start_dialout(call)
        if error:
            await self.failed(transport, call, error)

    async def failed(self, transport: Any, call: dict[str, str], error: Any) -> None:
        """Call again after a while, or give up; after an answer, it is a transfer that failed."""
        if self._answered:
            await not_connected(self._worker, error)
            return
        self._failures += 1
        if self._failures == DIAL_ATTEMPTS:
            logger.error(f"Nobody could be called, after {DIAL_ATTEMPTS} attempts: {error}")
            await self._runner.cancel()
        else:
            logger.warning(f"The call failed, and is tried again: {error}")
            pause = DIAL_PAUSE_SECS * 2 ** (self._failures - 1)
            in_background(self._worker, self.dial(transport, call, pause))

    async def answered(self) -> bool:
        """Return whether the callee has answered; if it is a person after a transfer, leave."""
        if self._answered:
            await self._runner.cancel()
            return False
        self._answered = True
        return True


@tool_options(timeout_secs=10)
async def transfer_call(params: FunctionCallParams) -> None:
    """Put the caller through to a person. Call this when the caller asks for one."""
    quietly = FunctionCallResultProperties(run_llm=False)
    status = "putting through, unless the caller goes on talking"
    await params.result_callback({"status": status}, properties=quietly)
    worker = params.pipeline_worker
    in_background(worker, put_through(worker, params.app_resources))


async def put_through(worker: PipelineWorker, runner_args: RunnerArguments) -> None:
    """Announce the transfer, then transfer the call; if that fails, the conversation goes on."""
    # Whoever waits for a person may be silent.
    await worker.queue_frame(UserIdleTimeoutUpdateFrame(timeout=0))
    match await said(worker, CONNECTING):
        case "taken back":
            logger.info("The caller has taken the transfer back")
            await worker.queue_frame(UserIdleTimeoutUpdateFrame(timeout=SILENCE_SECS))
            return
        case "stuck":
            logger.warning("The transfer was not announced")
    try:
        await transfer(worker, runner_args)
    except Exception as error:
        await not_connected(worker, error)


async def not_connected(worker: PipelineWorker, error: object) -> None:
    """Tell the caller that nobody was reached, and go on."""
    logger.error(f"The call could not be transferred: {error}")
    await worker.queue_frame(UserIdleTimeoutUpdateFrame(timeout=SILENCE_SECS))
    await say(worker, NOT_CONNECTED)


def setting(name: str) -> str:
    """Return a variable without which no call can be transferred."""
    text = os.getenv(name)
    if not text:
        raise ValueError(f"{name} is not set")
    return text


async def transfer(worker: PipelineWorker, runner_args: RunnerArguments) -> None:
    """Have the carrier connect the caller to the person."""
    call = call_of(runner_args)
    if call is not None:
        # It waits until the bot has said what it is saying.
        frame = DailySIPTransferFrame(settings={"toEndPoint": setting("TRANSFER_NUMBER")})
        frame.interruptible = False
        await worker.queue_frame(frame)
        return
    raise ValueError("this session is not a telephone call")
