#!/usr/bin/env python3
"""Makes the pictures of the documents from real runs: `docs/record.py BIN [SCENE ...]`, with the scenes wizard, dev and client.

BIN is the folder of the executables. `wizard` and `dev` need termtosvg, `dev` also uv, `client` needs npm and Chromium. Text that
differs from run to run, such as times of day, is replaced, and pauses are those of the scene, so the same run gives the same bytes.
"""
import fcntl
import functools
import http.server
import json
import os
import pathlib
import pty
import re
import select
import struct
import subprocess
import sys
import tempfile
import termios
import threading
import time

PICTURES = pathlib.Path(__file__).parent / "src" / "pictures"
DOWN, SPACE, ENTER, CTRL_C = "\x1b[B", " ", "\r", "\x03"

# A step is the text to wait for, the keys to send then, and the seconds that a reader needs before.
ANSWERED = [
    ("How do you want to build", DOWN, 1.5), ("", ENTER, 0.8), ("What is the project called", ENTER, 1.2),
    ("Where do people talk", ENTER, 1.2), ("How do people connect", ENTER, 1.5), ("How does the bot hear", ENTER, 1.5),
    ("Which speech-to-text", "cart", 1.5), ("", ENTER, 1.2), ("Which language model", DOWN, 1.2), ("", ENTER, 0.8),
    ("Which text-to-speech", ENTER, 1.2), ("Should the bot show a face", ENTER, 1.2), ("What else should it do", SPACE, 1.2),
    ("", ENTER, 1.2), ("Add a web client", ENTER, 1.2), ("Prepare it for cloud", ENTER, 1.2), ("Cancel background", ENTER, 1.2),
    ("Add evals", ENTER, 1.2), ("Create this project", ENTER, 3.0),
]
SCENES = {
    "wizard": {"rows": 30, "command": ["bot-cli", "init", "my-bot"], "steps": ANSWERED},
    "dev": {
        "rows": 22, "command": ["bot-cli", "dev", "quickstart-project"], "before": [["bot-cli", "init", "quickstart", "--local"]],
        "sync": "quickstart-project/server", "steps": [("open http://localhost:", CTRL_C, 4)],
    },
}
VARYING = [
    (rb"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?", b"2026-01-01 12:00:00"), (rb"\d+\.\ds\b", b"2.0s"), (rb"/\S*/quickstart-project/", b"quickstart-project/"),
    (rb"process \[\d+\]", b"process [1234]"),
]


def record(scene, home, environment):
    """Returns the events of a recording: seconds and bytes."""
    main, terminal = pty.openpty()
    fcntl.ioctl(terminal, termios.TIOCSWINSZ, struct.pack("HHHH", scene["rows"], 92, 0, 0))
    child = subprocess.Popen(
        scene["command"], stdin=terminal, stdout=terminal, stderr=terminal, cwd=home, env=environment, start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),
    )
    os.close(terminal)
    events, now, seen = [], 0.0, b""

    def hear(quiet, wanted="", deadline=120):
        nonlocal seen
        heard, end = b"", time.monotonic() + deadline
        while time.monotonic() < end:
            if select.select([main], [], [], quiet)[0]:
                try:
                    data = os.read(main, 65536)
                except OSError:
                    break
                if not data:
                    break
                heard += data
                seen += data
            elif wanted.encode() in seen:
                break
        else:
            raise SystemExit(f"`{wanted}` did not come:\n{seen.decode(errors='replace')}")
        for pattern, instead in VARYING:
            heard = re.sub(pattern, instead, heard)
        return heard

    for wanted, keys, pause in scene["steps"]:
        events.append((now, hear(0.4, wanted)))
        seen, now = b"", now + pause
        os.write(main, keys.encode())
    events.append((now, hear(1.5)))
    child.wait(30)
    # By itself, the command would be a black picture.
    first, shown = events[0]
    events[0] = (first, f"$ {' '.join(scene['command'])}\r\n".encode() + shown)
    return [*events, (now + 4.0, b"")]


def settle(picture):
    """Begins with the last screen, and leaves it there for those who want no motion and where nothing is animated."""
    text = picture.read_text()
    last = re.findall(r"translateY\((-?\d+px)\)", text)[-1]
    length = int(re.search(r"animation-duration: (\d+)ms", text)[1])
    style = (
        f"#screen_view {{ transform: translateY({last}); animation-delay: {2000 - length}ms; }}\n"
        "@media (prefers-reduced-motion: reduce) { #screen_view { animation: none; } }\n"
    )
    picture.write_text(text.replace("</defs>", f"<style>{style}</style></defs>", 1))


def photograph(home, environment):
    """Takes pictures of a web client that is not connected, in light and dark."""
    options = "-t p2p_webrtc -m cascade --stt deepgram_stt --llm openai_llm --tts cartesia_tts --client-framework react"
    for command, folder in (
        (["bot-cli", "init", "my-bot", *options.split()], "."), (["npm", "install"], "my-bot/client"),
        (["npm", "run", "build"], "my-bot/client"),
    ):
        subprocess.run(command, cwd=f"{home}/{folder}", env=environment, check=True, stdout=subprocess.DEVNULL)
    handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=f"{home}/my-bot/client/dist")
    with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        for look, scheme in (("dark", 0), ("light", 1)):
            subprocess.run([
                "chromium", "--headless", "--no-sandbox", "--disable-gpu", "--disable-background-networking", "--no-first-run",
                f"--blink-settings=preferredColorScheme={scheme}", "--virtual-time-budget=3000", "--window-size=1000,640",
                f"--screenshot={PICTURES / f'client-{look}.png'}", f"--user-data-dir={home}/browser",
                f"http://127.0.0.1:{server.server_port}/",
            ], check=True, stderr=subprocess.DEVNULL)
        server.shutdown()


def main():
    binaries, *names = sys.argv[1:]
    for name in names or [*SCENES, "client"]:
        scene = SCENES.get(name, {})
        with tempfile.TemporaryDirectory() as home:
            path = f"{pathlib.Path(binaries).resolve()}:{os.environ['PATH']}"
            environment = {**os.environ, "HOME": home, "PATH": path, "TERM": "xterm-256color", "BOT_CLI_KEYRING": "off", "LANG": "C.UTF-8"}
            if name == "client":
                photograph(home, environment)
                continue
            quiet = {"cwd": home, "env": environment, "check": True, "stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL}
            for command in scene.get("before", []):
                subprocess.run(command, **quiet)
            if "sync" in scene:
                subprocess.run(["uv", "sync"], **{**quiet, "cwd": f"{home}/{scene['sync']}"})
            cast = pathlib.Path(home, "recording.cast")
            lines = [{"version": 2, "width": 92, "height": scene["rows"]}]
            lines += [[at, "o", data.decode(errors="replace")] for at, data in record(scene, home, environment)]
            cast.write_text("".join(json.dumps(line) + "\n" for line in lines))
            picture = PICTURES / f"{name}.svg"
            subprocess.run(["termtosvg", "render", str(cast), str(picture), "-t", "ubuntu"], check=True)
            settle(picture)


main()
