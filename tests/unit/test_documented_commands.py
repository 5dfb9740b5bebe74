"""Commands in documentation and experiment files: whatever follows ``--configfile`` is a file."""

import re
from pathlib import Path

import pytest

REPOSITORY = Path(__file__).parents[2]
PAGES = sorted(
    page
    for pattern in ("*.md", "config.yaml", "docs/*.md", "docs/*.ipynb", "experiments/*.yaml", "profiles/*/*")
    for page in REPOSITORY.glob(pattern)
)
# The words up to an option or to what ends a command: code marks, punctuation of a sentence, a comment, a line's end.
_WORDS = re.compile(r"--configfiles?(?P<words>(?:[ =](?!-)[^\s`'\"#;,:|&()\\]+)+)")
_FILE = re.compile(r"(?:[\w./-]+\.ya?ml|FILE|…)\.?")


def targets_among_files(text: str) -> list[str]:
    """Words behind ``--configfile`` that are no files of settings."""
    words = [word for found in _WORDS.finditer(text) for word in re.split("[ =]", found["words"])[1:]]
    return [word for word in words if not _FILE.fullmatch(word)]


@pytest.mark.parametrize("page", PAGES, ids=lambda page: str(page.relative_to(REPOSITORY)))
def test_no_command_has_a_target_behind_a_file_of_settings(page):
    assert targets_among_files(page.read_text(encoding="utf-8")) == []


@pytest.mark.parametrize(
    ("command", "found"),
    [
        ("snakemake --cores 2 --configfile mine.yaml tables", ["tables"]),
        (
            "snakemake --configfile a.yaml b.yaml results/scores/T1A/random.json",
            ["results/scores/T1A/random.json"],
        ),
        ("`snakemake --configfile=mine.yaml all`", ["all"]),
        ("snakemake --configfile mine.yaml -- tables", []),
        ("snakemake tables --configfile a.yaml b.yaml -n  # tables", []),
        ("merged (snakemake --configfile a.yaml b.yaml): the rest", []),
    ],
)
def test_a_target_behind_a_file_of_settings_is_found(command, found):
    assert targets_among_files(command) == found


def test_both_right_forms_are_documented():
    for page in ("README.md", "docs/troubleshooting.md"):
        text = " ".join((REPOSITORY / page).read_text(encoding="utf-8").split())
        assert "tables --cores 16 --configfile mine.yaml" in text, page
        assert "--cores 16 --configfile mine.yaml -- tables" in text, page
