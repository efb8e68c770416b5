"""A stand-in for an OpenAI-compatible API on loopback, for conversations without the internet.

It prints its address and serves until it is ended. The model says what `--say` gives for the first pair whose left side
the user's last words contain, and a greeting when there is none. `--call` has it call a function instead, provided
that it was offered one of that name; where `--say` matches as well, the model says that first. A picture counts as
words, such as `picture: red`. `--refuse` has a path such as `/v1/audio/speech` answer that the key is wrong, `--stall`
has speech with these words never come, and `--think` has the model wait before each answer. `--break` has the model's
answer to words break in one of the ways of `BREAKS`.
"""

import argparse
import base64
import io
import json
import math
import struct
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count

MODEL = "stand-in"
BREAKS = {
    "silent": "nothing ever comes",
    "stalls": "the words come, but not the end of the stream",
    "blank": "the answer is a blank",
    "garbled": "a function is called with arguments that are no JSON",
    "dies": "the connection ends after the words",
}
CALLS = count(1)
SAMPLE_RATE = 24_000


def last_words(messages):
    """The text of the newest message that is not the model's own."""
    for message in reversed(messages):
        if message["role"] != "assistant":
            content = message["content"]
            return content if isinstance(content, str) else " ".join(map(words, content))
    return ""


def words(part):
    """The text of a part of a message; of a picture, its color."""
    if part["type"] not in {"image_url", "input_image"}:
        return part.get("text") or ""
    from PIL import Image

    address = part["image_url"]
    data = (address if isinstance(address, str) else address["url"]).partition(",")[2]
    color = Image.open(io.BytesIO(base64.b64decode(data))).convert("RGB").resize((1, 1)).getpixel((0, 0))
    return "picture: " + ("red", "green", "blue")[color.index(max(color))]


def scripted(script, heard):
    """What the script has the model say to these words, if anything."""
    return next((say for needle, say in script.say if needle.casefold() in heard.casefold()), None)


def answer(script, heard):
    return scripted(script, heard) or "Hello, how can I help you?"


def call(script, heard, offered):
    """The function that the script has the model call, if it was offered."""
    calls = (function for needle, function in script.call if needle.casefold() in heard.casefold())
    return next((function for function in calls if function["name"] in offered), None)


def in_pieces(words):
    """Words as the API streams them."""
    return [{"content": word + " "} for word in words.split()]


def call_in_pieces(called):
    """A call as the API streams it: its name, then its arguments, a few characters at a time."""
    function = {"name": called["name"], "arguments": ""}
    call = {"index": 0, "id": f"call-{next(CALLS)}", "type": "function", "function": function}
    yield {"role": "assistant", "content": None, "tool_calls": [call]}
    arguments = json.dumps(called["arguments"])
    for begin in range(0, len(arguments), 8):
        yield {"tool_calls": [{"index": 0, "function": {"arguments": arguments[begin : begin + 8]}}]}


def speech(text, pace=0.02):
    """A tone, for each letter so many seconds: 16-bit little-endian mono."""
    samples = int(SAMPLE_RATE * max(0.3, len(text) * pace))
    return b"".join(
        struct.pack("<h", int(6000 * math.sin(i * 2 * math.pi * 220 / SAMPLE_RATE))) for i in range(samples)
    )


class Api(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    script = argparse.Namespace()

    def do_GET(self):
        if self.path == "/v1/models":
            return self.reply(
                "application/json", json.dumps({"object": "list", "data": [{"id": MODEL, "object": "model"}]})
            )
        return self.send_error(404)

    def do_POST(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0)))
        print(f"POST {self.path}: {body[:2000]!r}", file=sys.stderr, flush=True)
        if self.path in self.script.refuse:
            error = {
                "message": f"Incorrect API key provided: {self.headers['Authorization']}",
                "code": "invalid_api_key",
            }
            return self.reply("application/json", json.dumps({"error": error}), status=401)
        match self.path:
            case "/v1/chat/completions":
                return self.chat(json.loads(body))
            case "/v1/audio/speech":
                if any(words in body.decode() for words in self.script.stall):
                    threading.Event().wait()
                return self.reply("audio/pcm", speech(json.loads(body)["input"], self.script.pace))
            case "/v1/audio/transcriptions":
                return self.reply("application/json", json.dumps({"text": self.hears()}))
        return self.send_error(404)

    def hears(self):
        hear = self.script.hear or ["Hello."]
        return hear.pop(0) if len(hear) > 1 else hear[0]

    def chat(self, request):
        threading.Event().wait(self.script.think)
        heard = last_words(request["messages"])
        if any(words.casefold() in heard.casefold() for words in self.script.fail):
            return self.send_error(400)
        broken = next(
            (how for words, how in getattr(self.script, "break") if words.casefold() in heard.casefold()), None
        )
        if broken and request.get("stream"):
            return self.break_off(broken, heard)
        called = call(self.script, heard, [tool["function"]["name"] for tool in request.get("tools", [])])
        if called and request.get("stream"):
            return self.stream([*in_pieces(scripted(self.script, heard) or ""), *call_in_pieces(called)], "tool_calls")
        say = answer(self.script, heard)
        if not request.get("stream"):
            message = {"role": "assistant", "content": say}
            choices = [{"index": 0, "message": message, "finish_reason": "stop"}]
            return self.reply("application/json", json.dumps(self.completion("chat.completion", choices) | USAGE))
        return self.stream([{"role": "assistant", "content": ""}, *in_pieces(say)], "stop")

    def break_off(self, how, heard):
        match how:
            case "silent":
                threading.Event().wait()
            case "blank":
                return self.stream([{"role": "assistant", "content": ""}, {"content": " "}], "stop")
            case "garbled":
                function = {"name": "current_time", "arguments": '{"timezone": '}
                call = {"index": 0, "id": f"call-{next(CALLS)}", "type": "function", "function": function}
                return self.stream([{"role": "assistant", "content": None, "tool_calls": [call]}], "tool_calls")
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream")
        self.send_header("Content-Length", "100000")
        self.end_headers()
        self.wfile.write("".join(self.lines(in_pieces(answer(self.script, heard)))).encode())
        if how == "stalls":
            threading.Event().wait()
        self.close_connection = True
        return None

    def lines(self, deltas):
        events = [self.chunk([{"index": 0, "delta": delta, "finish_reason": None}]) for delta in deltas]
        return [f"data: {json.dumps(event)}\n\n" for event in events]

    def stream(self, deltas, reason):
        end = [self.chunk([{"index": 0, "delta": {}, "finish_reason": reason}]), self.chunk([]) | USAGE]
        lines = self.lines(deltas) + [f"data: {json.dumps(event)}\n\n" for event in end]
        return self.reply("text/event-stream", "".join(lines) + "data: [DONE]\n\n")

    def chunk(self, choices):
        return self.completion("chat.completion.chunk", choices)

    def completion(self, kind, choices):
        return {"id": "chatcmpl-1", "object": kind, "created": 0, "model": MODEL, "choices": choices}

    def reply(self, content_type, body, status=200):
        data = body if isinstance(body, bytes) else body.encode()
        self.send_response(status)
        self.send_header("Content-Type", content_type)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    def log_message(self, *_):
        """Requests are logged with their bodies above."""


USAGE = {"usage": {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}}


def pair(text):
    needle, separator, words = text.partition("=")
    if not separator:
        raise argparse.ArgumentTypeError("expected WORDS=REPLY")
    return needle, words


def breaking(text):
    words, how = pair(text)
    if how not in BREAKS:
        raise argparse.ArgumentTypeError(f"expected one of {', '.join(BREAKS)}")
    return words, how


def function(text):
    needle, call = pair(text)
    name, _, arguments = call.partition(" ")
    return needle, {"name": name, "arguments": json.loads(arguments)}


def parser_of_scripts(about):
    parser = argparse.ArgumentParser(description=about)
    parser.add_argument("--say", action="append", default=[], type=pair, metavar="WORDS=REPLY")
    parser.add_argument("--call", action="append", default=[], type=function, metavar="WORDS=NAME ARGUMENTS")
    parser.add_argument("--pace", type=float, default=0.02, help="seconds of sound for a letter")
    return parser


def main():
    parser = parser_of_scripts(__doc__)
    parser.add_argument("--fail", action="append", default=[], metavar="WORDS", help="words that are refused")
    parser.add_argument("--break", action="append", default=[], type=breaking, metavar="WORDS=HOW")
    parser.add_argument("--refuse", action="append", default=[], metavar="PATH")
    parser.add_argument("--think", type=float, default=0, metavar="SECONDS")
    parser.add_argument("--stall", action="append", default=[], metavar="WORDS")
    parser.add_argument("--hear", action="append", help="what speech is transcribed as, in turn; the last for the rest")
    Api.script = parser.parse_args()
    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    print(f"http://127.0.0.1:{server.server_port}", flush=True)
    server.serve_forever()


if __name__ == "__main__":
    main()
