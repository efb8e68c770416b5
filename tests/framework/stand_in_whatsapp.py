"""A stand-in for WhatsApp and for somebody who calls: `stand_in_whatsapp.py`.

It prints the address of its API and serves until it is ended. `POST /call?bot=ADDRESS&verify=TOKEN` has it prove its
webhook to the bot as WhatsApp does, tell of a call with a forged signature, and call: the caller's telephone hums one
tone, brings no channel for messages, and listens until the bot has spoken; then it hangs up. The answer says what the
webhook answered, what was asked of the API, and what was heard: for how many seconds, and at which pitch.
"""

import asyncio
import hashlib
import hmac
import json
import math
import socket
from fractions import Fraction
from typing import Any

import aiohttp
import av
import numpy
from aiohttp import web
from aiortc import MediaStreamTrack, RTCConfiguration, RTCPeerConnection, RTCSessionDescription

APP_SECRET = "the app's secret"
VERIFY_TOKEN = "the verify token"
PHONE = "100000000000001"
CALLER = "15550100123"
RATE = 48_000
FRAME = 960
LOUD = 500
SECONDS = 60

calls: dict[str, "Call"] = {}


class Hum(MediaStreamTrack):
    """The caller's voice: one tone, 440 Hz, at the pace of speech."""

    kind = "audio"

    def __init__(self) -> None:
        super().__init__()
        self.at = 0

    async def recv(self) -> av.AudioFrame:
        await asyncio.sleep(FRAME / RATE)
        times = numpy.arange(self.at, self.at + FRAME) / RATE
        samples = (6000 * numpy.sin(2 * math.pi * 440 * times)).astype(numpy.int16)
        frame = av.AudioFrame.from_ndarray(samples.reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = RATE, self.at, Fraction(1, RATE)
        self.at += FRAME
        return frame


class Call:
    """The telephone and the company between."""

    def __init__(self) -> None:
        self.telephone = RTCPeerConnection(RTCConfiguration(iceServers=[]))
        self.telephone.addTrack(Hum())
        self.asked: list[dict[str, Any]] = []
        self.accepted = asyncio.Event()
        self.heard: list[numpy.ndarray] = []
        self.spoken_to = asyncio.Event()
        self.telephone.on("track", lambda track: asyncio.ensure_future(self.listen(track)))

    async def listen(self, track: MediaStreamTrack) -> None:
        """Keeps what is loud, until a third of a second of it was heard."""
        resampler = av.AudioResampler(format="s16", layout="mono", rate=RATE)
        loud = 0
        while not self.spoken_to.is_set():
            for frame in resampler.resample(await track.recv()):
                samples = frame.to_ndarray().reshape(-1)
                if numpy.abs(samples).max() > LOUD:
                    self.heard.append(samples)
                    loud += len(samples)
            if loud > RATE / 3:
                self.spoken_to.set()

    async def answer(self, request: web.Request) -> web.Response:
        """`POST /v23.0/PHONE/calls`"""
        body = await request.json()
        description = body.pop("session", None)
        self.asked.append({"path": request.path, "key": request.headers["Authorization"], **body})
        if body["action"] == "accept":
            answer = RTCSessionDescription(sdp=description["sdp"], type=description["sdp_type"])
            await self.telephone.setRemoteDescription(answer)
            self.accepted.set()
        return web.json_response({"success": True})

    def pitch(self) -> dict[str, float]:
        sound = numpy.concatenate(self.heard)
        rises = numpy.flatnonzero((sound[:-1] < 0) & (sound[1:] >= 0))
        return {"seconds": len(sound) / RATE, "hertz": RATE / float(numpy.median(numpy.diff(rises)))}


def event(name: str, **further: Any) -> dict[str, Any]:
    call = {"id": "call-1", "from": CALLER, "to": PHONE, "event": name, "timestamp": "1", "direction": "USER_INITIATED"}
    value = {
        "messaging_product": "whatsapp",
        "metadata": {"display_phone_number": PHONE, "phone_number_id": PHONE},
        "contacts": [{"profile": {"name": "A caller"}, "wa_id": CALLER}],
        "calls": [call | further],
    }
    entry = {"id": "business-1", "changes": [{"field": "calls", "value": value}]}
    return {"object": "whatsapp_business_account", "entry": [entry]}


async def place(request: web.Request) -> web.Response:
    """`POST /call?bot=ADDRESS&verify=TOKEN`"""
    call = calls[PHONE] = Call()
    try:
        async with aiohttp.ClientSession() as session:
            webhook = f"{request.query['bot']}/whatsapp"
            holding = hold(call, session, webhook, request.query.get("verify", VERIFY_TOKEN))
            return web.json_response(await asyncio.wait_for(holding, SECONDS))
    finally:
        await call.telephone.close()


async def answered(request: web.Request) -> web.Response:
    return await calls[PHONE].answer(request)


async def main() -> None:
    api = web.Application()
    api.router.add_post(f"/v23.0/{PHONE}/calls", answered)
    api.router.add_post("/call", place)
    runner = web.AppRunner(api)
    await runner.setup()
    listener = socket.create_server(("127.0.0.1", 0))
    await web.SockSite(runner, listener).start()
    print(f"http://127.0.0.1:{listener.getsockname()[1]}", flush=True)
    await asyncio.Event().wait()


async def hold(call: Call, session: aiohttp.ClientSession, webhook: str, verify_token: str) -> dict[str, Any]:
    said: dict[str, Any] = {}
    asks = {"hub.mode": "subscribe", "hub.challenge": "4711"}
    for what, token in (("proof", verify_token), ("wrong proof", "another")):
        async with session.get(webhook, params=asks | {"hub.verify_token": token}) as answer:
            said[what] = [answer.status, (await answer.text())[:40]]
    await call.telephone.setLocalDescription(await call.telephone.createOffer())
    offer = {"sdp": call.telephone.localDescription.sdp, "sdp_type": "offer"}
    ringing = json.dumps(event("connect", session=offer)).encode()
    forged = "sha256=" + hmac.new(b"another", ringing, hashlib.sha256).hexdigest()
    said["forged"] = await tell(session, webhook, ringing, forged)
    said["asked by a forger"] = len(call.asked)
    said["ringing"] = await tell(session, webhook, ringing)
    await call.accepted.wait()
    await call.spoken_to.wait()
    said["heard"] = call.pitch()
    over = json.dumps(event("terminate", status="COMPLETED", duration=1)).encode()
    said["over"] = await tell(session, webhook, over)
    said["asked"] = call.asked
    return said


async def tell(session: aiohttp.ClientSession, webhook: str, body: bytes, signature: str | None = None) -> int:
    proper = "sha256=" + hmac.new(APP_SECRET.encode(), body, hashlib.sha256).hexdigest()
    headers = {"Content-Type": "application/json", "X-Hub-Signature-256": signature or proper}
    async with session.post(webhook, data=body, headers=headers) as answer:
        return answer.status


if __name__ == "__main__":
    asyncio.run(main())
