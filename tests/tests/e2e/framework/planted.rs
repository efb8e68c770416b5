//! The checks themselves: each finds a defect that was planted in a project.

use std::fs;

use super::tools::{Finding, python, script};
use super::tree::{Tree, copy};

/// A file, what is replaced in it, by what, and what must then be said.
type Defect = (&'static str, &'static str, &'static str, &'static str);

const IN_FILES: &[Defect] = &[
    (
        "server/bot.py",
        "import ",
        "import(",
        "server/bot.py: invalid syntax",
    ),
    (
        "server/settings.py",
        "\nload_dotenv(",
        "\nimport nowhere\nload_dotenv(",
        "there is no module `nowhere`",
    ),
    (
        "server/services.py",
        "required(\"OPENAI_API_KEY\")",
        "required(\"OPENAI_KEY\")",
        "OPENAI_KEY is read by the project and not listed",
    ),
    (
        "server/services.py",
        "required(\"OPENAI_API_KEY\")",
        "\"\"",
        "OPENAI_API_KEY is listed and nobody reads it",
    ),
    (
        "server/services.py",
        "api_key=OPENAI_API_KEY",
        "api_key=\"OPENAI_API_KEY\"",
        "given the name OPENAI_API_KEY for a value",
    ),
    (
        "server/bot.py",
        "        video_out_enabled=True,\n",
        "",
        "video output was chosen, and webrtc has it otherwise",
    ),
    (
        "server/.env.example",
        "# OPENAI_MODEL=",
        "OPENAI_MODEL=\n# ",
        "the empty line for OPENAI_MODEL overrides",
    ),
    (
        "server/.env.example",
        "OPENAI_API_KEY=",
        "# OPENAI_API_KEY=",
        "OPENAI_API_KEY is needed and its line is commented out",
    ),
    (
        "server/pyproject.toml",
        "deepgram",
        "aws-nova-sonic,deepgram",
        "Python 3.11 is admitted",
    ),
    (
        "server/pyproject.toml",
        "deepgram",
        "deepgrem",
        "pipecat-ai has no extra `deepgrem`",
    ),
    (
        "server/pyproject.toml",
        "deepgram,",
        "",
        "services.py needs the module `deepgram`",
    ),
    (
        "server/pyproject.toml",
        "dependencies = [",
        "dependencies = [\n    \"rich>=13,<14\",",
        "nothing imports it",
    ),
    (
        "server/pyproject.toml",
        "dependencies = [",
        "dependencies = [\n    \"rich\",",
        "lacks a floor or a ceiling",
    ),
    (
        "server/pyproject.toml",
        "pipecat-ai-whisker>=2",
        "pipecat-ai-whisker<2,>=1",
        "does not admit",
    ),
    (
        "server/Dockerfile",
        "COPY *.py",
        "COPY server.py *.py",
        "`server.py` is copied and does not exist",
    ),
    ("server/Dockerfile", "WORKDIR /app\n", "", "DL3045"),
    (
        "server/Dockerfile",
        "-py3.12",
        "-py3.10",
        "has a Python that pyproject.toml refuses",
    ),
    (
        "server/.dockerignore",
        "# Secrets",
        "*",
        "keeps `bot.py` from the hosting service",
    ),
    (
        "server/cloud-deploy.toml",
        "\"agent-",
        "\"agent-9",
        "this bot needs 'agent-2x'",
    ),
    (
        "server/cloud-deploy.toml",
        "audio_filter = \"pro\"",
        "audio_filter = \"tel\"",
        "the noise filter 'tel'",
    ),
    (
        "README.md",
        "`server/bot.py`",
        "`server/robot.py`",
        "speaks of `server/robot.py`, which does not exist",
    ),
];

const IN_SESSIONS: &[Defect] = &[
    (
        "server/services.py",
        "system_instruction=",
        "sistem_instruction=",
        "unexpected keyword argument",
    ),
    (
        "server/watch.py",
        "view.create_observer(worker)",
        "view.observer(worker)",
        "AttributeError",
    ),
    (
        "server/bot.py",
        "            tts,\n",
        "",
        "no CartesiaTTSService in the pipeline",
    ),
    (
        "server/services.py",
        "model=OPENAI_MODEL,",
        "model=os.getenv(\"OPENAI_MODEL\"),",
        "OpenAILLMService settings.model is None",
    ),
];

#[test]
fn every_defect_planted_in_a_file_is_found() {
    finds("check_projects.py", IN_FILES);
}

#[test]
fn every_defect_planted_in_a_session_is_found() {
    finds("hold_sessions.py", IN_SESSIONS);
}

/// A file below `templates/` or the list of what is left out, what is replaced in it, by what, and what must then be said.
const IN_CATALOGUE: &[Defect] = &[
    (
        "templates/providers/nebius.toml",
        "NebiusLLMService",
        "OpenAILLMService",
        "pipecat.services.nebius.llm.NebiusLLMService: the framework has it, the catalogue lacks it",
    ),
    (
        "templates/providers/nvidia.toml",
        "  { name = \"AWS_ACCESS_KEY_ID\" },\n",
        "",
        "nvidia_sagemaker_stt: the class reads AWS_ACCESS_KEY_ID by itself, and nobody is asked for it",
    ),
    (
        "templates/providers/nvidia.toml",
        "  { name = \"AWS_SESSION_TOKEN\", optional = true },\n",
        "  { name = \"AWS_TOKEN_OF_SESSION\", optional = true },\n",
        "nvidia_sagemaker_stt: `reads` has AWS_TOKEN_OF_SESSION, which neither the class nor its libraries name",
    ),
    (
        "templates/providers/funasr.toml",
        "iic/SenseVoiceSmall",
        "iic/SenseVoiceLarge",
        "funasr_stt: class_default of `model` is 'iic/SenseVoiceLarge', the class says 'iic/SenseVoiceSmall'",
    ),
    (
        "left_out.toml",
        "reason = \"deprecated\"",
        "reason = \"dull\"",
        "`dull` is no reason to leave a service out",
    ),
    (
        "left_out.toml",
        "RimeNonJsonTTSService",
        "RimeYamlTTSService",
        "RimeYamlTTSService: is left out, and the framework has no such service",
    ),
    (
        "left_out.toml",
        "[[class]]\nname = \"pipecat.services.whisper.stt.WhisperSTTServiceMLX",
        "[[class]]\nname = \"pipecat.services.whisper.stt.WhisperSTTService",
        "pipecat.services.whisper.stt.WhisperSTTServiceMLX: the framework has it, the catalogue lacks it",
    ),
];

#[test]
fn every_defect_planted_in_the_catalogue_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let templates = concat!(env!("CARGO_MANIFEST_DIR"), "/../templates");
    for (what, from) in [
        ("providers", format!("{templates}/providers")),
        ("transports", format!("{templates}/transports")),
    ] {
        let to = folder.path().join("templates").join(what);
        fs::create_dir_all(&to).unwrap();
        for entry in fs::read_dir(from).unwrap() {
            let entry = entry.unwrap();
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
    let left_out = folder.path().join("left_out.toml");
    fs::copy(script("left_out.toml"), &left_out).unwrap();
    for (file, old, new, _) in IN_CATALOGUE {
        let path = folder.path().join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(text.contains(old), "{file} has no `{old}` to replace");
        fs::write(&path, text.replacen(old, new, 1)).unwrap();
    }
    let output = python()
        .command("python")
        .arg(script("check_catalogue.py"))
        .arg("--templates")
        .arg(folder.path().join("templates"))
        .arg("--left-out")
        .arg(&left_out)
        .args([
            "--may-miss=pocket-tts,funasr",
            "--construct=nvidia,funasr,piper",
        ])
        .output()
        .unwrap();
    let found = String::from_utf8_lossy(&output.stdout);
    for (_, _, new, expected) in IN_CATALOGUE {
        assert!(
            found.contains(expected),
            "`{new}` should be called `{expected}`:\n{}",
            Finding(&output)
        );
    }
    assert_eq!(output.status.code(), Some(1));
}

fn finds(tool: &str, defects: &[Defect]) {
    let tree = Tree::of_the_catalogue();
    let folder = tempfile::tempdir().unwrap();
    for (number, (file, old, new, _)) in defects.iter().enumerate() {
        let project = folder.path().join(format!("planted-{number:02}"));
        copy(tree.case("all-features"), &project);
        let path = project.join(file);
        let text = fs::read_to_string(&path).unwrap();
        assert!(
            text.contains(old),
            "{file} has no `{old}` to plant a defect in:\n{text}"
        );
        fs::write(&path, text.replacen(old, new, 1)).unwrap();
    }
    let output = python()
        .command("python")
        .arg(script(tool))
        .arg(folder.path())
        .output()
        .unwrap();
    let found = String::from_utf8_lossy(&output.stdout);
    let of_project = |number: usize| {
        let begin = found.find(&format!("planted-{number:02}: "))?;
        let rest = &found[begin..];
        Some(
            &rest[..rest[1..]
                .find("\nplanted-")
                .map_or(rest.len(), |end| end + 1)],
        )
    };
    for (number, (file, _, new, expected)) in defects.iter().enumerate() {
        assert!(
            of_project(number).is_some_and(|said| said.contains(expected)),
            "`{new}` in {file} should be called `{expected}`:\n{}",
            Finding(&output)
        );
    }
}
