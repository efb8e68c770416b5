#!/usr/bin/env python3
"""`bot-cli costs` estimates what a bot costs per hour of talk.

`costs.json` in the project has the prices in cents per hour, by currency and service: `{"USD": {"deepgram_stt": 26}}`.
"""

import json
from pathlib import Path
from typing import Annotated, Any, Literal, TypedDict

from bot_cli_sdk import USAGE, Failure, Plugin, Question, Reply, Session

plugin = Plugin("costs", version="1.0.0")


class Service(TypedDict):
    id: str
    label: str
    cents: int


class Costs(TypedDict):
    project: str
    currency: str
    services: list[Service]
    cents: int


def prices(file: Path, currency: str) -> dict[str, int]:
    try:
        found: dict[str, int] = json.loads(file.read_text()).get(currency, {}) if file.exists() else {}
        if all(type(cents) is int for cents in found.values()):
            return found
    except (AttributeError, ValueError):
        pass
    hints = ['write it like {"USD": {"deepgram_stt": 26}}']
    raise Failure(f"`{file}` is not a table of prices", code="invalid_prices", exit=USAGE, hints=hints)


def problem(answer: str) -> str | None:
    return None if answer.isdecimal() else "must be a whole number"


@plugin.root
def costs(session: Session, *, currency: Literal["USD", "EUR", "GBP"] = "USD") -> Annotated[Reply, Costs]:
    """Estimates what a bot costs per hour of talk

    currency: Currency of the prices
    """
    project = session.project()
    known = prices(Path(project["root"], "costs.json"), currency)
    used: list[dict[str, Any]] = project["services"]
    missing = [it for it in used if it["id"] not in known]
    asked = [Question(it["id"], f"Price of {it['label']} in cents per hour ({currency})", check=problem) for it in missing]
    known |= {id: int(cents) for id, cents in session.ask_all(asked).items()}
    services: list[Service] = []
    for number, it in enumerate(used):
        session.progress(f"Adding {it['label']}", number, len(used))
        services.append({"id": it["id"], "label": it["label"], "cents": known[it["id"]]})
    total = sum(it["cents"] for it in services)
    rows = [(it["label"], it["cents"]) for it in services] + [("Total", total)]
    text = "\n".join(f"{label:24}{cents / 100:8.2f} {currency}" for label, cents in rows)
    return Reply(text, Costs(project=project["name"], currency=currency, services=services, cents=total))


if __name__ == "__main__":
    plugin.main()
