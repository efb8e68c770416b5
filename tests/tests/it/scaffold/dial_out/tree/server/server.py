"""The web server that brings telephone calls to the bot.

Whoever holds the shared key asks this server to call a number. The server makes a room and starts
the bot in it, and the bot calls the number.

Run it with `uv run server.py`, beside `uv run bot.py -t daily`. Of the two, only this server is
made to be reached from the internet.
"""

import asyncio
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
from pipecat.transports.daily.utils import DailyRESTHelper, DailyRoomParams, DailyRoomProperties
from starlette.requests import ClientDisconnect

from settings import check_settings, converted, problems, required

# The maximum length of a call; its room ends then.
CALL_SECONDS = 60 * 60
# The time limit for creating a room and starting the bot.
PREPARATION_SECONDS = 12
# The limits on a request's size and duration.
BODY_BYTES = 16_384
BODY_SECONDS = 10
# E.164: a plus sign, the country code, the number.
NUMBER = r"\+[1-9][0-9]{6,14}"


def formed(name: str, pattern: str, form: str) -> str:
    """Return a required environment variable that must be `form`."""
    text = required(name)
    if text and not re.fullmatch(pattern, text):
        problems.append(f"{name} is not {form}")
    return text


DAILY_API_KEY = required("DAILY_API_KEY")
DAILY_API_URL = os.getenv("DAILY_API_URL") or "https://api.daily.co/v1"
DAILY_CALLER_ID = os.getenv("DAILY_CALLER_ID")
DIALOUT_KEY = formed("DIALOUT_KEY", r"[\x21-\x7e]{32,}", "32 letters and digits or more")
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


def check_key(request: Request) -> None:
    """Reject requests without the shared key: calls cost money."""
    given = request.headers.get("authorization", "").removeprefix("Bearer ")
    if not hmac.compare_digest(given.encode(), DIALOUT_KEY.encode()):
        raise HTTPException(401, "the key is missing or wrong", {"WWW-Authenticate": "Bearer"})


async def asked_for(request: Request) -> tuple[str, dict[str, Any]]:
    """Return the number to call and the data for the bot, from a request with the shared key."""
    check_key(request)
    _, asked = await read_json(request)
    number, data = asked.get("to"), asked.get("data", {})
    if not isinstance(number, str) or not re.fullmatch(NUMBER, number):
        raise HTTPException(400, "`to` is not a number such as +15550100")
    if not isinstance(data, dict):
        raise HTTPException(400, "`data` is not a JSON object")
    return number, data


@app.post("/dialout", status_code=202)
async def dialout(request: Request) -> dict[str, str]:
    """Let the bot call a number."""
    number, data = await asked_for(request)
    settings = {"phoneNumber": number}
    if DAILY_CALLER_ID:
        settings["callerId"] = DAILY_CALLER_ID
    properties = DailyRoomProperties(enable_dialout=True, start_video_off=True)
    await prepare(properties, {"dialout_settings": settings, "data": data})
    return {"status": "calling"}


if __name__ == "__main__":
    uvicorn.run(app, host=SERVER_HOST, port=SERVER_PORT)
