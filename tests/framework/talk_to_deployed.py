"""Talks to a bot as a client: `talk_to_deployed.py websocket|webrtc ADDRESS [--at-once N] [--start]`.

The client says that it is ready, waits for the greeting, asks a question in writing, and hangs up when the answer is
there. It prints what the bot said, as JSON: the text, and for how many seconds there was sound. Of several clients at
once, none asks before all have been greeted.
"""

import argparse
import asyncio
import json
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
import pipecat.frames.protobufs.frames_pb2 as protobuf
from aiortc import RTCPeerConnection, RTCSessionDescription
from websockets.asyncio.client import connect

QUESTION = "What is the capital of France?"
PATIENCE = 60.0
LOUD = 500


class Talk:
    def __init__(self, send: Callable[[dict[str, Any]], Awaitable[None]], greeted: asyncio.Barrier) -> None:
        self.send, self.greeted = send, greeted
        self.said: list[str] = []
        self.answers = asyncio.Queue[str]()
        self.seconds = 0.0

    def receive(self, message: dict[str, Any]) -> None:
        match message.get("type"):
            case "bot-llm-text":
                self.said.append(message["data"]["text"])
            case "bot-llm-stopped":
                self.answers.put_nowait("".join(self.said))
                self.said.clear()

    def hear(self, samples: Any, rate: int) -> None:
        self.seconds += sum(1 for sample in samples if abs(sample) > LOUD) / rate

    async def hold(self) -> dict[str, Any]:
        about = {"library": "stand-in", "library_version": "1"}
        await self.tell("client-ready", {"version": "2.0.0", "about": about})
        greeting = await asyncio.wait_for(self.answers.get(), PATIENCE)
        await asyncio.wait_for(self.greeted.wait(), PATIENCE)
        await self.tell("send-text", {"content": QUESTION})
        answer = await asyncio.wait_for(self.answers.get(), PATIENCE)
        async with asyncio.timeout(PATIENCE):
            while self.seconds < 0.2:
                await asyncio.sleep(0.05)
        return {"greeting": greeting.strip(), "answer": answer.strip(), "seconds": round(self.seconds, 2)}

    async def tell(self, kind: str, data: dict[str, Any]) -> None:
        await self.send({"label": "rtvi-ai", "id": kind, "type": kind, "data": data})


async def ask(method: str, url: str, document: Any) -> dict[str, Any]:
    async with (
        aiohttp.ClientSession(raise_for_status=True) as session,
        session.request(method, url, json=document) as response,
    ):
        return await response.json()


async def over_websocket(address: str, greeted: asyncio.Barrier, start: bool) -> dict[str, Any]:
    url = address.replace("http", "ws", 1) + "/ws"
    if start:
        url = (await ask("POST", f"{address}/start", {"transport": "websocket"}))["wsUrl"]
    async with connect(url) as socket:

        async def send(message: dict[str, Any]) -> None:
            frame = protobuf.Frame(message=protobuf.MessageFrame(data=json.dumps(message)))
            await socket.send(frame.SerializeToString())

        async def listen() -> None:
            async for data in socket:
                frame = protobuf.Frame.FromString(data)
                if frame.WhichOneof("frame") == "message":
                    talk.receive(json.loads(frame.message.data))
                elif frame.WhichOneof("frame") == "audio":
                    talk.hear(memoryview(frame.audio.audio).cast("h"), frame.audio.sample_rate)

        talk = Talk(send, greeted)
        return await until_over(talk, listen())


async def over_webrtc(address: str, greeted: asyncio.Barrier, start: bool) -> dict[str, Any]:
    connection = RTCPeerConnection()
    channel = connection.createDataChannel("rtvi")
    connection.addTransceiver("audio", direction="sendrecv")
    opened, track = asyncio.Event(), asyncio.get_running_loop().create_future()

    async def send(message: dict[str, Any]) -> None:
        channel.send(json.dumps(message))

    talk = Talk(send, greeted)
    channel.on("open", opened.set)
    channel.on("message", lambda data: talk.receive(json.loads(data)) if data.startswith("{") else None)
    connection.on("track", lambda sound: track.done() or track.set_result(sound))
    await connection.setLocalDescription(await connection.createOffer())
    described = {"sdp": connection.localDescription.sdp, "type": connection.localDescription.type}
    if start:
        session = (await ask("POST", f"{address}/start", {"transport": "webrtc"}))["sessionId"]
        address = f"{address}/sessions/{session}"
    answer = await ask("POST", f"{address}/api/offer", described)
    if start:
        # So do the framework's own clients, at once and when the connection changes.
        candidates = {"pc_id": answer["pc_id"], "candidates": []}
        assert await ask("PATCH", f"{address}/api/offer", candidates) == {"status": "success"}
    await connection.setRemoteDescription(RTCSessionDescription(answer["sdp"], answer["type"]))

    async def listen() -> None:
        sound = await track
        while True:
            frame = await sound.recv()
            talk.hear(frame.to_ndarray().ravel()[:: len(frame.layout.channels)].tolist(), frame.sample_rate)

    try:
        await asyncio.wait_for(opened.wait(), PATIENCE)
        return await until_over(talk, listen())
    finally:
        await connection.close()


async def until_over(talk: Talk, listening: Any) -> dict[str, Any]:
    """What was said; a connection that breaks ends the talk at once."""
    ear, mouth = asyncio.ensure_future(listening), asyncio.ensure_future(talk.hold())
    await asyncio.wait({ear, mouth}, return_when=asyncio.FIRST_COMPLETED)
    if not mouth.done():
        mouth.cancel()
        await ear
        raise ConnectionError("the bot ended the session before it had answered")
    ear.cancel()
    return mouth.result()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("way", choices=["websocket", "webrtc"])
    parser.add_argument("address", help="where the bot listens: http://127.0.0.1:PORT")
    parser.add_argument("--at-once", type=int, default=1, help="how many clients there are")
    parser.add_argument("--start", action="store_true", help="ask `/start` first")
    given = parser.parse_args()
    said = asyncio.run(talks(given.way, given.address, given.at_once, given.start))
    print(json.dumps(said[0] if given.at_once == 1 else said))


async def talks(way: str, address: str, count: int, start: bool) -> list[dict[str, Any]]:
    talk = {"websocket": over_websocket, "webrtc": over_webrtc}[way]
    greeted = asyncio.Barrier(count)
    return await asyncio.gather(*(talk(address, greeted, start) for _ in range(count)))


if __name__ == "__main__":
    main()
