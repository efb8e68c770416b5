"""Run the scenarios of files, and those of folders whose needs are met, against the bot at the first argument."""

import asyncio
import contextlib
import importlib.util
import json
import re
import sys
import urllib.request
from pathlib import Path

from dotenv import find_dotenv, load_dotenv
from pipecat.evals.scenario import EvalScenarioFile, EvalSimulationScenario, is_scenario_file
from pipecat.evals.services import DEFAULT_OLLAMA_JUDGE_MODEL, classifier_from_config, llm_service_from_config
from pipecat.evals.session import EvalSession

STATUSES = set()


def need(scenario):
    """Return what the scenario needs and this machine lacks, with the way to get it."""
    speech = {(config or {}).get("service") for config in (scenario.user_speech, scenario.transcriber)}
    if speech & {"kokoro", "moonshine"} and not importlib.util.find_spec("kokoro_onnx"):
        return "speech models: run `uv sync --group speech` in the bot's folder"
    models = []
    if isinstance(scenario, EvalSimulationScenario):
        models = [("a caller's model", "simulator", scenario.simulator, llm_service_from_config)]
    if models or any(it.eval for turn in scenario.turns for it in turn.expect):
        models.append(("a judge", "judge.eval", scenario.judge, classifier_from_config))
    for what, where, config, build in models:
        fix = None
        try:
            build(config, where=where)
            if not config.get("endpoint") and config.get("service", "ollama") == "ollama" and not config.get("factory"):
                model = config.get("model") or DEFAULT_OLLAMA_JUDGE_MODEL
                fix = f"run `ollama pull {model}`, or choose another model"
                with urllib.request.urlopen("http://localhost:11434/api/tags", timeout=3) as tags:
                    names = [it["name"].removesuffix(":latest") for it in json.load(tags)["models"]]
                    names.index(model.removesuffix(":latest"))
        except Exception as error:
            return f"{what}: {fix or error} under `{where}` in {scenario.source_path}"


async def run(scenario):
    """Run a scenario, and return its outcome."""
    try:
        result = await EvalSession.from_scenario(scenario, sys.argv[1]).run()
    except Exception as error:
        return {"status": "failed", "missing": [f"{type(error).__name__}: {error}"[:500]]}
    log = Path("evals/logs").resolve() / (re.sub(r"[^\w-]+", "_", scenario.name)[:100] + ".eval.log")
    with contextlib.suppress(OSError):
        log.parent.mkdir(parents=True, exist_ok=True)
        log.write_text("\n".join(result.debug_log) + "\n", encoding="utf-8")
    if isinstance(scenario, EvalSimulationScenario):
        turns, missing = result.turns, [result.failure]
    else:
        turns = sum(it.status != "not_run" for it in result.turns)
        after = [(scenario.turns[max(it.turn_index, 0)].user, it) for it in result.failures]
        missing = [f"after {words!r}: " * bool(words) + f"{it.event_name}: {it.reason}" for words, it in after]
    said = [it["text"].strip() for it in result.events_seen if it["type"] == "llm_response" and it.get("text")]
    failed = {} if result.passed else {"missing": missing, "said": (said or [None])[-1], "log": str(log) if log.exists() else None}
    return {"status": "passed" if result.passed else "failed", "turns": turns, **failed}


def tell(**outcome):  # as JSON, behind a mark
    STATUSES.add(outcome["status"])
    print("\x1e" + json.dumps({key: value for key, value in outcome.items() if value is not None}), flush=True)


load_dotenv(find_dotenv(usecwd=True))
paths = [Path(it) for it in sys.argv[2:]]
files = [[it] if it.is_file() else sorted(filter(is_scenario_file, it.glob("*.y*ml"))) for it in paths]
for file in dict.fromkeys(sum(files, [])):
    try:
        for scenario in EvalScenarioFile.load(file):
            needs = need(scenario)
            outcome = {"status": "not_run"} if needs and file not in paths else asyncio.run(run(scenario))
            tell(name=scenario.name, **outcome, needs=needs)
    except Exception as error:
        tell(name=str(file), status="failed", missing=[f"{error}"[:500]])
STATUSES or tell(name=" ".join(sys.argv[2:]), status="failed", missing=["there are no scenarios"])
sys.exit(STATUSES - {"not_run"} != {"passed"})
