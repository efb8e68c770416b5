#!/usr/bin/env python3
"""A small host, written from PROTOCOL.md alone: `host.py [--json|--json=lines] NAME ARGS…`.

It reads no manifest. So its own options stand in front of the plugin's name, and every word after the name is the plugin's.
"""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import threading

KINDS = ["text", "password", "confirm", "select", "multiselect"]
STATUSES = (2, 3, 4, 7, 126, 127, 130, 143)
UNTOLD = {-32022: "unsupported_protocol", -32601: "method_not_found"}
UNSHOWN = re.compile(r"\x1b\[[0-?]*[ -/]*[@-~]|\x1b\][^\x07]*\x07|[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def shown(text):
    return UNSHOWN.sub("", text)


def failure(status, code, message):
    return "error", {"code": status, "message": message, "data": {"code": code}}, status


def answered(question):
    """Asks at the terminal, line by line, and returns the result for the plugin."""
    values = [choice["value"] for choice in question.get("choices", [])]
    print(shown(f"{question.get('problem') or ''} {question['message']} {values or ''}: "), end="", file=sys.stderr, flush=True)
    line = sys.stdin.readline()
    answer = line.rstrip("\n") or question.get("default", "")
    if question["kind"] == "confirm":
        answer = answer in (True, "y", "yes")
    elif question["kind"] == "multiselect" and isinstance(answer, str):
        answer = answer.split(",") if answer else []
    is_choice = not values or all(one in values for one in (answer if isinstance(answer, list) else [answer]))
    if not line or not is_choice:
        return {"action": "cancel"}
    return {"action": "accept", "value": answer}


def run(file, words, form):
    """Runs a plugin, and returns the kind of its outcome, the message and the exit status."""
    plugin = subprocess.Popen([file], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, process_group=0)
    cancelled = []

    def send(**message):
        try:
            plugin.stdin.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
            plugin.stdin.flush()
        except BrokenPipeError:
            pass  # the end of the plugin is seen at its output

    def end(*steps):
        """Signals what is left of the group, 2 seconds apart."""
        for number in steps:
            try:
                os.killpg(plugin.pid, number)
                plugin.wait(2)
            except (ProcessLookupError, subprocess.TimeoutExpired):
                pass

    def cancel(*_):
        cancelled.append(130)
        if len(cancelled) == 1:
            send(method="cancel", params={"id": 1, "reason": "user"})
        threading.Timer(5 if len(cancelled) == 1 else 0, end, (signal.SIGTERM, signal.SIGKILL)).start()

    def notify(method, params):
        if params.get("id") != 1 or method not in ("progress", "log", "output"):
            return
        if form == "lines":
            print(json.dumps({method: {name: it for name, it in params.items() if name != "id"}}), flush=True)
        elif method == "log" and params["level"] in ("warn", "note"):
            print(shown(params["message"]), file=sys.stderr)
        elif method == "output" and form == "text":
            print(shown(params["text"]), end="", flush=True)

    def outcome():
        for line in plugin.stdout:
            try:
                message = json.loads(line)
            except ValueError:
                if b'"jsonrpc"' in line and b'"method"' not in line:
                    return failure(125, "wrong_reply", "an unreadable reply")
                continue
            if not isinstance(message, dict):
                continue
            id, method, params = message.get("id"), message.get("method"), message.get("params", {})
            if "result" in message or "error" in message:
                if id not in (1, None):
                    return failure(125, "wrong_id", "a reply to nothing")
                if message.get("jsonrpc") != "2.0":
                    return failure(125, "wrong_reply", "an unreadable reply")
                if "result" in message:
                    status = message["result"].get("exit", 0)
                    return "result", message["result"], 1 if status in (125, 126, 127) else status
                code = message["error"]["code"]
                return "error", message["error"], 125 if code <= 0 else code if code in STATUSES else 1
            if id is None:
                notify(method, params)
            elif method == "ask" and sys.stdin.isatty() and params.get("kind") in KINDS:
                send(id=id, result=answered(params))
            elif method == "stdin":
                send(id=id, result={"text": sys.stdin.read()})
            else:
                send(id=id, error={"code": -32601, "message": "no such method"})
        if cancelled:
            return failure(130, "cancelled", "cancelled")
        return failure(125, "no_reply", "the plugin ended without a reply")

    signal.signal(signal.SIGINT, cancel)
    threading.Thread(target=lambda: [print(shown(line.decode(errors="replace")), end="", file=sys.stderr) for line in plugin.stderr]).start()
    capabilities = {"stdin": {}} | ({"ask": {"kinds": KINDS}} if sys.stdin.isatty() else {})
    capabilities |= {"json": {}, "text": {"output": {}}, "lines": {"output": {}, "progress": {}}}[form]
    context = {"cwd": os.getcwd(), "format": "text" if form == "text" else "json", "interactive": sys.stdin.isatty()}
    send(id=1, method="run", params={"protocol": "1.0", "argv": words, "capabilities": capabilities, "context": context})
    ended = outcome()
    plugin.stdin.close()
    if ended[2] != 125 and any(b'"result"' in line or b'"error"' in line for line in plugin.stdout):
        ended = failure(125, "double_reply", "a second reply")
    end(signal.SIGTERM, signal.SIGKILL)
    return ended


def main(words):
    form = {"--json": "json", "--json=lines": "lines"}.get(words[0] if words else "", "text")
    name, *words = words[form != "text" :] or [""]
    file = shutil.which(f"bot-cli-{name}")
    kind, message, status = run(file, words, form) if file else failure(127, "not_found", f"there is no plugin `{name}`")
    data = message.get("data")
    if kind == "error":
        untold = "failed" if message["code"] > 0 else UNTOLD.get(message["code"], "protocol_error")
        data = {"code": untold} | (data or {})
        message = message | {"data": data}
    if form == "lines":
        text = {name: shown(message[name]) for name in ("text", "message") if name in message}
        print(json.dumps({kind: message | text | {"exit" if kind == "result" else "code": status}}))
    elif form == "json":
        is_error = kind == "error"
        print(json.dumps({"error": {"fields": [], "hints": []} | data | {"message": message["message"]}} if is_error else data))
    elif kind == "result":
        print(shown(message.get("text", "")), end="")
    else:
        print("\n".join(shown(line) for line in [f"error: {message['message']}", *(f"hint: {hint}" for hint in data.get("hints", []))]), file=sys.stderr)
    return status


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
