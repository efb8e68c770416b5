//! Edits that put a text in another's place.

use super::super::Files;

/// A text in a file, found where it is first.
pub(super) struct Step {
    path: &'static str,
    old: &'static str,
    new: &'static str,
}

impl Step {
    /// `None` if the text is not there.
    pub(super) fn apply(&self, files: &mut Files) -> Option<()> {
        let file = files.get_mut(self.path)?;
        let at = file.find(self.old)?;
        file.replace_range(at..at + self.old.len(), self.new);
        Some(())
    }
}

const fn bot(old: &'static str, new: &'static str) -> Step {
    file("server/bot.py", old, new)
}

const fn services(old: &'static str, new: &'static str) -> Step {
    file("server/services.py", old, new)
}

const fn file(path: &'static str, old: &'static str, new: &'static str) -> Step {
    Step { path, old, new }
}

type Steps = (&'static str, &'static [Step]);

const HANDLER: &str = "    @worker.event_handler(\"on_pipeline_finished\")\n    async def on_pipeline_finished(worker, frame):\n        logger.info(\"The conversation is over\")\n";

pub(super) const EDITS: &[Steps] = &[
    (
        "prompt",
        &[bot(
            "You are a friendly, helpful assistant in a spoken conversation. ",
            "You take orders for a bakery, by voice. ",
        )],
    ),
    (
        "greeting",
        &[bot(
            "GREETING = \"Greet the user in one short sentence",
            "GREETING = \"Say which bakery this is",
        )],
    ),
    (
        "prompt from a file",
        &[
            bot("import os\n", "import os\nimport pathlib\n"),
            bot(
                "SYSTEM_PROMPT = (\n    \"You are a friendly, helpful assistant in a spoken conversation. \"\n    \"Everything you write is read aloud, so answer in one to three short sentences of plain words, \"\n    \"without lists, markup or emoji. When you do not know something, say so.\"\n)\n",
                "SYSTEM_PROMPT = pathlib.Path(__file__).with_name(\"prompt.txt\").read_text()\n",
            ),
        ],
    ),
    (
        "handler at the end",
        &[bot(
            "    # Your own event handlers go here.\n\n",
            "    # Your own event handlers go here.\n\n    @worker.event_handler(\"on_pipeline_finished\")\n    async def on_pipeline_finished(worker, frame):\n        logger.info(\"The conversation is over\")\n\n",
        )],
    ),
    (
        "handler in place of the comment",
        &[bot("    # Your own event handlers go here.\n", HANDLER)],
    ),
    (
        "handler behind another",
        &[bot(
            "        logger.info(\"The user has gone\")\n        await runner.cancel()\n",
            "        logger.info(\"The user has gone\")\n        await runner.cancel()\n\n    @worker.event_handler(\"on_pipeline_finished\")\n    async def on_pipeline_finished(worker, frame):\n        logger.info(\"The conversation is over\")\n",
        )],
    ),
    (
        "tool",
        &[
            bot(
                "from pipecat.transports.base_transport",
                "from pipecat.services.llm_service import FunctionCallParams\nfrom pipecat.transports.base_transport",
            ),
            bot("from tools import TOOLS\n", ""),
            bot(
                "async def run_bot(",
                "async def order_status(params: FunctionCallParams, order_id: str):\n    \"\"\"Look up where an order is.\"\"\"\n    await params.result_callback({\"status\": f\"{order_id} was sent\"})\n\n\nasync def run_bot(",
            ),
            bot(
                "LLMContext(tools=TOOLS)",
                "LLMContext(tools=[order_status])",
            ),
        ],
    ),
    (
        "tool beside the list",
        &[
            bot(
                "from pipecat.transports.base_transport",
                "from pipecat.services.llm_service import FunctionCallParams\nfrom pipecat.transports.base_transport",
            ),
            bot(
                "async def run_bot(",
                "async def opening_hours(params: FunctionCallParams):\n    \"\"\"Say when the shop is open.\"\"\"\n    await params.result_callback({\"hours\": \"8 to 18\"})\n\n\nasync def run_bot(",
            ),
            bot(
                "LLMContext(tools=TOOLS)",
                "LLMContext(tools=[*TOOLS, opening_hours])",
            ),
        ],
    ),
    (
        "try and finally",
        &[bot(
            "    await runner.run()\n",
            "    try:\n        await runner.run()\n    finally:\n        logger.info(\"Goodbye\")\n",
        )],
    ),
    (
        "before the run",
        &[bot(
            "    await runner.run()\n",
            "    logger.info(\"Ready\")\n    await runner.run()\n",
        )],
    ),
    (
        "behind the run",
        &[bot(
            "    await runner.run()\n",
            "    await runner.run()\n    logger.info(\"Goodbye\")\n",
        )],
    ),
    (
        "processor",
        &[
            bot(
                "from pipecat.runner.types import",
                "from pipecat.processors.frame_processor import FrameProcessor\nfrom pipecat.runner.types import",
            ),
            bot(
                "async def run_bot(",
                "class WordCount(FrameProcessor):\n    \"\"\"Counts what is said.\"\"\"\n\n\nasync def run_bot(",
            ),
            bot(
                "            llm,\n",
                "            llm,\n            WordCount(),\n",
            ),
        ],
    ),
    (
        "processor at the end",
        &[
            bot(
                "from pipecat.runner.types import",
                "from pipecat.processors.frame_processor import FrameProcessor\nfrom pipecat.runner.types import",
            ),
            bot(
                "async def run_bot(",
                "class Meter(FrameProcessor):\n    \"\"\"Counts what is sent.\"\"\"\n\n\nasync def run_bot(",
            ),
            bot(
                "            transport.output(),\n",
                "            transport.output(),\n            Meter(),\n",
            ),
        ],
    ),
    (
        "transport parameter",
        &[bot(
            "        audio_out_enabled=True,\n",
            "        audio_out_enabled=True,\n        audio_out_10ms_chunks=2,\n",
        )],
    ),
    (
        "transport parameter above",
        &[bot(
            "        audio_in_enabled=True,\n",
            "        audio_in_enabled=True,\n        audio_in_passthrough=True,\n",
        )],
    ),
    (
        "transport parameter off",
        &[bot(
            "        audio_in_enabled=True,\n",
            "        audio_in_enabled=False,\n",
        )],
    ),
    (
        "helper",
        &[bot(
            "async def bot(",
            "def log_cost(seconds: float) -> None:\n    \"\"\"Note what a call costs.\"\"\"\n    logger.info(f\"{seconds * 0.01:.2f}\")\n\n\nasync def bot(",
        )],
    ),
    (
        "helper at the end",
        &[bot(
            "if __name__ == \"__main__\":\n",
            "def log_cost(seconds: float) -> None:\n    \"\"\"Note what a call costs.\"\"\"\n    logger.info(f\"{seconds * 0.01:.2f}\")\n\n\nif __name__ == \"__main__\":\n",
        )],
    ),
    (
        "patience",
        &[bot(
            "idle_timeout_secs=runner_args.pipeline_idle_timeout_secs",
            "idle_timeout_secs=60",
        )],
    ),
    (
        "words of a handler",
        &[bot("\"The user has gone\"", "\"The caller hung up\"")],
    ),
    (
        "handler removed",
        &[bot(
            "    @transport.event_handler(\"on_client_connected\")\n    async def on_client_connected(transport, client):\n        logger.info(\"The user has connected\")\n\n",
            "",
        )],
    ),
    (
        "handler of goodbyes removed",
        &[bot(
            "    @transport.event_handler(\"on_client_disconnected\")\n    async def on_client_disconnected(transport, client):\n        logger.info(\"The user has gone\")\n        await runner.cancel()\n\n",
            "",
        )],
    ),
    (
        "voice activity",
        &[
            bot(
                "from pipecat.audio.vad.silero import SileroVADAnalyzer\n",
                "from pipecat.audio.vad.silero import SileroVADAnalyzer\nfrom pipecat.audio.vad.vad_analyzer import VADParams\n",
            ),
            bot(
                "vad_analyzer=SileroVADAnalyzer()",
                "vad_analyzer=SileroVADAnalyzer(params=VADParams(stop_secs=0.4))",
            ),
        ],
    ),
    (
        "parameters of the assistant",
        &[
            bot(
                "    LLMContextAggregatorPair,\n",
                "    LLMAssistantAggregatorParams,\n    LLMContextAggregatorPair,\n",
            ),
            bot(
                "vad_analyzer=SileroVADAnalyzer()),\n",
                "vad_analyzer=SileroVADAnalyzer()),\n        assistant_params=LLMAssistantAggregatorParams(),\n",
            ),
        ],
    ),
    (
        "temperature",
        &[services(
            "            system_instruction=system_prompt,\n",
            "            system_instruction=system_prompt,\n            temperature=0.2,\n",
        )],
    ),
    (
        "voice",
        &[services(
            "86e30c1d-714b-4074-a1f2-1cb6b552fb49",
            "11111111-714b-4074-a1f2-1cb6b552fb49",
        )],
    ),
    (
        "sample rate",
        &[services(
            "        api_key=CARTESIA_API_KEY,\n",
            "        api_key=CARTESIA_API_KEY,\n        sample_rate=16000,\n",
        )],
    ),
    (
        "model",
        &[services(
            "        api_key=DEEPGRAM_API_KEY,\n",
            "        api_key=DEEPGRAM_API_KEY,\n        tag=[\"bakery\"],\n",
        )],
    ),
    (
        "log on disk",
        &[bot(
            "\nSYSTEM_PROMPT = (",
            "\nlogger.add(\"bot.log\", rotation=\"1 day\")\nSYSTEM_PROMPT = (",
        )],
    ),
    (
        "setting of one's own",
        &[
            services(
                "DEEPGRAM_API_KEY = required(\"DEEPGRAM_API_KEY\")\n",
                "DEEPGRAM_API_KEY = required(\"DEEPGRAM_API_KEY\")\nSHOP_URL = required(\"SHOP_URL\")\n",
            ),
            file(
                "server/.env.example",
                "\n# Deepgram: ",
                "\n# Our shop\n# Its address\nSHOP_URL=\n\n# Deepgram: ",
            ),
        ],
    ),
    (
        "setting behind the others",
        &[services(
            "\n\n\ndef create_stt(",
            "\nSHOP_NAME = os.getenv(\"SHOP_NAME\") or \"Bakery\"\n\n\ndef create_stt(",
        )],
    ),
    (
        "metrics",
        &[bot(
            "    await runner.add_workers(worker)\n",
            "    await runner.add_workers(worker)\n    logger.debug(f\"{worker.name} is there\")\n",
        )],
    ),
    (
        "metrics before",
        &[bot(
            "    await runner.add_workers(worker)\n",
            "    logger.debug(f\"{worker.name} is there\")\n    await runner.add_workers(worker)\n",
        )],
    ),
    (
        "metrics off",
        &[bot(
            "PipelineParams(enable_metrics=True, enable_usage_metrics=True)",
            "PipelineParams(enable_metrics=False)",
        )],
    ),
    (
        "dependency",
        &[
            bot("from loguru import", "import httpx\nfrom loguru import"),
            bot(
                "    check_settings()\n    ",
                "    check_settings()\n    httpx.get(\"https://shop.example/hours\")\n    ",
            ),
            file(
                "server/pyproject.toml",
                "dependencies = [\n",
                "dependencies = [\n    \"httpx>=0.28,<1\",\n",
            ),
        ],
    ),
    (
        "words of the module",
        &[bot("bot.\n\n", "bot that sells bread.\n\n")],
    ),
    (
        "words of run_bot",
        &[bot(
            "\"\"\"Hold one conversation",
            "\"\"\"Sell bread to one customer: hold one conversation",
        )],
    ),
    (
        "comments",
        &[
            bot(
                "    context = LLMContext(",
                "    # Our tools are in tools.py.\n    context = LLMContext(",
            ),
            bot(
                "        await worker.queue_frames([LLMRunFrame()])\n",
                "        await worker.queue_frames([LLMRunFrame()])  # speaks first\n",
            ),
            bot(
                "import os\n",
                "# Ours: ask Ada before you change it.\nimport os\n",
            ),
        ],
    ),
    (
        "longer memory",
        &[bot(
            "    context = LLMContext(tools=TOOLS)\n",
            "    context = LLMContext(\n        messages=[{\"role\": \"developer\", \"content\": \"Bread costs 3.\"}],\n        tools=TOOLS,\n    )\n",
        )],
    ),
    (
        "server in the container",
        &[bot(
            "        handle_sigint=runner_args.handle_sigint,\n",
            "        handle_sigint=False,\n",
        )],
    ),
    (
        "another end",
        &[bot(
            "    from pipecat.runner.run import main\n",
            "    logger.info(\"Starting\")\n\n    from pipecat.runner.run import main\n",
        )],
    ),
    (
        "speaks at once",
        &[bot(
            "        logger.info(\"The user has connected\")\n",
            "        logger.info(\"The user has connected\")\n        context.add_message({\"role\": \"developer\", \"content\": \"Be quick.\"})\n",
        )],
    ),
    (
        "first lines of run_bot",
        &[bot(
            "    llm = create_llm(SYSTEM_PROMPT)\n",
            "    llm = create_llm(SYSTEM_PROMPT + \" Today there is no rye.\")\n",
        )],
    ),
    (
        "shorter calls",
        &[file(
            "server/server.py",
            "CALL_SECONDS = 60 * 60",
            "CALL_SECONDS = 10 * 60",
        )],
    ),
    (
        "route of one's own",
        &[file(
            "server/server.py",
            "async def read_body(",
            "@app.get(\"/health\")\nasync def health() -> dict[str, str]:\n    \"\"\"Say that this server is up.\"\"\"\n    return {\"status\": \"ok\"}\n\n\nasync def read_body(",
        )],
    ),
    (
        "tool in tools.py",
        &[
            file(
                "server/tools.py",
                "\nTOOLS: list[FunctionSchema | DirectFunction] = []\n",
                "\n\nasync def order_status(params: FunctionCallParams, order_id: str):\n    \"\"\"Look up where an order is.\"\"\"\n    await params.result_callback({\"status\": f\"{order_id} was sent\"})\n\n\nTOOLS: list[FunctionSchema | DirectFunction] = [order_status]\n",
            ),
            file(
                "server/tools.py",
                "import FunctionSchema\n",
                "import FunctionSchema\nfrom pipecat.services.llm_service import FunctionCallParams\n",
            ),
        ],
    ),
    (
        "recorder",
        &[file(
            "server/recording.py",
            "\"\"\"",
            "\"\"\"Ours: keep for a week.\n\n",
        )],
    ),
    (
        "pyproject: dependency last",
        &[file(
            "server/pyproject.toml",
            "    \"python-dotenv>=1.0.1,<2\",\n",
            "    \"python-dotenv>=1.0.1,<2\",\n    \"rich>=14,<15\",  # tables in the log\n",
        )],
    ),
    (
        "pyproject: extra",
        &[file("server/pyproject.toml", "runner", "mem0,runner")],
    ),
    (
        "pyproject: bounds",
        &[file(
            "server/pyproject.toml",
            "\"python-dotenv>=1.0.1,<2\"",
            "\"python-dotenv==1.1.0\"",
        )],
    ),
    (
        "pyproject: lines of 88",
        &[file(
            "server/pyproject.toml",
            "line-length = 100",
            "line-length = 88",
        )],
    ),
    (
        "pyproject: tests",
        &[
            file(
                "server/pyproject.toml",
                "dev = [\n",
                "dev = [\n    \"pytest>=8,<9\",\n",
            ),
            file(
                "server/pyproject.toml",
                "[tool.pyright]\n",
                "[tool.pytest.ini_options]\ntestpaths = [\"tests\"]\n\n[tool.pyright]\n",
            ),
        ],
    ),
    (
        "pyproject: rule",
        &[file(
            "server/pyproject.toml",
            "\"I\", \"UP\"]",
            "\"I\", \"RUF\", \"UP\"]",
        )],
    ),
    (
        "pyproject: lists of one's own",
        &[
            file(
                "server/pyproject.toml",
                "version = ",
                "authors = [\n    { name = \"Ada\", email = \"ada@shop.example\" },\n    { name = \"Bob\" }\n]\nversion = ",
            ),
            file(
                "server/pyproject.toml",
                "[tool.uv]\n",
                "[tool.pytest.ini_options]\nmarkers = [\n    \"slow\",  # at night\n    \"fast\"\n]\n\n[tool.uv]\n",
            ),
            file(
                "server/pyproject.toml",
                "[dependency-groups]\n",
                "[dependency-groups]\nshop = [\n    \"httpx>=0.28\",\n    \"rich\",\n]\n",
            ),
        ],
    ),
    (
        "client: lists of one's own",
        &[file(
            "client/package.json",
            "  \"scripts\": {\n",
            "  \"browserslist\": [\n    \"last 2 versions\",\n    \"not dead\"\n  ],\n  \"shop\": {\n    \"a\": [1, 2],\n    \"b\": {\n      \"c\": 1,\n      \"d\": 2\n    }\n  },\n  \"scripts\": {\n",
        )],
    ),
    (
        "pyproject: version",
        &[
            file(
                "server/pyproject.toml",
                "version = \"0.1.0\"",
                "version = \"1.3.0\"",
            ),
            file(
                "server/pyproject.toml",
                "description = \"shop\"",
                "description = \"Sells bread\"",
            ),
        ],
    ),
    (
        "pyproject: on one line",
        &[file(
            "server/pyproject.toml",
            "[tool.uv]\n# A program, not a library: there is no package to build.\npackage = false\n",
            "[tool]\nuv = { package = false }\n",
        )],
    ),
    (
        "variables: filled in",
        &[
            file(
                "server/.env.example",
                "DEEPGRAM_API_KEY=\n",
                "DEEPGRAM_API_KEY=ask-ada\n",
            ),
            file(
                "server/.env.example",
                "# CARTESIA_VOICE_ID=86e30c1d-714b-4074-a1f2-1cb6b552fb49\n",
                "CARTESIA_VOICE_ID=11111111-714b-4074-a1f2-1cb6b552fb49\n",
            ),
        ],
    ),
    (
        "variables: removed",
        &[file(
            "server/.env.example",
            "# Address of another server that speaks the OpenAI protocol\n# OPENAI_BASE_URL=\n",
            "",
        )],
    ),
    (
        "variables: other words",
        &[file(
            "server/.env.example",
            "# API key\n",
            "# The key of our team, ask Ada\n",
        )],
    ),
    (
        "README: intro",
        &[file(
            "README.md",
            "A speech-to-text service transcribes the user, a language model answers, and a text-to-speech service speaks the answer.\n",
            "It sells bread.\n",
        )],
    ),
    (
        "README: section added",
        &[file(
            "README.md",
            "## Run\n",
            "## Our rules\n\nNo bread on Mondays.\n\n## Run\n",
        )],
    ),
    (
        "README: section removed",
        &[file(
            "README.md",
            "## Troubleshooting\n",
            "## In doubt, ask Ada\n",
        )],
    ),
    (
        "README: line of a list",
        &[file(
            "README.md",
            "| `server/bot.py` | The bot |\n",
            "| `server/bot.py` | The bot |\n| `server/menu.py` | What is sold |\n",
        )],
    ),
    (
        "ignored",
        &[file(
            ".gitignore",
            "# Python\n",
            "# Ours\nnotes/\n*.wav\n\n# Python\n",
        )],
    ),
    ("not ignored", &[file(".gitignore", ".ruff_cache/\n", "")]),
    (
        "ignored by the image",
        &[file(
            "server/.dockerignore",
            "recordings\n",
            "recordings\ntests\n",
        )],
    ),
    (
        "image: a package",
        &[file(
            "server/Dockerfile",
            "# `uv.lock*` also matches",
            "RUN apt-get update && apt-get install -y ffmpeg\n\n# `uv.lock*` also matches",
        )],
    ),
    (
        "image: a folder",
        &[file(
            "server/Dockerfile",
            "COPY *.py ./\n",
            "COPY *.py ./\nCOPY menu ./menu\n",
        )],
    ),
    (
        "deployment: region and profile",
        &[
            file(
                "server/cloud-deploy.toml",
                "# region = \"us-west\"\n",
                "region = \"eu-central\"\n",
            ),
            file(
                "server/cloud-deploy.toml",
                "min_agents = 1",
                "min_agents = 2",
            ),
        ],
    ),
    (
        "eval: a turn",
        &[file(
            "server/evals/text.yaml",
            "      - user: \"What is the capital of France?\"\n",
            "      - user: \"What does bread cost?\"\n        expect:\n          - event: response\n            text_contains: \"3\"\n            within_ms: 30000\n\n      - user: \"What is the capital of France?\"\n",
        )],
    ),
    (
        "client: dependency and script",
        &[
            file(
                "client/package.json",
                "    \"react\": ",
                "    \"zustand\": \"^5.0.0\",\n    \"react\": ",
            ),
            file(
                "client/package.json",
                "    \"preview\": ",
                "    \"deploy\": \"rsync dist shop:\",\n    \"preview\": ",
            ),
        ],
    ),
    (
        "client: name and version",
        &[file(
            "client/package.json",
            "  \"version\": \"0.1.0\"",
            "  \"version\": \"2.0.0\"",
        )],
    ),
    (
        "client: page",
        &[file(
            "client/index.html",
            "<title>",
            "<meta name=\"author\" content=\"Ada\" />\n    <title>",
        )],
    ),
];
