"""Runs a generated bot as the hosting service does: `deployed_app.py SERVER_FOLDER`.

The bot starts from the files that its image would have, in a program of the shape of the image's own: the same routes
and bodies, the session classes of `pipecatcloud.agent`, one process for one session after the other. It prints its
address.

The world outside is stand-ins in the same process: Daily's rooms, the REST APIs of Daily, the carriers and LemonSlice,
the hosting service's `/start` and its relay. The bot is not changed: what it sends to those hosts is redirected here,
and it trusts the relay's certificate because it trusts who signed it. `GET /world` says what happened. WhatsApp's API
is another program, whose address is in STAND_IN_WHATSAPP.
"""

import asyncio
import base64
import importlib
import json
import os
import socket
import sys
import tempfile
import time
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import aiohttp
import requests
import uvicorn
from fastapi import BackgroundTasks, FastAPI, HTTPException, Request, WebSocket
from fastapi.websockets import WebSocketState
from loguru import logger
from pipecat.transports.smallwebrtc.request_handler import (
    ConnectionMode,
    SmallWebRTCPatchRequest,
    SmallWebRTCRequest,
    SmallWebRTCRequestHandler,
)
from pipecat.transports.whatsapp.api import WhatsAppWebhookRequest
from pipecat.transports.whatsapp.client import WhatsAppClient
from pipecatcloud.agent import (
    DailySessionArguments,
    MOQSessionArguments,
    PipecatSessionArguments,
    SmallWebRTCSessionArguments,
    WebSocketSessionArguments,
)
from yarl import URL

import stand_in_relay as relay
import stand_in_room
from call_deployed import KEY
from check_image import lay_out

REDIRECTED = ("api.daily.co", "api.twilio.com", "api.telnyx.com", "api.plivo.com", "lemonslice.com")

app = FastAPI()
webrtc = SmallWebRTCRequestHandler(connection_mode=ConnectionMode.SINGLE)
sessions: list[dict[str, Any]] = []
asked: list[dict[str, Any]] = []
bot: Any = None
address = ""
# What is made when it is first asked for.
app.state.whatsapp = app.state.relay = None


async def run_bot(arguments: Any) -> None:
    """One session. What a bot raises, the service only logs."""
    session = {"arguments": type(arguments).__name__, "problem": None, "over": False}
    sessions.append(session)
    try:
        await bot.bot(arguments)
    except Exception as error:
        logger.exception("bot() raised")
        session["problem"] = f"{type(error).__name__}: {error}"
    finally:
        session["over"] = True


@app.get("/livez")
@app.get("/readyz")
async def healthy() -> dict[str, str]:
    return {"status": "ok"}


@app.post("/bot")
async def start(body: dict[str, Any], request: Request) -> dict[str, Any]:
    await run_bot(arguments_of(body, request.headers))
    return {}


def arguments_of(body: dict[str, Any], headers: Any) -> Any:
    session_id = headers.get("x-daily-session-id")
    room, token = headers.get("x-daily-room-url"), headers.get("x-daily-room-token")
    if headers.get("x-daily-transport-type") == "moq":
        relay, namespace = headers["x-moq-relay-url"], headers["x-moq-namespace"]
        return MOQSessionArguments(session_id=session_id, relay_url=relay, namespace=namespace, body=body)
    if room and token:
        return DailySessionArguments(session_id=session_id, room_url=room, token=token, body=body)
    return PipecatSessionArguments(session_id=session_id, body=body)


@app.websocket("/ws")
async def connect(websocket: WebSocket, body: str | None = None) -> None:
    await websocket.accept()
    arguments = WebSocketSessionArguments(
        session_id=websocket.headers.get("x-daily-session-id"),
        websocket=websocket,
        body=json.loads(base64.b64decode(body)) if body else None,
    )
    await run_bot(arguments)
    if websocket.state == WebSocketState.CONNECTED:
        await websocket.close()


@app.post("/api/offer")
async def offer(request: Request, background: BackgroundTasks) -> Any:
    wanted = SmallWebRTCRequest.from_dict(await request.json())

    async def connected(connection: Any) -> None:
        arguments = SmallWebRTCSessionArguments(
            session_id=request.headers.get("x-daily-session-id"),
            webrtc_connection=connection,
            body=wanted.request_data,
        )
        background.add_task(run_bot, arguments)

    return await webrtc.handle_web_request(request=wanted, webrtc_connection_callback=connected)


@app.patch("/api/offer")
async def candidates(request: SmallWebRTCPatchRequest) -> dict[str, str]:
    await webrtc.handle_patch_request(request)
    return {"status": "success"}


@app.get("/whatsapp")
async def verify(request: Request) -> int:
    """The hosting service, in front of the image: it is asked for a public API key instead of a token of the user's."""
    asks = request.query_params
    if asks.get("hub.mode") != "subscribe" or asks.get("hub.verify_token") != KEY:
        raise HTTPException(403, "not a key of this organization")
    return int(asks["hub.challenge"])


@app.post("/whatsapp")
async def take_whatsapp_call(told: WhatsAppWebhookRequest, request: Request, background: BackgroundTasks) -> Any:
    async def connected(connection: Any, call: Any) -> None:
        session_id = request.headers.get("x-daily-session-id")
        arguments = SmallWebRTCSessionArguments(session_id=session_id, webrtc_connection=connection, body=call)
        background.add_task(run_bot, arguments)

    if app.state.whatsapp is None:
        app.state.whatsapp = WhatsAppClient(
            whatsapp_token=os.environ["WHATSAPP_TOKEN"],
            phone_number_id=os.environ["WHATSAPP_PHONE_NUMBER_ID"],
            whatsapp_secret=os.environ["WHATSAPP_APP_SECRET"],
            session=aiohttp.ClientSession(),
        )
    signature = request.headers.get("x-hub-signature-256")
    try:
        await app.state.whatsapp.handle_webhook_request(
            told, connected, sha256_signature=signature, raw_body=await request.body()
        )
    except ValueError as error:
        raise HTTPException(400, f"Invalid request: {error}") from error
    except Exception as error:
        logger.error(f"The webhook failed: {error}")
        raise HTTPException(500, "Internal server error processing webhook") from error
    return {"status": "success", "message": "Webhook processed successfully"}


@app.post("/v1/public/{agent}/start")
async def activate(agent: str, request: Request, background: BackgroundTasks) -> dict[str, Any]:
    """The hosting service: it starts a session for whoever has a key, and answers before the bot does anything."""
    if request.headers.get("authorization") != f"Bearer {KEY}":
        raise HTTPException(401, "no key of this organization")
    wanted = await request.json()
    session_id = f"session-{len(sessions)}"
    headers, answer = {"x-daily-session-id": session_id}, {"sessionId": session_id}
    if wanted.get("createDailyRoom"):
        room = stand_in_room.make(wanted.get("dailyRoomProperties") or {})
        headers |= {"x-daily-room-url": room, "x-daily-room-token": "service-token"}
        answer |= {"dailyRoom": room, "dailyToken": "guest-token"}
    if wanted.get("transport") == "moq":
        moq_headers, answer["moq"] = await relayed(session_id)
        headers |= moq_headers
    background.add_task(run_bot, arguments_of(wanted.get("body") or {}, headers))
    return answer


async def relayed(session_id: str) -> tuple[dict[str, str], dict[str, Any]]:
    """The headers for the bot and the answer for the client of a session that meets at the relay."""
    if app.state.relay is None:
        app.state.relay = await relay.Relay.start()
    url, namespace = f"{app.state.relay.url}/?jwt=any", f"pcc/{session_id}"
    headers = {"x-daily-transport-type": "moq", "x-moq-relay-url": url, "x-moq-namespace": namespace}
    return headers, {
        "relayUrl": url,
        "namespace": namespace,
        "clientId": "request",
        "botId": "response",
        "transcriptTrack": "transcript.json.z",
        "certHash": app.state.relay.fingerprint,
    }


@app.api_route("/rest/{host}/{path:path}", methods=["GET", "POST", "DELETE"])
async def rest(host: str, path: str, request: Request) -> Any:
    """Daily's API and those of the carriers."""
    data = await request.body()
    form = "form" in request.headers.get("content-type", "")
    body = dict(parse_qsl(data.decode())) if form else json.loads(data or b"null")
    authorization = request.headers.get("authorization", "")
    asked.append({"request": f"{request.method} https://{host}/{path}", "authorization": authorization, "body": body})
    match host, path:
        case "api.daily.co", "v1/rooms":
            properties = body["properties"]
            if properties.get("sip"):
                properties["sip_uri"] = {"endpoint": "room@sip.example.com"}
            url = stand_in_room.make(properties, body["name"])
            return {
                "id": "1",
                "name": body["name"],
                "api_created": True,
                "privacy": body.get("privacy", "public"),
                "url": url,
                "created_at": "2026-01-01",
                "config": properties,
            }
        case "api.daily.co", "v1/meeting-tokens":
            return {"token": "room-token"}
        case "api.daily.co", "v1/dialin/pinlessCallUpdate":
            stand_in_room.ring(body["sipUri"])
        case "lemonslice.com", "api/liveai/sessions":
            # The avatar goes to the room that the bot names.
            stand_in_room.invite_avatar(body["properties"]["daily_url"])
            control = "https://lemonslice.com/api/liveai/sessions/1/control"
            return {"session_id": "1", "room_url": body["properties"]["daily_url"], "control_url": control}
        case "api.twilio.com", _ if request.method == "GET":
            return {"sid": "CA0", "from": "+15550100", "to": "+15550101"}
        case "api.twilio.com", _ if "Twiml" in (body or {}):
            # Twilio connects the caller to the line that the document names.
            stand_in_room.ring(body["Twiml"])
    return {"sid": "CA0"}


@app.get("/world")
async def world() -> dict[str, Any]:
    return {"sessions": sessions, "asked": asked, "rooms": stand_in_room.seen()}


def redirect() -> None:
    """Sends what is meant for Daily and the carriers here, whichever library sends it."""
    aiohttp_request, requests_send = aiohttp.ClientSession._request, requests.Session.send

    def elsewhere(url: str) -> str:
        parts = urlsplit(url)
        if parts.hostname == "graph.facebook.com":
            return f"{os.environ['STAND_IN_WHATSAPP']}{parts.path}"
        return f"{address}/rest/{parts.hostname}{parts.path}" if parts.hostname in REDIRECTED else url

    async def through_aiohttp(session: aiohttp.ClientSession, method: str, url: Any, **options: Any) -> Any:
        return await aiohttp_request(session, method, URL(elsewhere(str(url))), **options)

    def through_requests(session: requests.Session, prepared: Any, **options: Any) -> Any:
        prepared.url = elsewhere(prepared.url)
        return requests_send(session, prepared, **options)

    aiohttp.ClientSession._request = through_aiohttp
    requests.Session.send = through_requests


def main() -> None:
    global bot, address
    listener = socket.create_server(("127.0.0.1", 0))
    address = f"http://127.0.0.1:{listener.getsockname()[1]}"
    redirect()
    stand_in_room.install()
    server = Path(sys.argv[1])
    with tempfile.TemporaryDirectory() as folder:
        lay_out(server, Path(folder))
        os.chdir(folder)
        sys.path.insert(0, folder)
        os.environ.pop("ENV", None)
        began = time.monotonic()
        bot = importlib.import_module("bot")
        logger.info(f"bot.py was imported in {time.monotonic() - began:.1f} s")
        print(address, flush=True)
        serving = uvicorn.Server(uvicorn.Config(app, log_level="warning"))
        asyncio.run(serving.serve(sockets=[listener]))


if __name__ == "__main__":
    main()
