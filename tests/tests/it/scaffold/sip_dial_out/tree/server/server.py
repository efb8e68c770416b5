"""The web server that brings telephone calls to the bot.

Whoever holds the shared key asks this server to call a number. The server makes a room and starts
the bot in it, the bot calls Twilio over SIP, and Twilio asks this server whom to ring.

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
from urllib.parse import parse_qsl

import aiohttp
import uvicorn
from fastapi import FastAPI, HTTPException, Request, Response
from loguru import logger
from pipecat.transports.daily.utils import DailyRESTHelper, DailyRoomParams, DailyRoomProperties
from starlette.requests import ClientDisconnect
from twilio.request_validator import RequestValidator
from twilio.twiml.voice_response import Dial, VoiceResponse

from settings import check_settings, converted, problems, required

# The maximum length of a call; its room ends then.
CALL_SECONDS = 60 * 60
# The time limit for creating a room and starting the bot.
PREPARATION_SECONDS = 12
# The limits on a request's size and duration.
BODY_BYTES = 16_384
BODY_SECONDS = 10
# The time within which Twilio may ask which number to call.
TICKET_SECONDS = 2 * 60
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
TWILIO_AUTH_TOKEN = required("TWILIO_AUTH_TOKEN")
TWILIO_PHONE_NUMBER = formed("TWILIO_PHONE_NUMBER", NUMBER, "a number such as +15550100")
TWILIO_SIP_DOMAIN = formed(
    "TWILIO_SIP_DOMAIN", r"(?:[A-Za-z0-9-]+\.)+[A-Za-z]+", "a domain such as example.sip.twilio.com"
)
TRANSFER_NUMBER = os.getenv("TRANSFER_NUMBER")
if TRANSFER_NUMBER and not re.fullmatch(NUMBER, TRANSFER_NUMBER):
    problems.append("TRANSFER_NUMBER is not a number such as +15550100")
DIALOUT_KEY = formed("DIALOUT_KEY", r"[\x21-\x7e]{32,}", "32 letters and digits or more")
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


def ticket_for(digits: str, expires: int) -> str:
    """Return a ticket for calling a number, which only this server can create."""
    signed = f"{digits}-{expires}"
    mac = hmac.digest(DIALOUT_KEY.encode(), f"ring {signed}".encode(), "sha256")
    return f"{signed}-{mac.hex()[:32]}"


def address_of(number: str, seconds: int) -> str:
    """Return the address at Twilio under which a number can be called for a while."""
    ticket = ticket_for(number.removeprefix("+"), int(time.time()) + seconds)
    return f"sip:{ticket}@{TWILIO_SIP_DOMAIN}"


def number_of(ticket: str) -> str | None:
    """Return the number of a ticket that has not expired."""
    match = re.fullmatch(r"([0-9]{7,15})-([0-9]{10})-[0-9a-f]{32}", ticket)
    if not match or int(match[2]) < time.time():
        return None
    genuine = ticket_for(match[1], int(match[2]))
    return f"+{match[1]}" if hmac.compare_digest(ticket, genuine) else None


@app.post("/dialout", status_code=202)
async def dialout(request: Request) -> dict[str, str]:
    """Let the bot call a number."""
    number, data = await asked_for(request)
    settings = {"sipUri": address_of(number, TICKET_SECONDS), "displayName": number}
    properties = DailyRoomProperties(enable_dialout=True, start_video_off=True)
    body: dict[str, Any] = {"dialout_settings": settings, "data": data}
    if TRANSFER_NUMBER:
        body["transfer_to"] = address_of(TRANSFER_NUMBER, CALL_SECONDS)
    await prepare(properties, body)
    return {"status": "calling"}


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


@app.post("/answer")
async def answer(request: Request) -> Response:
    """Tell Twilio which number to call for a call that arrived over SIP."""
    fields = await read_form(request)
    match = re.match(r"sips?:([^@;]+)@", fields.get("To", ""))
    number = number_of(match[1]) if match else None
    answer = VoiceResponse()
    if number is None:
        # Not a ticket of this server: nobody else may call at your expense.
        answer.reject()
        return document(answer)
    dial = Dial(caller_id=TWILIO_PHONE_NUMBER, answer_on_bridge=True)
    dial.number(number)
    answer.append(dial)
    return document(answer)


if __name__ == "__main__":
    uvicorn.run(app, host=SERVER_HOST, port=SERVER_PORT)
