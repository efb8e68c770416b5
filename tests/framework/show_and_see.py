"""Talks to a bot over WebRTC with a camera: `show_and_see.py ADDRESS [--camera-off]`.

The camera shows something red, and the client asks in writing which color it is. It prints what the bot said, and the
size and the colors of the bot's own picture, as JSON.
"""

import argparse
import asyncio
import json
from typing import Any

import aiohttp
import numpy
from aiortc import MediaStreamTrack, RTCPeerConnection, RTCSessionDescription, VideoStreamTrack
from av import VideoFrame

QUESTION = "Which color do I hold up?"
PATIENCE = 60.0
# The place of the camera among the tracks.
CAMERA = 1


class Red(VideoStreamTrack):
    async def recv(self) -> VideoFrame:
        frame = VideoFrame.from_ndarray(numpy.full((240, 320, 3), (255, 0, 0), numpy.uint8), format="rgb24")
        frame.pts, frame.time_base = await self.next_timestamp()
        return frame


class Client:
    def __init__(self, camera: bool) -> None:
        self.connection = RTCPeerConnection()
        self.channel = self.connection.createDataChannel("rtvi")
        self.camera = camera
        self.said: list[str] = []
        self.answers = asyncio.Queue[str]()
        self.opened = asyncio.Event()
        self.sizes: set[tuple[int, int]] = set()
        self.colors: list[str] = []
        self.connection.addTransceiver("audio", direction="sendrecv")
        if camera:
            self.connection.addTrack(Red())
        else:
            self.connection.addTransceiver("video", direction="recvonly")
        self.channel.on("open", self.opened.set)
        self.channel.on("message", self.receive)
        self.connection.on("track", lambda track: tasks.append(asyncio.ensure_future(self.watch(track))))

    def receive(self, data: str) -> None:
        message = json.loads(data) if data.startswith("{") else {}
        match message.get("type"):
            case "bot-llm-text":
                self.said.append(message["data"]["text"])
            case "bot-llm-stopped":
                # A response that only calls a tool has no words.
                if words := "".join(self.said).strip():
                    self.answers.put_nowait(words)
                self.said.clear()

    async def watch(self, track: MediaStreamTrack) -> None:
        while True:
            frame = await track.recv()
            if isinstance(frame, VideoFrame):
                self.sizes.add((frame.width, frame.height))
                red, green, blue = (int(part) for part in frame.to_ndarray(format="rgb24")[120, 160])
                color = max((red, "orange"), (green, "green"), (blue, "blue"))[1]
                if [color] != self.colors[-1:]:
                    self.colors.append(color)

    async def tell(self, kind: str, data: dict[str, Any]) -> None:
        self.channel.send(json.dumps({"label": "rtvi-ai", "id": kind, "type": kind, "data": data}))

    async def connect(self, address: str) -> None:
        await self.connection.setLocalDescription(await self.connection.createOffer())
        described = {"sdp": self.connection.localDescription.sdp, "type": self.connection.localDescription.type}
        async with aiohttp.ClientSession() as session, session.post(f"{address}/api/offer", json=described) as response:
            answer = await response.json()
        await self.connection.setRemoteDescription(RTCSessionDescription(answer["sdp"], answer["type"]))
        await asyncio.wait_for(self.opened.wait(), PATIENCE)
        # So do the framework's own clients.
        status = {"type": "trackStatus", "receiver_index": CAMERA, "enabled": self.camera}
        self.channel.send(json.dumps({"type": "signalling", "message": status}))

    async def talk(self) -> dict[str, Any]:
        about = {"library": "stand-in", "library_version": "1"}
        await self.tell("client-ready", {"version": "2.0.0", "about": about})
        greeting = await asyncio.wait_for(self.answers.get(), PATIENCE)
        if self.camera:
            # Until a picture has arrived, there is nothing to see.
            await asyncio.sleep(2)
        await self.tell("send-text", {"content": QUESTION})
        answer = await asyncio.wait_for(self.answers.get(), PATIENCE)
        return {"greeting": greeting, "answer": answer}

    async def saw(self) -> dict[str, Any]:
        """The bot's picture, after the bot has spoken and listens again."""
        async with asyncio.timeout(PATIENCE):
            while "green" not in self.colors or self.colors[-1] != "blue":
                await asyncio.sleep(0.05)
        return {"sizes": sorted(self.sizes), "colors": self.colors}


tasks: list[asyncio.Future[None]] = []


async def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("address", help="where the bot listens: http://127.0.0.1:PORT")
    parser.add_argument("--camera-off", action="store_true")
    parser.add_argument("--watch", action="store_true", help="watch the bot's picture, too")
    given = parser.parse_args()
    client = Client(camera=not given.camera_off)
    try:
        await client.connect(given.address)
        found = await client.talk()
        print(json.dumps(found | (await client.saw() if given.watch else {})))
    finally:
        for task in tasks:
            task.cancel()
        await client.connection.close()


if __name__ == "__main__":
    asyncio.run(main())
