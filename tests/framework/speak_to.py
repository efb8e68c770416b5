"""Speaks to a bot on the telephone or from a browser: `speak_to.py twilio|webrtc ADDRESS`.

`--say FILE@MOMENT` plays a recording, `--type WORDS@MOMENT` writes, on the telephone with its keys: at `2` after the second
thing that the bot has said, at `2+` while it says that. The caller hangs up after `--things` things, or waits until the bot does.
Printed as JSON: for each thing that the bot said, how many seconds after the caller's last word it began and how long
it took, and whether the bot ended the call.
"""

import argparse
import asyncio
import base64
import fractions
import json
import time
import wave
from typing import Any

import aiohttp
import av
import numpy as np
from aiortc import MediaStreamTrack, RTCPeerConnection, RTCSessionDescription
from websockets.asyncio.client import connect

from stand_in_carrier import CARRIERS, HOST, LOUD, stream_path

PATIENCE = 90.0
FRAME_SECONDS = 0.02
# So much of what the bot says is heard before the caller speaks into it.
INTO = 0.15


class Caller:
    def __init__(self, given: argparse.Namespace, rate: int) -> None:
        self.rate, self.things, self.pause = rate, given.things, given.pause
        self.recordings = {moment: samples_of(path, rate) for path, moment in given.say}
        self.writings = {moment: words for words, moment in given.type}
        self.write = print
        self.outgoing = np.zeros(0, np.int16)
        self.since = time.monotonic()
        self.said: list[dict[str, float]] = []
        self.began = self.last = 0.0
        self.over = asyncio.Event()

    def next_samples(self) -> Any:
        count = int(self.rate * FRAME_SECONDS)
        samples, self.outgoing = self.outgoing[:count], self.outgoing[count:]
        if len(samples):
            self.since = time.monotonic()
        return np.pad(samples, (0, count - len(samples)))

    def hear(self, samples: Any) -> None:
        now = time.monotonic()
        if np.abs(samples.astype(np.int32)).max(initial=0) <= LOUD:
            return
        if not self.began:
            self.began = now
            self.said.append({"after": round(now - self.since, 1)})
        self.last = now

    def look(self) -> None:
        now = time.monotonic()
        if self.began and now - self.began > INTO:
            self.speak(f"{len(self.said)}+")
        if self.began and now - self.last > self.pause:
            self.said[-1]["seconds"] = round(self.last - self.began, 1)
            self.began = 0.0
            self.speak(str(len(self.said)))
            if len(self.said) == self.things:
                self.over.set()

    def speak(self, moment: str) -> None:
        if moment in self.writings:
            self.write({"type": "send-text", "data": {"content": self.writings.pop(moment)}})
        samples = self.recordings.pop(moment, None)
        if samples is not None:
            self.outgoing, self.since = samples, time.monotonic()


def samples_of(path: str, rate: int) -> Any:
    with wave.open(path) as file:
        samples, recorded = np.frombuffer(file.readframes(file.getnframes()), np.int16), file.getframerate()
    places = np.arange(0, len(samples), recorded / rate)
    return np.interp(places, np.arange(len(samples)), samples).astype(np.int16)


async def on_the_telephone(given: argparse.Namespace) -> tuple[Caller, bool]:
    carrier = CARRIERS["twilio"]
    caller = Caller(given, 8_000)
    async with connect(given.address.replace("http", "ws", 1) + stream_path(carrier, given.address, HOST)) as line:
        for message in carrier.greeting:
            await line.send(json.dumps(message))

        async def listen() -> None:
            async for message in line:
                message = json.loads(message)
                if message.get("event") == "media":
                    caller.hear(np.array(carrier.decode(base64.b64decode(message["media"]["payload"]))))

        pressed: list[str] = []
        caller.write = lambda message: pressed.extend(message["data"]["content"])

        async def speak() -> None:
            due = time.monotonic()
            while True:
                while pressed:
                    key = {"track": "inbound_track", "digit": pressed.pop(0)}
                    await line.send(json.dumps(carrier.media | {"event": "dtmf", "dtmf": key}))
                payload = base64.b64encode(carrier.encode(caller.next_samples().tolist())).decode()
                await line.send(json.dumps(carrier.media | {"media": {"track": "inbound", "payload": payload}}))
                due += FRAME_SECONDS
                await asyncio.sleep(max(0, due - time.monotonic()))

        return caller, await hold(caller, listen(), speak())


class Microphone(MediaStreamTrack):
    kind = "audio"

    def __init__(self, caller: Caller) -> None:
        super().__init__()
        self.caller, self.sent, self.began = caller, 0, time.monotonic()

    async def recv(self) -> av.AudioFrame:
        samples = self.caller.next_samples()
        await asyncio.sleep(max(0, self.began + self.sent / self.caller.rate - time.monotonic()))
        frame = av.AudioFrame.from_ndarray(samples.reshape(1, -1), format="s16", layout="mono")
        frame.sample_rate, frame.pts, frame.time_base = (
            self.caller.rate,
            self.sent,
            fractions.Fraction(1, self.caller.rate),
        )
        self.sent += len(samples)
        return frame


async def from_a_browser(given: argparse.Namespace) -> tuple[Caller, bool]:
    caller = Caller(given, 48_000)
    connection = RTCPeerConnection()
    channel = connection.createDataChannel("rtvi")
    connection.addTrack(Microphone(caller))
    track = asyncio.get_running_loop().create_future()
    about = {"library": "stand-in", "library_version": "1"}
    ready = {"type": "client-ready", "data": {"version": "2.0.0", "about": about}}

    def write(message: dict[str, Any]) -> None:
        caller.since = time.monotonic()
        channel.send(json.dumps({"label": "rtvi-ai", "id": "1"} | message))

    caller.write = write
    channel.on("open", lambda: write(ready))
    connection.on("track", lambda sound: track.done() or track.set_result(sound))
    await connection.setLocalDescription(await connection.createOffer())
    described = {"sdp": connection.localDescription.sdp, "type": connection.localDescription.type}
    async with (
        aiohttp.ClientSession() as session,
        session.post(f"{given.address}/api/offer", json=described) as response,
    ):
        answer = await response.json()
    await connection.setRemoteDescription(RTCSessionDescription(answer["sdp"], answer["type"]))

    async def listen() -> None:
        sound = await track
        while connection.connectionState not in {"closed", "failed"}:
            frame = await sound.recv()
            caller.hear(frame.to_ndarray().ravel())

    try:
        return caller, await hold(caller, listen(), asyncio.Event().wait())
    finally:
        await connection.close()


async def hold(caller: Caller, listening: Any, speaking: Any) -> bool:
    """Hold the call; return whether the bot has ended it."""

    async def look() -> None:
        while not caller.over.is_set():
            caller.look()
            await asyncio.sleep(0.05)

    ear, mouth, eye = map(asyncio.ensure_future, (listening, speaking, look()))
    await asyncio.wait({ear, mouth, eye}, timeout=PATIENCE, return_when=asyncio.FIRST_COMPLETED)
    ended = not eye.done() and (ear.done() or mouth.done())
    assert ended or eye.done(), f"nobody hung up: {caller.said}"
    for task in (ear, mouth, eye):
        task.cancel()
    await asyncio.gather(ear, mouth, eye, return_exceptions=True)
    return ended


def moment(text: str) -> tuple[str, str]:
    what, _, moment = text.partition("@")
    return what, moment


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("way", choices=["twilio", "webrtc"])
    parser.add_argument("address", help="where the bot listens: http://127.0.0.1:PORT")
    parser.add_argument("--say", action="append", default=[], type=moment, metavar="FILE@MOMENT")
    parser.add_argument("--type", action="append", default=[], type=moment, metavar="WORDS@MOMENT")
    parser.add_argument("--things", type=int, default=0)
    parser.add_argument("--pause", type=float, default=0.7, help="so long a pause ends what the bot says")
    given = parser.parse_args()
    way = {"twilio": on_the_telephone, "webrtc": from_a_browser}[given.way]
    caller, ended = asyncio.run(way(given))
    print(json.dumps({"said": caller.said, "ended": ended}))


if __name__ == "__main__":
    main()
