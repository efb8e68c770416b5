"""Drives the web server of a generated telephone bot: `drive_call_server.py TRANSPORT SERVER_FOLDER`.

The server really runs, on loopback. Daily's API and the bot are a stand-in that keeps what it is asked. Good, bad,
unsigned and hostile requests are sent; the one line of JSON at the end says what the bot was started with.
"""

import base64
import hashlib
import hmac
import http.client
import json
import os
import re
import socket
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any
from urllib.parse import urlencode

PUBLIC_URL = "https://bot.example.com"
SECRET = base64.b64encode(b"a secret of Daily's, 32 bytes ..").decode()
DIALOUT_KEY = "0123456789abcdef0123456789abcdef"
NUMBER = "+15550100123"
CALL_SID = "CA" + "0" * 32
DAILY_CALL = {"From": "+15550100", "To": "+15550101", "callId": "call-1", "callDomain": "domain-1"}
TWILIO_CALL = {"CallSid": CALL_SID, "From": "+15550100", "To": "+15550101"}
SECRETS = ("daily-key", SECRET, DIALOUT_KEY, "twilio-token", "start-key", "room-token")


class StandIn(BaseHTTPRequestHandler):
    """Daily's API, and the program that starts bots."""

    asked: list[tuple[str, str, dict[str, Any]]] = []
    broken: set[str] = set()

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        self.asked.append((self.path, self.headers.get("Authorization", ""), body))
        if self.path in self.broken:
            self.answer(500, {"error": "daily-key is not what it was"})
        elif self.path == "/v1/rooms":
            properties = body["properties"]
            if properties.get("sip"):
                properties["sip_uri"] = {"endpoint": "room@sip.example.com"}
            room = {"id": "1", "name": body["name"], "api_created": True, "privacy": body["privacy"]}
            room |= {
                "url": f"https://example.daily.co/{body['name']}",
                "created_at": "2026-01-01",
                "config": properties,
            }
            self.answer(200, room)
        elif self.path == "/v1/meeting-tokens":
            self.answer(200, {"token": "room-token"})
        else:
            self.answer(200, {})

    def answer(self, status: int, document: Any) -> None:
        data = json.dumps(document).encode()
        self.send_response(status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, format: str, *args: Any) -> None:
        """Quiet."""


class Driver:
    def __init__(self, port: int):
        self.port = port

    def send(self, method: str, path: str, body: bytes = b"", headers: dict[str, str] | None = None) -> tuple[int, str]:
        """The status and the text of the answer, which holds nothing that is secret."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
        try:
            connection.request(method, path, body, headers or {})
            response = connection.getresponse()
            text = response.read().decode()
        finally:
            connection.close()
        for secret in SECRETS:
            assert secret not in text and secret not in str(response.headers), f"{method} {path} tells {secret}: {text}"
        return response.status, text

    def refused(self, what: str, status: int, path: str, body: bytes, headers: dict[str, str]) -> None:
        """The request is answered with this status, repeats nothing of itself, and starts nothing."""
        before = len(StandIn.asked)
        got, text = self.send("POST", path, body, headers)
        assert got == status, f"{what}: {got} {text}"
        assert "evil" not in text, f"{what}: repeats what it was sent: {text}"
        assert len(StandIn.asked) == before, f"{what}: {StandIn.asked[before:]}"

    def started(self, status: int, path: str, body: bytes, headers: dict[str, str]) -> str:
        """The request makes a room and starts the bot, and its answer does not name the room."""
        StandIn.asked.clear()
        got, text = self.send("POST", path, body, headers)
        assert got == status, f"{got} {text}"
        assert "daily.co" not in text, text
        assert [path for path, _, _ in StandIn.asked] == ["/v1/rooms", "/v1/meeting-tokens", "/start"], StandIn.asked
        keys = ["Bearer daily-key", "Bearer daily-key", "Bearer start-key"]
        assert [key for _, key, _ in StandIn.asked] == keys, StandIn.asked
        return text


def signed(document: Any, timestamp: str, secret: str = SECRET) -> tuple[bytes, dict[str, str]]:
    """A request as Daily signs it."""
    body = document if isinstance(document, bytes) else json.dumps(document).encode()
    digest = hmac.new(base64.b64decode(secret), timestamp.encode() + b"." + body, hashlib.sha256).digest()
    signature = base64.b64encode(digest).decode()
    return body, {"X-Pinless-Signature": signature, "X-Pinless-Timestamp": timestamp}


def pstn_dialin(driver: Driver) -> None:
    call = DAILY_CALL | {"evil": "evil"}
    now, milliseconds = str(int(time.time())), str(int(time.time() * 1000))
    for test in ({"Test": "test"}, {"test": "test"}):
        assert driver.send("POST", "/dialin", json.dumps(test).encode())[0] == 200
    assert not StandIn.asked, "the test request starts a bot"

    body, headers = signed(call, now)
    other = base64.b64encode(b"another secret of 32 bytes ......").decode()
    for what, refused in {
        "unsigned": (body, {}),
        "an empty signature": (body, headers | {"X-Pinless-Signature": ""}),
        "another secret": signed(call, now, other),
        "another body": (body.replace(b"call-1", b"call-2"), headers),
        "another time": (body, headers | {"X-Pinless-Timestamp": str(int(now) + 1)}),
        "no time": (body, {"X-Pinless-Signature": headers["X-Pinless-Signature"]}),
        "an old signature": signed(call, str(int(now) - 900)),
        "an early signature": signed(call, str(int(now) + 900)),
        "a time that is none": signed(call, "evil"),
        "a test with a call in it": (json.dumps(call | {"Test": "test"}).encode(), {}),
    }.items():
        driver.refused(what, 403, "/dialin", *refused)
    for what, document in {
        "no call": {"evil": 1},
        "an id that is no text": call | {"callId": ["evil"]},
        "an endless id": call | {"callId": "evil" * 100},
        "a list": ["evil"],
        "no JSON": b"evil",
        "nothing": b"",
        "a deep nest": b"[" * 10_000,
    }.items():
        driver.refused(what, 400, "/dialin", *signed(document, now))
    driver.refused("a large request", 413, "/dialin", *signed({"evil": "x" * 20_000}, now))

    fails(driver, "/dialin", *signed(call | {"callId": "call-0"}, now))
    driver.started(200, "/dialin", *signed(call | {"callId": "call-0"}, milliseconds))
    driver.started(200, "/dialin", *signed(call, now))
    driver.refused("a repeated call", 200, "/dialin", *signed(call, now))
    room = StandIn.asked[0][2]["properties"]
    assert room["sip"]["sip_mode"] == "dial-in" and room["sip"]["display_name"] == "+15550100", room
    settings = {"call_id": "call-1", "call_domain": "domain-1", "From": "+15550100", "To": "+15550101"}
    assert StandIn.asked[2][2]["body"]["dialin_settings"] == settings, StandIn.asked


def dialout(driver: Driver) -> None:
    """What both ways to call somebody have in common."""
    key = {"Authorization": f"Bearer {DIALOUT_KEY}"}
    good = json.dumps({"to": NUMBER}).encode()
    for what, headers in {
        "no key": {},
        "an empty key": {"Authorization": "Bearer "},
        "another key": {"Authorization": "Bearer evil"},
        "a part of the key": {"Authorization": f"Bearer {DIALOUT_KEY[:-1]}"},
        "a key that is no ASCII": {"Authorization": "Bearer \u00e9vil"},
    }.items():
        driver.refused(what, 401, "/dialout", good, headers)
    # Who holds no key learns nothing about the request.
    driver.refused("no key and nonsense", 401, "/dialout", b"evil", {})
    for what, number in {
        "no number": None,
        "a number that is no text": 15550100123,
        "no plus": "15550100123",
        "blanks": "+1 555 0100 123",
        "an emergency": "112",
        "too long": "+1234567890123456",
        "a line break": f"{NUMBER}\n",
        "other digits": "+\u0661\u0665\u0665\u0665\u0660\u0661\u0660\u0660",
        "an address": "sip:evil@example.com",
        "an extension": f"{NUMBER}@evil",
    }.items():
        driver.refused(what, 400, "/dialout", json.dumps({"to": number}).encode(), key)
    for what, body in {"no JSON": b"evil", "a list": b"[]", "nothing": b"", "a deep nest": b"[" * 10_000}.items():
        driver.refused(what, 400, "/dialout", body, key)
    for data in ("evil", ["evil"], None):
        driver.refused("no data", 400, "/dialout", json.dumps({"to": NUMBER, "data": data}).encode(), key)
    driver.refused("a large request", 413, "/dialout", b" " * 20_000, key)
    with_data = json.dumps({"to": NUMBER, "data": {"name": "Ada"}}).encode()
    for body, data in ((with_data, {"name": "Ada"}), (good, {})):
        driver.started(202, "/dialout", body, key)
        assert StandIn.asked[2][2]["body"]["data"] == data, StandIn.asked
    assert StandIn.asked[0][2]["properties"]["enable_dialout"] is True, StandIn.asked
    fails(driver, "/dialout", good, key)


def pstn_dialout(driver: Driver) -> None:
    dialout(driver)
    settings = {"phoneNumber": NUMBER, "callerId": "caller-1"}
    assert StandIn.asked[2][2]["body"]["dialout_settings"] == settings, StandIn.asked


def form(path: str, fields: dict[str, str], token: str = "twilio-token") -> tuple[bytes, dict[str, str]]:
    """A request as Twilio signs it: the address, then names and values in the order of the names."""
    signed = PUBLIC_URL + path + "".join(name + fields[name] for name in sorted(fields))
    signature = base64.b64encode(hmac.new(token.encode(), signed.encode(), hashlib.sha1).digest()).decode()
    headers = {"Content-Type": "application/x-www-form-urlencoded", "X-Twilio-Signature": signature}
    return urlencode(fields).encode(), headers


def unsigned_by_twilio(driver: Driver, path: str, fields: dict[str, str]) -> None:
    body, headers = form(path, fields)
    for what, refused in {
        "unsigned": (body, {}),
        "an empty signature": (body, headers | {"X-Twilio-Signature": ""}),
        "another token": form(path, fields, "evil"),
        "another address": (body, form("/evil", fields)[1]),
        "one field more": (body + b"&evil=1", headers),
        "a field of another value": (body.replace(b"%2B1555", b"%2B1666"), headers),
        "nothing": (b"", headers),
    }.items():
        driver.refused(what, 403, path, *refused)
    driver.refused("no form", 400, path, b"\xff\xfe=evil", headers)
    driver.refused("too many fields", 400, path, b"a=1&" * 300, headers)
    driver.refused("a large request", 413, path, b"a=" + b"1" * 20_000, headers)


def sip_dialin(driver: Driver) -> None:
    call = TWILIO_CALL | {"Empty": ""}
    unsigned_by_twilio(driver, "/call", call)
    for what, call_sid in {"no call": "", "a path": "../evil", "another thing": "SM" + "0" * 32}.items():
        driver.refused(what, 400, "/call", *form("/call", call | {"CallSid": call_sid}))
    fails(driver, "/call", *form("/call", call))
    answer = ElementTree.fromstring(driver.started(200, "/call", *form("/call", call)))
    driver.refused("a repeated call", 200, "/call", *form("/call", call))
    assert [part.tag for part in answer] == ["Say", "Pause", "Say", "Hangup"], ElementTree.tostring(answer)
    assert StandIn.asked[0][2]["properties"]["sip"]["display_name"] == "+15550100", StandIn.asked
    twilio_call = {"call_sid": CALL_SID, "From": "+15550100", "To": "+15550101"}
    assert StandIn.asked[2][2]["body"]["twilio_call"] == twilio_call, StandIn.asked


def sip_dialout(driver: Driver) -> None:
    dialout(driver)
    settings = StandIn.asked[2][2]["body"]["dialout_settings"]
    assert settings["displayName"] == NUMBER, settings
    address = settings["sipUri"]
    assert re.fullmatch(r"sip:15550100123-[0-9]{10}-[0-9a-f]{32}@example\.sip\.twilio\.com", address), address

    unsigned_by_twilio(driver, "/answer", {"To": address, "From": "+15550100"})
    for suffix in ("", ";transport=tls"):
        status, text = driver.send("POST", "/answer", *form("/answer", {"To": address + suffix}))
        dial = ElementTree.fromstring(text).find("Dial")
        assert status == 200 and dial is not None and dial.get("callerId") == "+15550101", text
        assert dial.findtext("Number") == NUMBER, text
    number, expires, mac = address.removeprefix("sip:").split("@")[0].split("-")
    for what, ticket in {
        "another number": f"15550100124-{expires}-{mac}",
        "a longer time": f"{number}-{int(expires) + 60}-{mac}",
        "no signature": f"{number}-{expires}-",
        "another signature": f"{number}-{expires}-{'0' * 32}",
        "just a number": number,
        "a number with a plus": f"+{number}",
        "nobody": "",
    }.items():
        status, text = driver.send("POST", "/answer", *form("/answer", {"To": f"sip:{ticket}@example.sip.twilio.com"}))
        assert status == 200 and [part.tag for part in ElementTree.fromstring(text)] == ["Reject"], f"{what}: {text}"


def fails(driver: Driver, path: str, body: bytes, headers: dict[str, str]) -> None:
    """Where Daily or the bot fail, the answer says nothing of why; afterwards calls work again."""
    kept = list(StandIn.asked)
    for broken in ("/v1/rooms", "/v1/meeting-tokens", "/start"):
        StandIn.broken = {broken}
        status, text = driver.send("POST", path, body, headers)
        assert (status, json.loads(text)) == (502, {"detail": "the call could not be prepared"}), f"{broken}: {text}"
    StandIn.broken = set()
    StandIn.asked[:] = kept


def anything_else(driver: Driver, path: str) -> None:
    """There is nothing but the server's own paths, and these take nothing but POST."""
    for elsewhere in ("/", "/docs", "/redoc", "/openapi.json", "/start", "/ws", "/.env", "/../.env", "/%2e%2e/.env"):
        for method in ("GET", "POST"):
            assert driver.send(method, elsewhere)[0] == 404, f"{method} {elsewhere}"
    for method in ("GET", "PUT", "DELETE", "HEAD"):
        assert driver.send(method, path)[0] == 405, method
    # Whoever begins a request and does not end it keeps nobody else waiting.
    with socket.create_connection(("127.0.0.1", driver.port)) as slow:
        slow.sendall(f"POST {path} HTTP/1.1\r\nHost: x\r\nContent-Length: 100\r\n\r\n{{".encode())
        assert driver.send("GET", "/")[0] == 404


KINDS = {
    "hosted_rtc_pstn_dialin": (pstn_dialin, "/dialin", {"DAILY_PINLESS_HMAC": SECRET}),
    "hosted_rtc_pstn_dialout": (
        pstn_dialout,
        "/dialout",
        {"DIALOUT_KEY": DIALOUT_KEY, "DAILY_CALLER_ID": "caller-1"},
    ),
    "carrier_a_hosted_rtc_sip_dialin": (
        sip_dialin,
        "/call",
        {"TWILIO_AUTH_TOKEN": "twilio-token", "PUBLIC_URL": f"{PUBLIC_URL}/"},
    ),
    "carrier_a_hosted_rtc_sip_dialout": (
        sip_dialout,
        "/dialout",
        {
            "DIALOUT_KEY": DIALOUT_KEY,
            "TWILIO_AUTH_TOKEN": "twilio-token",
            "TWILIO_PHONE_NUMBER": "+15550101",
            "TWILIO_SIP_DOMAIN": "example.sip.twilio.com",
            "PUBLIC_URL": PUBLIC_URL,
        },
    ),
}


def refuses_to_start(folder: Path, variables: dict[str, str]) -> None:
    """Without its settings the server names each and ends; with unusable ones as well, and does not repeat them."""
    needed = {name for name in variables | {"DAILY_API_KEY": ""} if name != "DAILY_CALLER_ID"}
    ended = run(folder, dict.fromkeys(needed, ""))
    named = set(re.findall(r"^  (\w+) is not set$", ended.stderr, re.MULTILINE))
    assert ended.returncode == 1 and named == needed, ended.stderr
    unusable = {name: value for name, value in UNUSABLE.items() if name in needed | {"BOT_START_URL"}}
    ended = run(folder, variables | {"DAILY_API_KEY": "daily-key"} | unusable)
    named = set(re.findall(r"^  (\w+) is (?:not|neither) ", ended.stderr, re.MULTILINE))
    assert ended.returncode == 1 and named == unusable.keys(), ended.stderr
    assert not [value for value in unusable.values() if value in ended.stderr], ended.stderr


UNUSABLE = {
    "DAILY_PINLESS_HMAC": "c2hvcnQ=",
    "DIALOUT_KEY": "short-evil-key",
    "PUBLIC_URL": "http://evil.example.com",
    "TWILIO_PHONE_NUMBER": "0555 evil",
    "TWILIO_SIP_DOMAIN": "sip:evil@example.com",
    "BOT_START_URL": "http://evil.example.com/start",
}


def environment(variables: dict[str, str]) -> dict[str, str]:
    kept = {name: value for name, value in os.environ.items() if name in ("PATH", "HOME", "LANG", "TMPDIR")}
    return kept | variables


def run(folder: Path, variables: dict[str, str]) -> subprocess.CompletedProcess:
    command = [sys.executable, "server.py"]
    return subprocess.run(command, cwd=folder, env=environment(variables), capture_output=True, text=True, timeout=120)


@contextmanager
def server(folder: Path, variables: dict[str, str]) -> Iterator[int]:
    stand_in = ThreadingHTTPServer(("127.0.0.1", 0), StandIn)
    threading.Thread(target=stand_in.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{stand_in.server_port}"
    variables = variables | {
        "DAILY_API_KEY": "daily-key",
        "DAILY_API_URL": f"{address}/v1",
        "BOT_START_URL": f"{address}/start",
        "BOT_START_KEY": "start-key",
        # As a user has it who asks for rooms to be kept: calls get rooms of their own nonetheless.
        "DAILY_ROOM_URL": "https://example.daily.co/shared",
    }
    try:
        with running(folder, variables) as port:
            yield port
    finally:
        stand_in.shutdown()


@contextmanager
def running(folder: Path, variables: dict[str, str]) -> Iterator[int]:
    """The server with these settings; the port at which it listens."""
    variables = variables | {"SERVER_PORT": "0"}  # Any; it says which.
    process = subprocess.Popen(
        [sys.executable, "server.py"],
        cwd=folder,
        env=environment(variables),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    lines: list[str] = []
    ready = threading.Event()

    def read() -> None:
        assert process.stdout
        for line in process.stdout:
            lines.append(line)
            if "Uvicorn running on" in line:
                ready.set()
        ready.set()

    threading.Thread(target=read, daemon=True).start()
    try:
        assert ready.wait(120) and process.poll() is None, "".join(lines)
        listening = re.search(r"running on http://127\.0\.0\.1:(\d+) ", "".join(lines))
        assert listening, "".join(lines)
        yield int(listening[1])
        log = "".join(lines)
        assert "Traceback" not in log, log
    except AssertionError:
        print("".join(lines), file=sys.stderr)
        raise
    finally:
        process.kill()
        process.wait()


def main() -> None:
    drive, path, variables = KINDS[sys.argv[1]]
    folder = Path(sys.argv[2])
    refuses_to_start(folder, variables)
    with server(folder, variables) as port:
        driver = Driver(port)
        anything_else(driver, path)
        drive(driver)
    names = {room["name"] for asked, _, room in StandIn.asked if asked == "/v1/rooms"}
    assert all(re.fullmatch("call-[0-9a-f]{32}", name) for name in names), names
    start = StandIn.asked[2][2]
    assert (start["transport"], start["createDailyRoom"]) == ("daily", False), start
    print(json.dumps(start["body"]))


if __name__ == "__main__":
    main()
