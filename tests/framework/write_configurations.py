"""Lets the framework's own tool write 48 configurations of its own into a folder.

Each comes from `pipecat init … --dry-run`; together they have every service, transport, direction, client and switch
that the tool offers. Beside each lies the command that made it.
"""

import json
import sys
from collections.abc import Iterator
from itertools import cycle, islice
from pathlib import Path
from typing import Any

from pipecat.cli.main import app
from typer.testing import CliRunner

COUNT = 48

CLIENTS = (
    [],
    ["--client-framework", "none"],
    ["--client-framework", "none", "--client-server", "vite"],
    ["--client-framework", "vanilla"],
    ["--client-framework", "vanilla", "--client-server", "nextjs"],
    ["--client-framework", "react"],
    ["--client-framework", "react", "--client-server", "vite"],
    ["--client-framework", "react", "--client-server", "nextjs"],
)

SWITCHES = (
    "--recording",
    "--transcription",
    "--observability",
    "--eval",
    "--enable-krisp",
    "--no-deploy-to-cloud",
)


def run(arguments: list[str]) -> Any:
    """What the tool prints, read as JSON."""
    result = CliRunner().invoke(app, ["init", *arguments], catch_exceptions=False)
    if result.exit_code != 0:
        sys.exit(f"pipecat init {' '.join(arguments)}\n{result.output}")
    return json.loads(result.stdout)


def transports(offered: dict[str, list[str]]) -> Iterator[tuple[str, list[str]]]:
    """Ways to name transports, each with the bot type that they need."""
    directed = [
        ["-t", family, option, direction]
        for family, option in (
            ("daily_pstn", "--daily-pstn-mode"),
            ("twilio_daily_sip", "--twilio-daily-sip-mode"),
        )
        for direction in ("dial-in", "dial-out")
    ]
    web = [["-t", one] for one in offered["web"]] + [["-t", "smallwebrtc", "-t", "daily"]]
    telephony = [["-t", one] for one in offered["telephony"]] + directed
    # A telephone bot that is tried out in the browser first.
    telephony += [
        ["-t", "twilio", "-t", "smallwebrtc"],
        ["-b", "telephony", "-t", "daily"],
    ]
    for one, other in zip(cycle(web), cycle(telephony), strict=False):
        yield "web", one
        yield "telephony", other


def commands(offered: dict[str, Any]) -> Iterator[list[str]]:
    """Endlessly: the arguments of one bot after the other, every value in turn."""
    stt, llm, tts, realtime, video = (cycle(offered[kind]) for kind in ("stt", "llm", "tts", "realtime", "video"))
    clients = cycle(CLIENTS)
    for number, (bot_type, chosen) in enumerate(transports(offered["transports"])):
        arguments = list(chosen)
        if number % 6 == 5:
            arguments += ["-m", "realtime", "--realtime", next(realtime)]
        else:
            arguments += ["-m", "cascade", "--stt", next(stt), "--llm", next(llm)]
            arguments += ["--tts", next(tts)]
        if bot_type == "web":
            arguments += next(clients)
            arguments += ["--video", next(video)] if number % 4 == 0 else []
            arguments += ["--video-input", "--video-output"] if number % 5 == 0 else []
        arguments += [
            switch
            for place, switch in enumerate(SWITCHES)
            if number >> (place % 4) & 1 and (switch, number % 3) != ("--enable-krisp", 2)
        ]
        if "--no-deploy-to-cloud" in arguments and number % 3:
            arguments.remove("--no-deploy-to-cloud")
        if "--no-deploy-to-cloud" in arguments and "--enable-krisp" in arguments:
            arguments.remove("--enable-krisp")
        yield arguments


def main() -> None:
    folder = Path(sys.argv[1])
    offered = run(["--list-options"])
    (folder / "options.json").write_text(json.dumps(offered))
    for number, arguments in enumerate(islice(commands(offered), COUNT)):
        project = f"bot-{number:02}"
        written = run([project, *arguments, "--dry-run"])
        (folder / f"{project}.json").write_text(json.dumps(written, indent=2))
        (folder / f"{project}.txt").write_text(f"pipecat init {' '.join(arguments)}")


if __name__ == "__main__":
    main()
