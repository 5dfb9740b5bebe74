"""What a reader copies from the documentation: commands have the options that they name, configurations fit the schema.

Examples in Python and the pages on own tasks and encoders are run by tests/integration/test_own.py.
"""

import json
import re
import shlex
from collections.abc import Iterator
from pathlib import Path
from textwrap import dedent

import typer
import yte
from jsonschema import Draft202012Validator
from snakemake.cli import get_argument_parser

from sentflow.cli.app import app
from sentflow.files.settings_files import parse_settings
from sentflow.jobs.job import job_named

REPOSITORY = Path(__file__).parents[2]
PAGES = [
    *(page for page in REPOSITORY.glob("*.md") if page.name != "CHANGELOG.md"),
    *REPOSITORY.glob("docs/**/*.md"),
    REPOSITORY / "results/README.md",
]
FENCE = re.compile(r"^( *)(```+|~~~+)(\S*)[^\n]*\n(.*?)^ *\2 *$", re.MULTILINE | re.DOTALL)
PROGRAMS = ("sentflow", "snakemake", "python", "make", "pip", "sh", "sbatch")
# YAML that is no configuration, by its first key: manifests and profiles of other programs, parts of an entry.
OTHER_YAML = {
    "apiVersion",
    "executor",
    "set-resources",
    "prepare",
    "questions",
    "ensemble",
    "bm25plus-x-tuned",
}


def _commands() -> Iterator[tuple[str, list[str]]]:
    """Each command of ours in the pages, in fenced blocks and in the text: page, words."""
    for page in PAGES:
        text = page.read_text("utf-8")
        blocks = [block for _, _, language, block in FENCE.findall(text) if language == "bash"]
        lines = "\n".join(blocks).replace("\\\n", " ").splitlines()
        spans = re.findall(rf"`((?:{'|'.join(PROGRAMS)}) [^`\n]*)`", FENCE.sub("", text))
        for line in [*lines, *spans]:
            words: list[str] = []
            for word in [*shlex.split(re.sub(r"^\s*[$>] ", "", line), comments=True), "&&"]:
                if word in {"&&", "|", ";"}:
                    while words and re.match(r"[A-Z_]+=", words[0]):
                        words = words[1:]
                    if words and words[0] in PROGRAMS:
                        yield page.name, words
                    words = []
                elif "…" not in word:
                    words.append(word)


COMMANDS = list(_commands())


def _of(*programs: str) -> list[tuple[str, list[str]]]:
    return [(page, words) for page, words in COMMANDS if words[0] in programs]


def _options(words: list[str]) -> set[str]:
    return {word.partition("=")[0] for word in words if word.startswith("--") and word != "--"}


def test_no_command_slips_through_in_another_kind_of_block():
    for page in PAGES:
        text = page.read_text("utf-8")
        languages = {language for _, _, language, _ in FENCE.findall(text)}
        assert languages <= {"bash", "yaml", "python", "text", "latex", "dockerfile", "mermaid"}, page.name
        indented = re.findall(r"^ {4,}(?:[$>] )?(\S+)", FENCE.sub("", text), re.MULTILINE)
        assert not {*indented} & {*PROGRAMS}, f"{page.name}: a command in an indented block"


def test_commands_of_sentflow_exist_with_their_options():
    assert len(COMMANDS) > 100
    group = typer.main.get_command(app)
    for page, (_, name, *words) in _of("sentflow"):
        one = group.get_command(None, name)
        assert one or name.startswith("-"), f"{page}: sentflow {name}"
        while words and words[0] in getattr(one, "commands", {}):
            one = one.commands[words.pop(0)]
        if name == "run":
            _check_snakemake(page, words)
        elif one:
            known = {option for parameter in one.params for option in parameter.opts} | {"--help"}
            assert _options(words) <= known, f"{page}: sentflow {name} {words}"


def test_commands_of_snakemake_exist_with_their_options_targets_and_files():
    for page, (_, *words) in _of("snakemake"):
        _check_snakemake(page, words)


def _check_snakemake(page: str, words: list[str]) -> None:
    """Snakemake itself reads the words; targets are rules or results, files of ours are there."""
    try:
        asked = get_argument_parser().parse_args([word for word in words if word != "\u2026"])
    except SystemExit:
        raise AssertionError(f"{page}: snakemake {words}") from None
    rules = "".join(file.read_text("utf-8") for file in REPOSITORY.glob("workflow/rules/*.smk"))
    rules += (REPOSITORY / "Snakefile").read_text("utf-8")
    for target in {*asked.targets, *(asked.until or ())}:
        is_rule = re.search(rf'^ *(rule {target}:|(job_rule|numbered)\(\s*"{target}")', rules, re.MULTILINE)
        assert is_rule or target.startswith("results/"), f"{page}: {target}"
    for word in words:
        assert not word.startswith(("experiments/", "profiles/")) or (REPOSITORY / word).exists(), (
            f"{page}: {word}"
        )


def test_programs_targets_and_lists_of_packages_exist():
    targets = set(re.findall(r"^([\w./$()-]+):", (REPOSITORY / "Makefile").read_text("utf-8"), re.MULTILINE))
    for page, (program, *words) in _of("make", "pip", "python", "sh", "sbatch"):
        files = [
            word for word in words if re.fullmatch(r"(benchmarks|docs|tests|envs|profiles)/[\w./-]+", word)
        ]
        assert all((REPOSITORY / file).exists() for file in files), f"{page}: {words}"
        if program == "make":
            assert {word for word in words if "=" not in word} <= targets | {".venv/installed"}, (
                f"{page}: {words}"
            )
        elif program == "python" and files:
            source = (REPOSITORY / files[0]).read_text("utf-8")
            assert all(option in source for option in _options(words)), f"{page}: {words}"
        elif "sentflow.jobs" in words and not {"NAME", "--help"} & {*words}:
            job_named(words[words.index("sentflow.jobs") + 1]).values(
                words[words.index("sentflow.jobs") + 2 :]
            )


def test_configurations_are_read_alike_by_snakemake_and_validate_and_fit_the_schema():
    schema = json.loads((REPOSITORY / "workflow/schemas/config.json").read_text(encoding="utf-8"))
    validator, count = Draft202012Validator(schema), 0
    blocks = [(page.name, *one) for page in PAGES for one in FENCE.findall(page.read_text("utf-8"))]
    for page, block in (
        (page, dedent(block)) for page, _, _, language, block in blocks if language == "yaml"
    ):
        for document in re.split(r"^---$", block, flags=re.MULTILINE):
            config = parse_settings(document, where=page)
            assert config and config == yte.process_yaml(document, require_use_yte=True)
            if not OTHER_YAML & {*config}:
                errors = [
                    f"{error.json_path}: {error.message[:200]}" for error in validator.iter_errors(config)
                ]
                assert not errors, f"{page}: {errors}"
                count += 1
    assert count > 30
