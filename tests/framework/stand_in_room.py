"""Daily's rooms, without Daily: takes the place of its native client below the framework's transport.

A room does what its properties allow. In one for dial-out, whoever is called answers. In one with a SIP line, the line
becomes ready, and the caller is there once somebody has connected the call. In any other, a browser waits; if an avatar
was invited, the avatar comes first, and lends the browser its ears: it hears the bot on a track of that name. Everybody
listens to the bot and leaves when it has said something and is silent: a telephone then hangs up.
"""

import asyncio
import json
import os
import statistics
import struct
import threading
from collections.abc import Callable
from typing import Any

from pipecat.transports.daily import transport

ENDPOINT = "room@sip.example.com"
RTVI = "rtvi-ai"
# How long the bot is silent once it has finished, and how long it may take to begin.
SILENCE, PATIENCE = 1.0, 60.0
# How long it rings at whoever does not answer a transfer.
RINGING = 4.0
LOUD = 500

_properties: dict[str, dict[str, Any]] = {}
_clients: list["Client"] = []
_with_avatar: set[str] = set()


def make(properties: dict[str, Any], name: str = "room") -> str:
    url = f"https://example.daily.co/{name}"
    _properties[url] = properties
    return url


def invite_avatar(url: str) -> None:
    _with_avatar.add(url)


def ring(connected_to: str) -> None:
    """A caller is connected to a line."""
    for client in _clients:
        if ENDPOINT in connected_to and not client.left.is_set():
            client.connected.set()


def seen() -> list[dict[str, Any]]:
    return [client.seen for client in _clients]


def install() -> None:
    transport.CallClient = Client
    transport.CustomAudioSource = Source
    transport.CustomAudioTrack = Track


class Source:
    """The bot's microphone, at the speed of sound."""

    heard: "Client | None" = None

    def __init__(self, sample_rate: int, channels: int, *_: Any) -> None:
        self.sample_rate, self.channels = sample_rate, channels
        self.track = "microphone"

    def write_frames(self, frames: bytes, completion: Callable[[int], None]) -> None:
        count = len(frames) // 2 // self.channels
        client = next((client for client in reversed(_clients) if not client.left.is_set()), None)
        if client:
            client.hear(struct.unpack(f"<{len(frames) // 2}h", frames), self.sample_rate, self.track)
        asyncio.get_running_loop().call_later(count / self.sample_rate, completion, count)


class Track:
    def __init__(self, source: Source) -> None:
        self.id = f"track-{id(source)}"
        self.source = source


class Client:
    """What the framework uses of `daily.CallClient`. Events come from a thread, as from the native client."""

    def __init__(self, event_handler: Any) -> None:
        self.events = event_handler
        self.left, self.connected, self.answered = threading.Event(), threading.Event(), threading.Event()
        self.ready, self.loud, self.told = threading.Event(), threading.Event(), threading.Condition()
        self.ringing = threading.Event()
        self.seen: dict[str, Any] = {"room": None, "token": None, "dialled": [], "said": [], "problem": None}
        self.samples: list[int] = []
        self.rate = 0
        self.quiet_since = 0.0
        _clients.append(self)

    def __getattr__(self, name: str) -> Any:
        """Settings that make no difference here."""
        if not name.startswith(("update_", "set_")):
            raise AttributeError(name)

        def done(*_: Any, completion: Callable[..., None] | None = None, **__: Any) -> None:
            if completion:
                completion(None)

        return done

    def join(self, url: str, token: str, completion: Callable[..., None], client_settings: Any) -> None:
        self.seen |= {"room": url, "token": token}
        if url not in _properties:
            completion(None, "there is no such room")
            return
        completion({"participants": {"local": {"id": "bot"}}, "meetingSession": {"id": "1"}}, None)
        threading.Thread(target=self.live, args=(_properties[url],), daemon=True).start()

    def live(self, properties: dict[str, Any]) -> None:
        try:
            if properties.get("sip"):
                self.call()
            elif properties.get("enable_dialout"):
                self.be_called()
            elif self.seen["room"] in _with_avatar:
                self.watch()
            else:
                self.browse()
        except Exception as error:
            self.seen["problem"] = f"{type(error).__name__}: {error}"
        self.events.on_participant_left({"id": "guest"}, "left")

    def be_called(self) -> None:
        await_(self.answered, "nobody was called")
        self.events.on_dialout_connected({"sessionId": "dialout-1"})
        self.events.on_participant_joined({"id": "guest"})
        self.events.on_dialout_answered({"sessionId": "dialout-1"})
        if machine := os.environ.get("MACHINE_SAYS"):
            said = {"participantId": "guest", "text": machine, "timestamp": "", "rawResponse": {"is_final": True}}
            self.events.on_transcription_message(said)
        if person := os.environ.get("PERSON_SAYS"):
            await_(self.loud, "the bot left no message")
            self.events.on_transcription_message(said | {"text": person})
        self.listen()
        self.events.on_dialout_stopped({"sessionId": "dialout-1"})

    def call(self) -> None:
        self.events.on_dialin_ready(ENDPOINT)
        await_(self.connected, "the caller was never connected")
        self.events.on_dialin_connected({"sessionId": "dialin-1"})
        self.events.on_participant_joined({"id": "guest"})
        self.listen()
        if keys := os.environ.get("PRESSES"):
            self.loud.clear()
            for key in keys:
                self.events.on_dtmf_event({"tone": key})
            self.listen()
        self.events.on_dialin_stopped({"sessionId": "dialin-1"})

    def browse(self) -> None:
        self.events.on_participant_joined({"id": "guest"})
        about = {"library": "stand-in", "library_version": "1"}
        self.tell("client-ready", {"version": "2.0.0", "about": about})
        self.listen()
        self.samples.clear()
        self.loud.clear()
        self.tell("send-text", {"content": "What is the capital of France?"})
        self.listen()

    def watch(self) -> None:
        self.events.on_participant_joined({"id": "avatar", "info": {"userName": "LemonSlice"}})
        self.events.on_participant_joined({"id": "guest", "info": {"userName": "A guest"}})
        self.listen()

    def tell(self, kind: str, data: dict[str, Any]) -> None:
        self.events.on_app_message({"label": RTVI, "id": kind, "type": kind, "data": data}, "guest")

    def listen(self) -> None:
        """Until the bot has said something."""
        await_(self.loud, "the bot never said anything")
        length = -1
        while length != len(self.samples) or self.ringing.is_set():
            length = len(self.samples)
            self.left.wait(SILENCE)
        self.seen["seconds"] = round(len(self.samples) / self.rate, 2)
        rises = [place for place in range(1, length) if self.samples[place - 1] < 0 <= self.samples[place]]
        periods = [later - earlier for earlier, later in zip(rises, rises[1:], strict=False)]
        self.seen["hertz"] = round(self.rate / statistics.median(periods), 1)

    def hear(self, samples: tuple[int, ...], rate: int, track: str) -> None:
        """Between the first sound and the last: the silence that keeps a track alive is left out."""
        if max(map(abs, samples), default=0) > LOUD:
            self.seen["track"] = track
            self.samples += samples
            self.rate = rate
            self.loud.set()

    def start_dialout(self, settings: Any, completion: Callable[..., None]) -> None:
        self.seen["dialled"].append(settings)
        completion("dialout-1", None)
        self.answered.set()

    def sip_call_transfer(self, settings: Any, completion: Callable[..., None]) -> None:
        """Whoever the caller is transferred to answers, or with TRANSFER_FAILS nobody does after a while."""
        if not _properties[self.seen["room"]].get("enable_dialout"):
            return completion("the room calls nobody")
        self.seen["transferred"] = settings
        completion(None)
        ends = self.ring_in_vain if "TRANSFER_FAILS" in os.environ else self.events.on_dialout_answered
        threading.Thread(target=ends, args=({"sessionId": "transfer-1"},), daemon=True).start()

    def ring_in_vain(self, data: dict[str, str]) -> None:
        self.ringing.set()
        self.left.wait(RINGING)
        self.events.on_dialout_error(data)
        self.left.wait(SILENCE)
        self.ringing.clear()

    def add_custom_audio_track(
        self, track_name: str, audio_track: Track, completion: Callable[..., None], **_: Any
    ) -> None:
        audio_track.source.track = track_name
        completion(None)

    def remove_custom_audio_track(self, track_name: str, completion: Callable[..., None]) -> None:
        completion(None)

    def send_app_message(self, message: Any, participant: Any, completion: Callable[..., None]) -> None:
        message = json.loads(message) if isinstance(message, str) else message
        if message.get("type") == "bot-llm-text":
            self.seen["said"].append(message["data"]["text"])
        completion(None)

    def leave(self, completion: Callable[..., None]) -> None:
        self.left.set()
        completion(None)

    def release(self) -> None:
        self.left.set()

    def participants(self) -> dict[str, Any]:
        return {}


def await_(event: threading.Event, problem: str) -> None:
    if not event.wait(PATIENCE):
        raise TimeoutError(problem)
