"""Telephone calls: who is on the line, and how a caller reaches a person."""

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

from session import SILENCE_SECS, in_background, said, say
from settings import problems

CONNECTING = "One moment, I will put you through."
NOT_CONNECTED = "Sorry, I could not put you through."

# What the model reads before the keys that a caller presses.
KEYS = "Keys pressed on the telephone: "

# The environment variables that calls of each carrier require.
CARRIERS: dict[str, list[str]] = {
    "daily": [
        "DAILY_API_KEY",
    ],
}

DAILY_API_URL = os.getenv("DAILY_API_URL") or "https://api.daily.co/v1"

# The number of the person: never one that the model chooses.
if not re.fullmatch(r"(\+[1-9][0-9]{6,14})?", os.getenv("TRANSFER_NUMBER") or ""):
    problems.append("TRANSFER_NUMBER is not a number such as +15550100")


def warn_about_calls() -> None:
    """Warn about settings that calls require; without them, everything but calls works."""
    for carrier, names in CARRIERS.items():
        missing = [name for name in names if not os.getenv(name)]
        if missing:
            logger.warning(f"Calls from {carrier} will fail: {', '.join(missing)} not set in .env")


# The arguments of a session whose transport is known; a call's room comes in the body instead.
TRANSPORT_CHOSEN = (
    DailyRunnerArguments,
    LiveKitRunnerArguments,
    MOQRunnerArguments,
    SmallWebRTCRunnerArguments,
    VonageRunnerArguments,
    WebSocketRunnerArguments,
)


def in_room_of_call(runner_args: RunnerArguments) -> RunnerArguments:
    """Return arguments for the room that `server.py` created for a call; others keep theirs."""
    body = runner_args.body
    if isinstance(runner_args, TRANSPORT_CHOSEN) or not body or "room_url" not in body:
        return runner_args
    keys = {"daily_api_key": os.getenv("DAILY_API_KEY") or "", "daily_api_url": DAILY_API_URL}
    return DailyRunnerArguments(
        room_url=body["room_url"],
        token=body["token"],
        body=body | keys,
        session_id=runner_args.session_id,
    )


def call_of(runner_args: RunnerArguments) -> dict[str, str] | None:
    """Return Daily's data on a call, such as `From` and `To`; None if the session is not a call."""
    body = runner_args.body
    return body.get("dialin_settings") if isinstance(body, dict) else None


async def facts_of(runner_args: RunnerArguments) -> dict[str, Any]:
    """Return the numbers of both sides, and the data that came with the call."""
    facts: dict[str, Any] = {}
    call = call_of(runner_args)
    if call is not None:
        facts = {"from": call.get("From"), "to": call.get("To")}
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
