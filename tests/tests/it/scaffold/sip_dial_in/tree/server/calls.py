"""Telephone calls: who is on the line, and how a caller reaches a person."""

import asyncio
import base64
import json
import os
import re
from contextlib import suppress
from typing import Any, TypeGuard

import aiohttp
from fastapi import WebSocketDisconnect
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
    CallData,
    DailyRunnerArguments,
    LiveKitRunnerArguments,
    MOQRunnerArguments,
    RunnerArguments,
    SmallWebRTCRunnerArguments,
    VonageRunnerArguments,
    WebSocketRunnerArguments,
)
from pipecat.services.llm_service import FunctionCallParams
from twilio.rest import Client
from twilio.twiml.voice_response import Dial, VoiceResponse

from session import SILENCE_SECS, in_background, said, say
from settings import problems

CONNECTING = "One moment, I will put you through."
NOT_CONNECTED = "Sorry, I could not put you through."

# What the model reads before the keys that a caller presses.
KEYS = "Keys pressed on the telephone: "

# The environment variables that calls of each carrier require.
CARRIERS: dict[str, list[str]] = {
    "daily": [
        "TWILIO_ACCOUNT_SID",
        "TWILIO_AUTH_TOKEN",
    ],
    "twilio": [
        "TWILIO_ACCOUNT_SID",
        "TWILIO_AUTH_TOKEN",
    ],
}

# The number of the person: never one that the model chooses.
if not re.fullmatch(r"(\+[1-9][0-9]{6,14})?", os.getenv("TRANSFER_NUMBER") or ""):
    problems.append("TRANSFER_NUMBER is not a number such as +15550100")


def warn_about_calls() -> None:
    """Warn about settings that calls require; without them, everything but calls works."""
    for carrier, names in CARRIERS.items():
        missing = [name for name in names if not os.getenv(name)]
        if missing:
            logger.warning(f"Calls from {carrier} will fail: {', '.join(missing)} not set in .env")


def is_stream(runner_args: RunnerArguments) -> TypeGuard[WebSocketRunnerArguments]:
    """Return whether a carrier streams the session's audio; known once its transport exists."""
    if not isinstance(runner_args, WebSocketRunnerArguments):
        return False
    return runner_args.transport_type in CARRIERS


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
    """Return Twilio's data on a call (`call_sid`, `From`, `To`); None if it is not a call."""
    if not isinstance(runner_args, CallArguments) or not runner_args.body:
        return None
    return runner_args.body.get("twilio_call")


def redirect(call_sid: str, dial: Dial) -> None:
    """Have Twilio connect the call elsewhere."""
    answer = VoiceResponse()
    answer.append(dial)
    client = Client(os.getenv("TWILIO_ACCOUNT_SID"), os.getenv("TWILIO_AUTH_TOKEN"))
    client.calls(call_sid).update(twiml=str(answer))


def take_over(call_sid: str, sip_endpoint: str) -> None:
    """Have Twilio connect the held call to the bot's room."""
    dial = Dial()
    dial.sip(sip_endpoint if sip_endpoint.startswith("sip") else f"sip:{sip_endpoint}")
    redirect(call_sid, dial)


def id_of(stream: CallData) -> str:
    """Return the carrier's name for a call, which becomes a part of addresses."""
    if not re.fullmatch(r"[\w:-]+", stream.call_id or ""):
        raise ValueError("the call has no usable id")
    return str(stream.call_id)


async def ask(method: str, url: str, authorization: str, **content: Any) -> bytes:
    """Send a request to a carrier's API, and return the response."""
    headers = {"Authorization": authorization}
    timeout = aiohttp.ClientTimeout(total=10)
    async with aiohttp.ClientSession(headers=headers, timeout=timeout) as session:
        async with session.request(method, url, allow_redirects=False, **content) as response:
            response.raise_for_status()
            return await response.read()


def basic(user: str, password: str) -> str:
    """Return the header of a user and a password, in these environment variables."""
    pair = f"{os.getenv(user)}:{os.getenv(password)}"
    return f"Basic {base64.b64encode(pair.encode()).decode()}"


async def ask_twilio(method: str, call_id: str, **content: Any) -> bytes:
    """Read or change a call at Twilio."""
    places = [os.getenv("TWILIO_EDGE"), os.getenv("TWILIO_REGION")]
    host = ".".join(["api", *filter(None, places), "twilio.com"])
    account = os.getenv("TWILIO_ACCOUNT_SID")
    url = f"https://{host}/2010-04-01/Accounts/{account}/Calls/{call_id}.json"
    return await ask(method, url, basic("TWILIO_ACCOUNT_SID", "TWILIO_AUTH_TOKEN"), **content)


async def facts_of(runner_args: RunnerArguments) -> dict[str, Any]:
    """Return the numbers of both sides, and the data that came with the call."""
    facts: dict[str, Any] = {}
    call = call_of(runner_args)
    if call is not None:
        facts = {"from": call.get("From"), "to": call.get("To")}
        facts["data"] = (runner_args.body or {}).get("data")
    stream = runner_args.call_data
    if stream is not None and is_stream(runner_args):
        facts = {"from": stream.from_number, "to": stream.to_number}
        if runner_args.transport_type == "twilio" and not stream.from_number:
            try:
                async with asyncio.timeout(2):
                    facts |= json.loads(await ask_twilio("GET", id_of(stream)))
            except Exception as error:
                logger.warning(f"Twilio does not say who calls: {error}")
        # Names with `_` are the hosting service's own.
        given = {name: text for name, text in stream.body.items() if not name.startswith("_")}
        facts["data"] = given or (runner_args.body or {}).get("data")
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


def dial_document() -> str:
    """Return the document that makes a carrier connect the call to the person."""
    return f"<Response><Dial><Number>{setting('TRANSFER_NUMBER')}</Number></Dial></Response>"


async def transfer(worker: PipelineWorker, runner_args: RunnerArguments) -> None:
    """Have the carrier connect the caller to the person."""
    if is_stream(runner_args) and runner_args.call_data is not None:
        call_id = id_of(runner_args.call_data)
        match runner_args.transport_type:
            case "twilio":
                await ask_twilio("POST", call_id, data={"Twiml": dial_document()})
            case other:
                raise ValueError(f"{other} can't transfer a call")
        # When a session ends while its stream is open, the framework hangs up the call.
        with suppress(WebSocketDisconnect):  # the carrier has closed it
            await runner_args.websocket.close()
        return
    call = call_of(runner_args)
    if call is not None:
        dial = Dial()
        dial.number(setting("TRANSFER_NUMBER"))
        await asyncio.to_thread(redirect, call["call_sid"], dial)
        return
    raise ValueError("this session is not a telephone call")
