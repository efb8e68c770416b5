"""The web server that brings telephone calls to the bot.

Daily holds a caller and tells this server. The server makes a room and starts the bot in it; Daily
connects the caller as soon as the bot is there.

Run it with `uv run server.py`, beside `uv run bot.py -t daily`. Of the two, only this server is
made to be reached from the internet.
"""

import asyncio
import base64
import hmac
import json
import os
import re
import time
import uuid
from typing import Any

import aiohttp
import uvicorn
from fastapi import FastAPI, HTTPException, Request
from loguru import logger
from pipecat.transports.daily.utils import (
    DailyRESTHelper,
    DailyRoomParams,
    DailyRoomProperties,
    DailyRoomSipParams,
)
from starlette.requests import ClientDisconnect

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
# The maximum age of Daily's signature.
SIGNATURE_SECONDS = 5 * 60


def formed(name: str, pattern: str, form: str) -> str:
    """Return a required environment variable that must be `form`."""
    text = required(name)
    if text and not re.fullmatch(pattern, text):
        problems.append(f"{name} is not {form}")
    return text


DAILY_API_KEY = required("DAILY_API_KEY")
DAILY_API_URL = os.getenv("DAILY_API_URL") or "https://api.daily.co/v1"
DAILY_PINLESS_HMAC = formed(
    "DAILY_PINLESS_HMAC",
    "(?:[A-Za-z0-9+/]{4}){5,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?",
    "Base64 of 16 bytes or more",
)
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


async def read_json(request: Request) -> tuple[bytes, dict[str, Any]]:
    """Return the body of a request, as bytes and as a JSON object."""
    body = await read_body(request)
    try:
        data = json.loads(body)
    except (ValueError, RecursionError):
        data = None
    if not isinstance(data, dict):
        raise HTTPException(400, "the request is not a JSON object")
    return body, data


def is_signed(request: Request, body: bytes) -> bool:
    """Return whether Daily signed the request recently."""
    timestamp = request.headers.get("x-pinless-timestamp", "")
    # Seconds or milliseconds since the Unix epoch.
    if not re.fullmatch(r"[0-9]{10}(?:[0-9]{3})?", timestamp):
        return False
    if abs(time.time() - int(timestamp[:10])) > SIGNATURE_SECONDS:
        return False
    secret = base64.b64decode(DAILY_PINLESS_HMAC)
    digest = hmac.digest(secret, timestamp.encode() + b"." + body, "sha256")
    signature = request.headers.get("x-pinless-signature", "")
    return hmac.compare_digest(base64.b64encode(digest), signature.encode())


def text_of(data: dict[str, Any], name: str) -> str:
    """Return a field that every call must have."""
    text = data.get(name)
    if not isinstance(text, str) or not text or len(text) > 200:
        raise HTTPException(400, f"`{name}` is missing or no text")
    return text


@app.post("/dialin")
async def dialin(request: Request) -> dict[str, str]:
    """Prepare the bot for a call that Daily has put on hold."""
    body, data = await read_json(request)
    # Daily sends this without a signature when the webhook is set up.
    if data == {"Test": "test"} or data == {"test": "test"}:
        return {"status": "ready"}
    if not is_signed(request, body):
        raise HTTPException(403, "the request is not signed by Daily")
    settings = {
        "call_id": text_of(data, "callId"),
        "call_domain": text_of(data, "callDomain"),
        "To": text_of(data, "To"),
        "From": text_of(data, "From"),
    }
    sip = DailyRoomSipParams(display_name=settings["From"])
    # To transfer the caller, the room has to call somebody.
    dialout = True if os.getenv("TRANSFER_NUMBER") else None
    properties = DailyRoomProperties(sip=sip, enable_dialout=dialout, start_video_off=True)
    await prepare_once(settings["call_id"], properties, {"dialin_settings": settings})
    return {"status": "connecting"}


if __name__ == "__main__":
    uvicorn.run(app, host=SERVER_HOST, port=SERVER_PORT)
