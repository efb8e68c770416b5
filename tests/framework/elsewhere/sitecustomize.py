"""Puts a stand-in in the place of a company's own client: STAND_IN is `livekit` or `vonage`.

For that, this folder is on `PYTHONPATH`. The classes below are what the framework uses of those clients; no server is
asked for anything. One guest comes, listens to the bot, asks it something where the transport carries messages, listens
again and leaves. Then what happened is printed on a line that begins with `STAND-IN `.
"""

import asyncio
import json
import os
import statistics
import threading
import time
from collections.abc import Callable
from datetime import datetime
from types import SimpleNamespace
from typing import Any

# How long the bot is silent once it has finished, and how long it may take to begin.
SILENCE, PATIENCE = 1.0, 60.0
LOUD = 500


class Guest:
    """Hears the bot; `seen` is what is printed at the end."""

    def __init__(self) -> None:
        self.seen: dict[str, Any] = {"said": []}
        self.samples: list[int] = []
        self.last = 0.0
        self.rate = 0

    def hear(self, samples: Any, rate: int) -> None:
        if max(map(abs, samples), default=0) > LOUD:
            self.samples += samples
            self.rate, self.last = rate, time.monotonic()

    def finished(self) -> bool:
        return bool(self.samples) and time.monotonic() - self.last > SILENCE

    def report(self) -> None:
        rises = [place for place in range(1, len(self.samples)) if self.samples[place - 1] < 0 <= self.samples[place]]
        periods = [later - earlier for earlier, later in zip(rises, rises[1:], strict=False)]
        self.seen |= {"seconds": len(self.samples) / self.rate, "hertz": self.rate / statistics.median(periods)}
        print(f"STAND-IN {json.dumps(self.seen)}", flush=True)


class Room:
    """`livekit.rtc.Room`"""

    latest: "Room | None" = None

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self.loop = loop
        self.handlers: dict[str, Callable[..., Any]] = {}
        self.guest = Guest()
        self.local_participant = self
        self.identity = "bot"
        self.remote_participants: dict[str, Any] = {}
        Room.latest = self

    def on(self, event: str) -> Callable[..., Any]:
        return lambda handler: self.handlers.setdefault(event, handler)

    async def connect(self, url: str, token: str, options: Any) -> None:
        self.guest.seen |= {"address": url, "token": token}
        self.visit = self.loop.create_task(self.be_visited())

    async def be_visited(self) -> None:
        guest = SimpleNamespace(identity="guest", sid="PA_guest", track_publications={})
        self.remote_participants["guest"] = guest
        self.handlers["participant_connected"](guest)
        about = {"library": "stand-in", "library_version": "1"}
        for kind, data in (
            ("client-ready", {"version": "2.0.0", "about": about}),
            ("send-text", {"content": "What is the capital of France?"}),
        ):
            message = {"label": "rtvi-ai", "id": kind, "type": kind, "data": data}
            self.handlers["data_received"](SimpleNamespace(data=json.dumps(message).encode(), participant=guest))
            self.guest.last, heard = time.monotonic(), len(self.guest.samples)
            async with asyncio.timeout(PATIENCE):
                while len(self.guest.samples) == heard or not self.guest.finished():
                    await asyncio.sleep(SILENCE / 10)
        del self.remote_participants["guest"]
        self.handlers["participant_disconnected"](guest)

    async def publish_track(self, track: Any, options: Any) -> None:
        self.guest.seen.setdefault("tracks", []).append(track.name)

    async def publish_data(self, data: Any, **_: Any) -> None:
        message = json.loads(data)
        if message.get("type") == "bot-llm-text":
            self.guest.seen["said"].append(message["data"]["text"])

    async def disconnect(self) -> None:
        self.guest.report()


class Source:
    """`livekit.rtc.AudioSource`: takes as long as the sound."""

    def __init__(self, sample_rate: int, channels: int, **_: Any) -> None:
        self.sample_rate, self.channels = sample_rate, channels

    async def capture_frame(self, frame: Any) -> None:
        Room.latest.guest.hear(memoryview(frame.data).cast("B").cast("h"), frame.sample_rate)
        await asyncio.sleep(frame.samples_per_channel / frame.sample_rate)

    async def aclose(self) -> None:
        pass


class Track:
    """`livekit.rtc.LocalAudioTrack`"""

    def __init__(self, name: str) -> None:
        self.name = name

    @classmethod
    def create_audio_track(cls, name: str, source: Source) -> "Track":
        return cls(name)


class Session:
    """`vonage_video_connector.VonageVideoClient`: its callbacks come from a thread, as the native ones do."""

    def __init__(self) -> None:
        self.guest = Guest()
        self.left = threading.Event()
        self.events: dict[str, Callable[..., None]] = {}
        self.subscribed: dict[str, Callable[..., None]] = {}

    def connect(self, application_id: str, session_id: str, token: str, session_settings: Any, **events: Any) -> bool:
        self.guest.seen |= {"application": application_id, "session": session_id, "token": token}
        self.session, self.events = SimpleNamespace(id=session_id), events
        threading.Thread(target=self.begin, daemon=True).start()
        return True

    def begin(self) -> None:
        self.events["on_connected_cb"](self.session)
        self.events["on_ready_for_audio_cb"](self.session)

    def publish(self, settings: Any, **_: Any) -> bool:
        self.guest.seen["publishes"] = [settings.has_audio, settings.has_video]
        threading.Thread(target=self.be_visited, daemon=True).start()
        return True

    def be_visited(self) -> None:
        connection = SimpleNamespace(id="guest", data="", creation_time=datetime.now())
        self.stream = SimpleNamespace(id="guest-1", connection=connection)
        self.events["on_stream_received_cb"](self.session, self.stream)
        deadline = time.monotonic() + PATIENCE
        while not self.guest.finished() and time.monotonic() < deadline:
            self.left.wait(SILENCE / 10)
        self.subscribed["on_disconnected_cb"](SimpleNamespace(stream=self.stream))
        self.events["on_stream_dropped_cb"](self.session, self.stream)

    def subscribe(self, stream: Any, settings: Any, **events: Any) -> bool:
        self.guest.seen["hears"] = settings.subscribe_to_audio
        self.subscribed = events
        threading.Thread(target=events["on_connected_cb"], args=[SimpleNamespace(stream=stream)], daemon=True).start()
        return True

    def add_audio(self, audio: Any) -> bool:
        self.guest.hear(audio.sample_buffer, audio.sample_rate)
        return True

    def disconnect(self) -> bool:
        self.left.set()
        self.guest.report()
        self.events["on_disconnected_cb"](self.session)
        return True

    def unsubscribe(self, stream: Any) -> bool:
        return True

    def unpublish(self) -> bool:
        return True

    def clear_media_buffers(self) -> None:
        pass


match os.environ["STAND_IN"]:
    case "livekit":
        from livekit import rtc

        rtc.Room, rtc.AudioSource, rtc.LocalAudioTrack = Room, Source, Track
    case "vonage":
        import vonage_video_connector

        vonage_video_connector.VonageVideoClient = Session
