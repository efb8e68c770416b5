"""The web server that brings telephone calls to the bot.

Twilio tells this server of a caller. The server makes a room and starts the bot in it; Twilio holds
the caller until the bot takes the call over.

Run it with `uv run server.py`, beside `uv run bot.py -t daily`. Of the two, only this server is
made to be reached from the internet.
"""

import asyncio
import os
import re
import time
import uuid
from typing import Any
from urllib.parse import parse_qsl

import aiohttp
import uvicorn
from fastapi import FastAPI, HTTPException, Request, Response
from loguru import logger
from pipecat.transports.daily.utils import (
    DailyRESTHelper,
    DailyRoomParams,
    DailyRoomProperties,
    DailyRoomSipParams,
)
from starlette.requests import ClientDisconnect
from twilio.request_validator import RequestValidator
from twilio.twiml.voice_response import VoiceResponse

from settings import check_settings, converted, problems, required

# The maximum length of a call; its room ends then.
CALL_SECONDS = 60 * 60
# The time limit for creating a room and starting the bot.
PREPARATION_SECONDS = 12
# How long a call is remembered, so that a repeated request starts nothing.
REPEAT_SECONDS = 60
# The limits on a request's size and duration.
BODY_BYTES = 16_384
BODY_SECONDS = 10
# The maximum time that a caller waits for the bot.
HOLD_SECONDS = 60


def formed(name: str, pattern: str, form: str) -> str:
    """Return a required environment variable that must be `form`."""
    text = required(name)
    if text and not re.fullmatch(pattern, text):
        problems.append(f"{name} is not {form}")
    return text


DAILY_API_KEY = required("DAILY_API_KEY")
DAILY_API_URL = os.getenv("DAILY_API_URL") or "https://api.daily.co/v1"
TWILIO_AUTH_TOKEN = required("TWILIO_AUTH_TOKEN")
PUBLIC_URL = formed("PUBLIC_URL", r"https://[^\s?#]+", "an address with https://").rstrip("/")
BOT_START_URL = os.getenv("BOT_START_URL") or "http://127.0.0.1:7860/start"
BOT_START_KEY = os.getenv("BOT_START_KEY")
SERVER_HOST = os.getenv("SERVER_HOST") or "127.0.0.1"
SERVER_PORT: int = converted("SERVER_PORT", int, 8000)

# A room's token and the API key are sent there.
if not re.match(r"https://|http://(127\.0\.0\.1|localhost)[:/]", BOT_START_URL):
    problems.append("BOT_START_URL is neither on this machine nor an address with https://")

# Checked on import, so that the server never starts without a key.
check_settings()

# Without the pages of API documentation.
app = FastAPI(docs_url=None, redoc_url=None, openapi_url=None)


async def read_body(request: Request) -> bytes:
    """Return the body of a request, unless it is too large or too slow."""
    body = bytearray()
    try:
        async with asyncio.timeout(BODY_SECONDS):
            async for chunk in request.stream():
                body += chunk
                if len(body) > BODY_BYTES:
                    raise HTTPException(413, "the request is too large")
    except TimeoutError:
        raise HTTPException(408, "the request came too slowly") from None
    except ClientDisconnect:
        raise HTTPException(400, "the request broke off") from None
    return bytes(body)


async def prepare(properties: DailyRoomProperties, call: dict[str, Any]) -> None:
    """Create a room for one call and start the bot in it; `call` is passed to the bot."""
    properties.exp = time.time() + CALL_SECONDS
    properties.eject_at_room_exp = True
    params = DailyRoomParams(name=f"call-{uuid.uuid4().hex}", properties=properties)
    headers = {"Authorization": f"Bearer {BOT_START_KEY}"} if BOT_START_KEY else {}
    timeout = aiohttp.ClientTimeout(total=PREPARATION_SECONDS)
    try:
        async with aiohttp.ClientSession(timeout=timeout) as session:
            daily = DailyRESTHelper(
                daily_api_key=DAILY_API_KEY,
                daily_api_url=DAILY_API_URL,
                aiohttp_session=session,
            )
            room = await daily.create_room(params)
            token = await daily.get_token(room.url, CALL_SECONDS)
            start = {
                "transport": "daily",
                "createDailyRoom": False,
                "body": {"room_url": room.url, "token": token, **call},
            }
            async with session.post(
                BOT_START_URL, json=start, headers=headers, allow_redirects=False
            ) as response:
                if response.status != 200:
                    raise RuntimeError(f"{BOT_START_URL} answered with status {response.status}")
    except Exception as error:
        logger.error(f"The call could not be prepared: {type(error).__name__}: {error}")
        raise HTTPException(502, "the call could not be prepared") from None
    logger.info(f"The bot waits in {room.url}")


preparations: dict[str, asyncio.Task[None]] = {}


async def prepare_once(call_id: str, properties: DailyRoomProperties, call: dict[str, Any]) -> None:
    """Prepare the bot for a call, unless that is done or under way; after a failure, try again."""

    def forget(task: asyncio.Task[None]) -> None:
        if task.cancelled() or task.exception():
            preparations.pop(call_id, None)

    if call_id not in preparations:
        preparations[call_id] = asyncio.create_task(prepare(properties, call))
        preparations[call_id].add_done_callback(forget)
        asyncio.get_running_loop().call_later(REPEAT_SECONDS, preparations.pop, call_id, None)
    await asyncio.shield(preparations[call_id])


async def read_form(request: Request) -> dict[str, str]:
    """Return the fields of a request that Twilio signed."""
    body = await read_body(request)
    try:
        pairs = parse_qsl(body.decode(), keep_blank_values=True, max_num_fields=200)
    except ValueError:
        raise HTTPException(400, "the request is not a form") from None
    fields = dict(pairs)
    signature = request.headers.get("x-twilio-signature", "")
    # Twilio signs the address that it called, which a tunnel or a proxy hides from this server.
    address = f"{PUBLIC_URL}{request.url.path}"
    if not RequestValidator(TWILIO_AUTH_TOKEN).validate(address, fields, signature):
        raise HTTPException(403, "the request is not signed by Twilio")
    return fields


def document(answer: VoiceResponse) -> Response:
    """Return Twilio's instructions for the call."""
    return Response(str(answer), media_type="application/xml")


@app.post("/call")
async def call(request: Request) -> Response:
    """Prepare the bot for a call, and have Twilio hold the call until the bot answers."""
    fields = await read_form(request)
    call_sid = fields.get("CallSid", "")
    if not re.fullmatch(r"CA[0-9a-f]{32}", call_sid):
        raise HTTPException(400, "`CallSid` is missing or no call's")
    caller = fields.get("From") or "unknown"
    sip = DailyRoomSipParams(display_name=caller)
    properties = DailyRoomProperties(sip=sip, start_video_off=True)
    twilio_call = {"call_sid": call_sid, "From": caller, "To": fields.get("To", "")}
    await prepare_once(call_sid, properties, {"twilio_call": twilio_call})
    answer = VoiceResponse()
    answer.say("One moment, please.")
    answer.pause(length=HOLD_SECONDS)
    answer.say("Sorry, nobody can take your call now.")
    answer.hangup()
    return document(answer)


if __name__ == "__main__":
    uvicorn.run(app, host=SERVER_HOST, port=SERVER_PORT)
