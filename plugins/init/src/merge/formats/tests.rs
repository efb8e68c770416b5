use super::super::{Merged, Part, Versions, merge};

/// Merges texts that all differ.
fn merged(path: &str, base: &str, yours: &str, new: &str) -> Merged {
    merge(path, &Versions { base, yours, new })
}

fn clean(path: &str, base: &str, yours: &str, new: &str) -> (String, Vec<String>) {
    let merged = merged(path, base, yours, new);
    let text = merged.text();
    (
        text.unwrap_or_else(|| panic!("{:#?}", merged.parts)),
        merged.notes,
    )
}

const PROJECT: &str = "[project]
name = \"shop\"
dependencies = [
    \"loguru>=0.7.3,<1\",
    \"pipecat-ai[openai,runner]>=1.14.0,<2\",
    \"python-dotenv>=1.0.1,<2\",
]

[tool.ruff]
line-length = 100

[tool.ruff.lint]
select = [\"B\", \"E\"]
";

#[test]
fn requirements_merge_by_their_names_and_extras_as_a_set() {
    let yours = PROJECT
        .replace(
            "[\n    \"loguru",
            "[\n    \"httpx>=0.28,<1\",\n    \"loguru",
        )
        .replace("[openai,runner]", "[mem0,openai,runner]")
        .replace(",<2\",\n]", ",<2\",\n    \"rich>=14,<15\",  # tables\n]");
    let new = PROJECT
        .replace(
            "[openai,runner]>=1.14.0",
            "[anthropic,runner,webrtc]>=1.15.0",
        )
        .replace(
            "    \"python-dotenv>=1.0.1,<2\",\n",
            "    \"pipecat-ai-whisker>=2,<3\",\n    \"python-dotenv>=1.1,<2\",\n",
        );
    let (text, notes) = clean("server/pyproject.toml", PROJECT, &yours, &new);
    let expected = "dependencies = [
    \"httpx>=0.28,<1\",
    \"loguru>=0.7.3,<1\",
    \"pipecat-ai[anthropic,mem0,runner,webrtc]>=1.15.0,<2\",
    \"pipecat-ai-whisker>=2,<3\",
    \"python-dotenv>=1.1,<2\",
    \"rich>=14,<15\",  # tables
]
";
    assert!(text.contains(expected), "{text}");
    assert_eq!(notes, Vec::<String>::new());
}

#[test]
fn bounds_that_differ_are_a_conflict_of_their_requirement() {
    let yours = PROJECT.replace("python-dotenv>=1.0.1,<2", "python-dotenv==1.0.9");
    let new = PROJECT.replace("python-dotenv>=1.0.1,<2", "python-dotenv>=1.1,<2");
    let merged = merged("server/pyproject.toml", PROJECT, &yours, &new);
    let conflicts: Vec<_> = merged.conflicts().collect();
    assert_eq!(conflicts.len(), 1, "{merged:#?}");
    assert_eq!(conflicts[0].declaration.as_deref(), Some("python-dotenv"));
    assert_eq!(conflicts[0].line, 6);
    assert_eq!(conflicts[0].yours, "    \"python-dotenv==1.0.9\",\n");
    assert_eq!(conflicts[0].new, "    \"python-dotenv>=1.1,<2\",\n");
}

#[test]
fn tables_merge_by_key_and_keep_comments() {
    let yours = PROJECT
        .replace(
            "line-length = 100\n",
            "# As in our other projects\nline-length = 88  # not 100\n",
        )
        .replace("[\"B\", \"E\"]", "[\"B\", \"E\", \"RUF\"]");
    let new = PROJECT
        .replace(
            "line-length = 100\n",
            "line-length = 100\nindent-width = 4\n",
        )
        .replace("[\"B\", \"E\"]", "[\"B\", \"E\", \"F\"]")
        + "\n[tool.pyright]\nvenv = \".venv\"\n";
    let (text, _) = clean("server/pyproject.toml", PROJECT, &yours, &new);
    let (_, tail) = text.split_once("[tool.ruff]\n").unwrap();
    assert_eq!(
        tail,
        "# As in our other projects\nline-length = 88  # not 100\nindent-width = 4\n\n\
         [tool.ruff.lint]\nselect = [\"B\", \"E\", \"F\", \"RUF\"]\n\n[tool.pyright]\nvenv = \".venv\"\n"
    );
}

#[test]
fn a_value_that_only_has_a_comment_more_takes_the_new_one() {
    let yours = PROJECT.replace("line-length = 100\n", "line-length = 100  # ours\n");
    let new = PROJECT.replace("line-length = 100\n", "line-length = 110\n");
    let (text, _) = clean("server/pyproject.toml", PROJECT, &yours, &new);
    assert!(text.contains("line-length = 110  # ours\n"), "{text}");
}

const VARIABLES: &str = "# Copy this file to `.env`.

# Deepgram: https://console.deepgram.com
# API key
DEEPGRAM_API_KEY=

# OpenAI: https://platform.openai.com
# API key
OPENAI_API_KEY=
# Model
# OPENAI_MODEL=gpt-4.1
";

#[test]
fn variables_stay_with_their_comments_and_values() {
    let yours = VARIABLES
        .replace("# OPENAI_MODEL=gpt-4.1\n", "OPENAI_MODEL=gpt-5\n")
        .replace(
            "DEEPGRAM_API_KEY=\n",
            "DEEPGRAM_API_KEY=ask-ada\n# Ours\nSHOP_URL=\n",
        );
    let new = "# Copy this file to `.env`; never commit that.

# OpenAI: https://platform.openai.com
# API key
OPENAI_API_KEY=
# Model
# OPENAI_MODEL=gpt-4.2

# Daily: https://dashboard.daily.co
# API key
DAILY_API_KEY=
";
    let (text, notes) = clean("server/.env.example", VARIABLES, &yours, new);
    assert_eq!(
        text,
        "# Copy this file to `.env`; never commit that.

# Deepgram: https://console.deepgram.com
# API key
DEEPGRAM_API_KEY=ask-ada
# Ours
SHOP_URL=

# OpenAI: https://platform.openai.com
# API key
OPENAI_API_KEY=
# Model
OPENAI_MODEL=gpt-5

# Daily: https://dashboard.daily.co
# API key
DAILY_API_KEY=
"
    );
    assert_eq!(
        notes,
        [
            "`DEEPGRAM_API_KEY` is no longer generated; yours stays",
            "`OPENAI_MODEL` stays as you have it; the new text is:\n# OPENAI_MODEL=gpt-4.2"
        ]
    );
}

#[test]
fn a_variable_that_goes_leaves_the_group_of_the_next_one() {
    let yours = VARIABLES.replace("DEEPGRAM_API_KEY=\n", "DEEPGRAM_API_KEY=\nSHOP_URL=\n");
    let new = VARIABLES.replace(
        "# Deepgram: https://console.deepgram.com\n# API key\nDEEPGRAM_API_KEY=\n\n",
        "",
    );
    let (text, _) = clean("server/.env.example", VARIABLES, &yours, &new);
    assert!(
        text.starts_with("# Copy this file to `.env`.\n\nSHOP_URL=\n\n# OpenAI"),
        "{text}"
    );
}

/// The variables of a bot with one service.
fn variables_of(service: &str, name: &str) -> String {
    VARIABLES.replace(
        "# OpenAI: https://platform.openai.com\n# API key\nOPENAI_API_KEY=\n# Model\n# OPENAI_MODEL=gpt-4.1\n",
        &format!("# {service}: https://{name}.example\n# API key\n{name}_API_KEY=\n\n# Cartesia: https://play.cartesia.ai\n# API key\nCARTESIA_API_KEY=\n"),
    )
}

#[test]
fn a_variable_that_the_user_has_before_it_is_generated_stands_once() {
    let base = variables_of("Anthropic", "ANTHROPIC");
    let new = variables_of("OpenAI", "OPENAI");
    for own in [
        "# API key\nOPENAI_API_KEY=mine\n",
        "# OpenAI: https://OPENAI.example\n# API key\nOPENAI_API_KEY=mine\n\n",
        "OPENAI_API_KEY=mine\n",
        "export OPENAI_API_KEY=mine\n\n",
    ] {
        for place in ["# Deepgram", "# Cartesia", "# Anthropic", "DEEPGRAM"] {
            let yours = base.replace(place, &format!("{own}{place}"));
            let (text, _) = clean("server/.env.example", &base, &yours, &new);
            assert_eq!(text.matches("OPENAI_API_KEY=").count(), 1, "{text}");
            assert!(text.contains("OPENAI_API_KEY=mine\n"), "{text}");
            assert!(!text.contains("ANTHROPIC"), "{text}");
            assert_eq!(text.matches("CARTESIA_API_KEY=\n").count(), 1, "{text}");
        }
    }
}

const PACKAGE: &str = "{
  \"name\": \"shop\",
  \"scripts\": {
    \"dev\": \"vite\"
  },
  \"files\": [\"dist\"],
  \"dependencies\": {
    \"react\": \"^19.3.1\",
    \"react-dom\": \"^19.3.1\"
  }
}
";

#[test]
fn members_merge_by_key_in_the_users_indentation() {
    let yours = PACKAGE
        .replace(
            "    \"dev\": \"vite\"\n",
            "    \"dev\": \"vite\",\n    \"deploy\": \"rsync\"\n",
        )
        .replace(
            "    \"react-dom\": \"^19.3.1\"\n",
            "    \"react-dom\": \"^19.3.1\",\n    \"zustand\": \"^5\"\n",
        )
        .replace("  ", "\t");
    let new = PACKAGE
        .replace(
            "    \"dev\": \"vite\"\n",
            "    \"dev\": \"next\",\n    \"lint\": \"eslint\"\n",
        )
        .replace(
            "    \"react\": \"^19.3.1\",\n",
            "    \"next\": \"^16\",\n    \"react\": \"^19.4.0\",\n",
        );
    let (text, _) = clean("client/package.json", PACKAGE, &yours, &new);
    assert_eq!(
        text,
        "{
\t\"name\": \"shop\",
\t\"scripts\": {
\t\t\"dev\": \"next\",
\t\t\"lint\": \"eslint\",
\t\t\"deploy\": \"rsync\"
\t},
\t\"files\": [\"dist\"],
\t\"dependencies\": {
\t\t\"next\": \"^16\",
\t\t\"react\": \"^19.4.0\",
\t\t\"react-dom\": \"^19.3.1\",
\t\t\"zustand\": \"^5\"
\t}
}
"
    );
}

#[test]
fn values_that_differ_are_a_conflict_of_their_key() {
    let yours = PACKAGE.replace("\"react\": \"^19.3.1\"", "\"react\": \"^19.3.9\"");
    let new = PACKAGE.replace("\"react\": \"^19.3.1\"", "\"react\": \"^19.4.0\"");
    let merged = merged("client/package.json", PACKAGE, &yours, &new);
    let conflicts: Vec<_> = merged.conflicts().collect();
    assert_eq!(conflicts.len(), 1, "{merged:#?}");
    assert_eq!(conflicts[0].declaration.as_deref(), Some("react"));
    assert_eq!(conflicts[0].line, 8);
    assert_eq!(conflicts[0].yours, "    \"react\": \"^19.3.9\",\n");
}

#[test]
fn json_that_no_formatter_wrote_merges_by_lines() {
    let yours = "{ \"a\": 1, // why\n  \"b\": 2 }\n";
    let merged = merged("a.json", "{ \"a\": 1 }\n", yours, "{ \"a\": 2 }\n");
    assert!(
        matches!(merged.parts[..], [Part::Conflict(_), ..]),
        "{merged:#?}"
    );
}

#[test]
fn patterns_are_a_set() {
    let base = "# Secrets\n.env\n\n# Python\n__pycache__/\n.ruff_cache/\n";
    let yours = "# Secrets\n.env\n\n# Python\n__pycache__/\n*.wav\n\n# Ours\nnotes/\n";
    let new = "# Secrets\n.env\n.env.*\n\n# Python\n__pycache__/\n.ruff_cache/\n\n# Web client\nnode_modules/\n";
    let (text, _) = clean(".gitignore", base, yours, new);
    assert_eq!(
        text,
        "# Secrets\n.env\n.env.*\n\n# Python\n__pycache__/\n*.wav\n\n# Web client\nnode_modules/\n\n# Ours\nnotes/\n"
    );
}

#[test]
fn a_pattern_that_the_user_has_written_again_stays() {
    let (base, yours, new) = (
        ".env\n.venv\nevals\n",
        ".env\n.venv\n.venv\nevals\n",
        ".env\nevals\n",
    );
    let (once, _) = clean(".gitignore", base, yours, new);
    assert_eq!(once, yours);
    assert_eq!(clean(".gitignore", base, &once, new).0, once);
}

const PAGE: &str = "# Shop

A voice bot.

## Files

| File | Purpose |
|---|---|
| `bot.py` | The bot |
| `tools.py` | Yours |

## Run

```sh
# Not a heading
uv run bot.py
```

### Daily

Open it.

## Help

Ask.
";

#[test]
fn sections_of_the_user_stay_and_the_new_text_is_noted() {
    let yours = PAGE
        .replace("A voice bot.", "It sells bread.")
        .replace(
            "| `bot.py` | The bot |\n",
            "| `bot.py` | The bot |\n| `menu.py` | What is sold |\n",
        )
        .replace(
            "### Daily\n\nOpen it.\n",
            "### Daily\n\nOpen it.\n\n### Our phone\n\nRing.\n",
        )
        .replace("Ask.", "Ask Ada.");
    let new = PAGE
        .replace("# Shop", "# Bakery")
        .replace(
            "| `bot.py` | The bot |\n",
            "| `bot.py` | The bot |\n| `recording.py` | The recorder |\n",
        )
        .replace(
            "### Daily\n\nOpen it.\n",
            "### Daily\n\nOpen it.\n\n## Deploy\n\nSign in.\n",
        )
        .replace("Ask.", "Ask on the forum.");
    let (text, notes) = clean("README.md", PAGE, &yours, &new);
    let expected = yours
        .replace("# Shop", "# Bakery")
        .replace(
            "| `menu.py` | What is sold |\n",
            "| `menu.py` | What is sold |\n| `recording.py` | The recorder |\n",
        )
        .replace("\nRing.\n", "\nRing.\n\n## Deploy\n\nSign in.\n");
    assert_eq!(text, expected);
    assert_eq!(
        notes,
        ["`## Help` stays as you have it; the new text is:\n## Help\n\nAsk on the forum."]
    );
}

#[test]
fn lists_that_only_one_side_has_keep_their_commas() {
    let group = "\n[dependency-groups]\ndev = [\n    \"pytest>=8\",\n    \"ruff>=0.12\",\n]\n";
    let yours = PROJECT.replace("line-length = 100", "line-length = 88") + group;
    let new = PROJECT.replace("[\"B\", \"E\"]", "[\"B\", \"F\"]");
    let (text, _) = clean("server/pyproject.toml", PROJECT, &yours, &new);
    assert!(text.ends_with(group), "{text}");
    let yours = PROJECT.replace("line-length = 100", "line-length = 88");
    let (text, _) = clean("server/pyproject.toml", PROJECT, &yours, &(new + group));
    assert!(text.ends_with(group), "{text}");
    // What is left of a list that goes.
    let base = format!("{PROJECT}{group}");
    let yours = base.replace("dev = [\n", "dev = [\n    \"httpx\",\n    \"rich\",\n");
    let (text, notes) = clean("server/pyproject.toml", &base, &yours, PROJECT);
    let left = "\n[dependency-groups]\ndev = [\n    \"httpx\",\n    \"rich\",\n]\n";
    assert!(text.ends_with(left), "{text}");
    assert_eq!(notes.len(), 2, "{notes:?}");
    let object = |inner: &str| PACKAGE.replace("  \"files\"", &format!("{inner}  \"files\""));
    let own = object("  \"own\": {\n    \"a\": [\n      1,\n      2\n    ],\n    \"b\": 1\n  },\n");
    let new = PACKAGE.replace("\"vite\"", "\"next\"");
    let (text, _) = clean("client/package.json", PACKAGE, &own, &new);
    assert_eq!(text, own.replace("\"vite\"", "\"next\""));
}

#[test]
fn comments_of_the_user_keep_what_is_below_them() {
    let yours = VARIABLES
        .replace("# Deepgram: ", "# MINE: account 7\n# Deepgram: ")
        .replace("OPENAI_API_KEY=\n", "OPENAI_API_KEY=\nOWN=\n");
    let new = VARIABLES.replace(
        "# Deepgram: https://console.deepgram.com\n# API key\nDEEPGRAM_API_KEY=\n\n",
        "",
    );
    let (text, notes) = clean("server/.env.example", VARIABLES, &yours, &new);
    assert_eq!(text, yours);
    assert_eq!(
        notes,
        ["`DEEPGRAM_API_KEY` is no longer generated; yours stays"]
    );
    let yours = PROJECT.replace(
        "    \"python-dotenv",
        "    # MINE: pinned\n    \"python-dotenv",
    );
    let new = PROJECT.replace("    \"python-dotenv>=1.0.1,<2\",\n", "");
    let (text, notes) = clean("server/pyproject.toml", PROJECT, &yours, &new);
    assert_eq!(text, yours);
    assert_eq!(
        notes,
        ["`python-dotenv` is no longer generated; yours stays"]
    );
}

#[test]
fn requirements_stay_as_the_user_writes_them() {
    let change = |requirement: &str| {
        let yours = PROJECT.replace("pipecat-ai[openai,runner]>=1.14.0,<2", requirement);
        let new = PROJECT.replace("[openai,runner]", "[anthropic,runner]");
        merged("server/pyproject.toml", PROJECT, &yours, &new).text()
    };
    let text = change("pipecat-ai[runner, openai] == 1.15.0 ; python_version > '3'").unwrap();
    let expected = "    \"pipecat-ai[runner,anthropic] == 1.15.0 ; python_version > '3'\",\n";
    assert!(text.contains(expected), "{text}");
    assert_eq!(change("pipecat-ai @ git+https://shop.example/fork"), None);
    let text = change("pipecat-ai[openai,runner] @ git+https://shop.example/fork").unwrap();
    assert!(
        text.contains("\"pipecat-ai[anthropic,runner] @ git+https://shop.example/fork\""),
        "{text}"
    );
}

#[test]
fn a_list_without_a_last_comma_stays_readable() {
    let own = "line-length = 120\nexclude = [\n  \"x\", # a\n  \"y\"\n]\n";
    let yours = PROJECT.replace("line-length = 100\n", own);
    let new = PROJECT.replace("[openai,runner]", "[anthropic,runner]");
    let (text, _) = clean("server/pyproject.toml", PROJECT, &yours, &new);
    assert_eq!(text, yours.replace("[openai,runner]", "[anthropic,runner]"));
    let base = PROJECT.replace("line-length = 100\n", "exclude = [\n  \"x\",\n]\n");
    let yours = PROJECT.replace("line-length = 100\n", "exclude = [\n  \"x\" # a\n]\n");
    let new = PROJECT.replace(
        "line-length = 100\n",
        "exclude = [\n  \"x\",\n  \"y\",\n]\n",
    );
    let (text, _) = clean("server/pyproject.toml", &base, &yours, &new);
    assert!(
        text.contains("exclude = [\n  \"x\", # a\n  \"y\"\n]\n"),
        "{text}"
    );
}

#[test]
fn elements_with_commas_of_their_own_keep_them() {
    let own = "authors = [\n    { name = \"A, B\", email = \"a@shop.example\" },\n]\nmatrix = [\n    [1, 2], # a, b\n    ['x', \"y\\\",\"]\n]\n";
    let base = PROJECT.replace("[tool.ruff]\n", "[tool.ruff]\nfix = [\n    [1, 2],\n]\n");
    let yours = base
        .replace("name = \"shop\"\n", &format!("name = \"shop\"\n{own}"))
        .replace(
            "    [1, 2],\n]\n[",
            "    [1, 2],\n    { a = 1, b = 2 }\n]\n[",
        );
    let yours = yours.replacen(
        "fix = [\n    [1, 2],\n",
        "fix = [\n    [1, 2],\n    [3, 4]\n",
        1,
    );
    let new = base
        .replace("[openai,runner]", "[anthropic,runner]")
        .replace(
            "fix = [\n    [1, 2],\n",
            "fix = [\n    [1, 2],\n    [5, 6],\n",
        );
    let (text, _) = clean("server/pyproject.toml", &base, &yours, &new);
    assert!(text.contains(own), "{text}");
    assert!(
        text.contains("fix = [\n    [1, 2],\n    [5, 6],\n    [3, 4]\n]\n"),
        "{text}"
    );
}

#[test]
fn what_the_user_has_before_it_is_generated_stands_once_in_every_format() {
    for (path, base, new, own) in [
        (
            "client/package.json",
            "{\n  \"old\": {\n    \"on\": true\n  },\n  \"b\": 1\n}\n",
            "{\n  \"new\": {\n    \"on\": true\n  },\n  \"b\": 1\n}\n",
            "  \"new\": {\n    \"on\": true\n  }\n",
        ),
        (
            "server/cloud-deploy.toml",
            "[a]\n# Key\nold = 1\n\n[b]\nx = 1\n",
            "[a]\n\n[b]\n# Key\nnew = 1\nx = 1\n",
            "# Key\nnew = 1\n",
        ),
    ] {
        let yours = match path {
            "client/package.json" => base.replace("1\n}", &format!("1,\n{own}}}")),
            _ => format!("{base}{own}"),
        };
        let (text, _) = clean(path, base, &yours, new);
        assert_eq!(text.matches("new").count(), 1, "{text}");
        assert!(text.contains(own) && !text.contains("old"), "{text}");
    }
}
