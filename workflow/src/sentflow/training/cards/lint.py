"""What is wrong with a model card: front matter, sections, placeholders, and every number against its file."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import yaml
from huggingface_hub import ModelCard
from huggingface_hub.repocard_data import EvalResult

from sentflow.encoders.kinds.table import TRAINED
from sentflow.training.cards.facts import Facts
from sentflow.training.cards.scores import CardScore

SECTIONS = (
    "Use",
    "Training",
    "Settings of the recipe",
    "Settings of training",
    "Selection of the snapshot",
    "Other seeds",
    "Software",
    "Cost",
    "Evaluation",
    "Overlap of training texts with test sets",
    "Limits",
)
_KEYS = ("license", "library_name", "pipeline_tag", "tags")
_PLACEHOLDER = re.compile(
    r"\{\{|\{%|\[More Information Needed\]|\bTODO\b|\bTBD\b|\bFIXME\b|\bundefined\b|\bnan\b", re.I
)
_HEADING = re.compile(r"^#{2,3} (.+)$", re.M)
_NUMBER = re.compile(r"-?[\d,]+(?:\.(\d+))?(?:e[+-]?\d+)?")
_ROUNDING = 1e-9  # what float64 leaves of a number that was printed and read
Tables = dict[str, list[list[str]]]
"""Section → the lines of its table, without heading; cells as they are shown."""


def card_problems(text: str, facts: Facts) -> list[str]:
    """Everything that is wrong with a card, a sentence each.

    Parameters
    ----------
    text
        Of ``README.md``.
    facts
        Read again from the files of the results.
    """
    try:
        card: Any = ModelCard(text)
    except (ValueError, yaml.YAMLError) as error:
        return [f"the front matter cannot be read: {error}"]
    headings = _HEADING.findall(card.text)
    problems = [f"the section {name!r} is missing" for name in SECTIONS if name not in headings]
    problems += [f"the placeholder {found[0]!r} is left" for found in _PLACEHOLDER.finditer(card.text)]
    found = card.data.to_dict()
    problems += [f"the key {key} of the front matter is missing" for key in _KEYS if not found.get(key)]
    problems += _of_front_matter(found, facts)
    problems += _of_index(card.data.eval_results or [], facts.scores)
    return problems + list(_of_tables(tables(card.text), facts))


def tables(text: str) -> Tables:
    """The tables of a card by the section that they stand in; one for each."""
    found: Tables = {}
    section = ""
    for line in text.splitlines():
        if heading := _HEADING.match(line):
            section = heading[1]
        elif line.startswith("|"):
            cells = re.split(r"(?<!\\)\|", line.strip())[1:-1]
            found.setdefault(section, []).append([re.sub(r"\\(.)", r"\1", cell.strip()) for cell in cells])
    return {name: rows[2:] for name, rows in found.items()}


def _of_front_matter(found: Mapping[str, Any], facts: Facts) -> Iterator[str]:
    about = facts.about
    for key, expected in (
        ("base_model", about.base_hub or None),
        ("base_model_revision", about.base_revision or None),
        ("language", list(about.languages) or None),
        ("datasets", [about.data_hub] if about.data_hub else None),
    ):
        if found.get(key) != expected:
            yield f"{key} of the front matter is {found.get(key)}, but should be {expected}"


def _of_index(results: Sequence[EvalResult], scores: Sequence[CardScore]) -> Iterator[str]:
    """The index of the hub has the scores of the summaries, no other, each with its interval."""
    there = {(one.task_type, one.dataset_type, one.metric_type): one for one in results}
    expected = {score.key: score for score in scores}
    if len(there) < len(results):
        yield "the index has a score twice"
    for key in sorted(there.keys() ^ expected.keys()):
        yield f"{', '.join(key)}: {'not among the summaries' if key in there else 'not in the index'}"
    for key in sorted(there.keys() & expected.keys()):
        score, arguments = expected[key], there[key].metric_args or {}
        bounded = not math.isnan(score.low)
        if there[key].metric_value != score.value:
            yield f"{', '.join(key)}: {there[key].metric_value} in the index, {score.value} in the summary"
        if arguments.get("interval") != ([score.low, score.high] if bounded else None):
            yield f"{', '.join(key)}: another interval in the index than in the summary"


def _of_tables(found: Tables, facts: Facts) -> Iterator[str]:
    record, made = facts.record, facts.made
    yield from _pairs(found, "Settings of the recipe", record.recipe_settings)
    yield from _pairs(found, "Settings of training", record.training)
    yield from _pairs(found, "Selection of the snapshot", facts.selection)
    yield from _pairs(found, "Software", record.versions)
    of_training = {
        "Rows of training data": record.data.rows,
        **({"Of these, held out": record.data.held_out} if record.data.held_out else {}),
        "Checksum of training data (SHA-256)": record.data.sha256,
        "Checksum of the start's files (SHA-256)": record.start.files_sha256 or "none",
        "Revision of the start": record.start.revision or "none",
        "Seed": record.seed,
        **(
            {"Read-out in training": record.pooling or "as the start's files say"}
            if facts.read_out.kind == TRAINED
            else {}
        ),
        **(
            {"Checksum of the teacher's vectors (SHA-256)": record.teacher.vectors_sha256}
            if record.teacher
            else {}
        ),
        "Steps made": record.steps,
        "Tokens read": record.tokens,
        "Digest of the code": record.code,
        "Loss, first tenth of the steps": facts.loss[0],
        "Loss, last tenth of the steps": facts.loss[1],
    }
    yield from _pairs(found, "Training", of_training, exact=False)
    of_cost = {
        "Threads": made.threads,
        "Seconds": made.seconds,
        "Tokens per second": made.tokens_per_second,
        "Peak memory (MiB)": made.memory_mb,
        "Peak memory of the device (MiB)": made.device_memory_mb,
    }
    known = {name: value for name, value in of_cost.items() if value is not None}
    yield from _pairs(found, "Cost", known, exact=False)
    yield from _lines(
        found,
        "Evaluation",
        [[s.data, s.measure, s.value, _limits(s), 100 * s.level, s.n, s.population] for s in facts.scores],
    )
    yield from _lines(
        found,
        "Other seeds",
        [
            [
                *(one.score.data, one.score.measure, one.score.value, len(one.values)),
                *(one.mean, one.deviation, min(one.values), max(one.values)),
            ]
            for one in facts.spreads
        ],
    )
    yield from _lines(
        found, "Held-out rows", [[row.measure, row.step, row.value, row.n] for row in facts.held_out]
    )
    tests = facts.overlap.tests if facts.overlap else ()
    yield from _lines(
        found,
        "Overlap of training texts with test sets",
        [[test.name, test.n_texts, test.copies, test.near] for test in tests],
    )


def _pairs(found: Tables, section: str, expected: Mapping[str, Any], *, exact: bool = True) -> Iterator[str]:
    """Keys and values of a table; `exact` allows no other keys, and no rounding."""
    there = {row[0]: row[1] for row in found.get(section, []) if row[1]}
    wanted = dict(_flat(expected))
    for key in wanted.keys() - there.keys():
        yield f"{section}: {key} is missing"
    for key in (there.keys() - wanted.keys()) if exact else ():
        yield f"{section}: {key} stands in no file"
    for key in sorted(there.keys() & wanted.keys()):
        if not equal(there[key], wanted[key], rounded=not exact):
            yield f"{section}: {key} is {there[key]} in the card and {wanted[key]} in its file"


def _lines(found: Tables, section: str, expected: Sequence[Sequence[Any]]) -> Iterator[str]:
    there = found.get(section, [])
    if len(there) != len(expected):
        yield f"{section}: {len(there)} lines in the card, {len(expected)} in the files"
        return
    for line, wanted in zip(there, expected, strict=True):
        for cell, value in zip(line, wanted, strict=True):
            if not equal(cell, value):
                yield f"{section}, {line[0]}: {cell} in the card and {value} in its file"


def equal(cell: str, value: Any, *, rounded: bool = True) -> bool:
    """Whether a cell shows a value; numbers as far as they are printed if `rounded`, lists item by item."""
    if isinstance(value, bool):
        return cell == ("yes" if value else "no")
    if value is None:
        return cell == "not set"
    if value == "":
        return cell == "empty"
    if isinstance(value, list | tuple):
        parts = re.split(r", | to ", cell) if cell != "none" else []
        return len(parts) == len(value) and all(
            equal(part, one, rounded=rounded) for part, one in zip(parts, value, strict=True)
        )
    if not isinstance(value, int | float):
        return cell == " ".join(str(value).split())
    number = _NUMBER.match(cell)
    if number is None:
        return False
    half = 0.5 * 10.0 ** -len(number[1] or "") if rounded and isinstance(value, float) else 0.0
    found = float(number[0].replace(",", ""))
    return math.isclose(found, value, rel_tol=_ROUNDING, abs_tol=half * (1 + _ROUNDING))


def _limits(score: CardScore) -> Any:
    return "—" if math.isnan(score.low) else [score.low, score.high]


def _flat(settings: Mapping[str, Any], above: str = "") -> Iterator[tuple[str, Any]]:
    for key, value in settings.items():
        if isinstance(value, Mapping):
            yield from _flat(value, f"{above}{key}.")
        elif isinstance(value, list) and any(isinstance(one, Mapping) for one in value):
            yield from _flat({str(place): one for place, one in enumerate(value, 1)}, f"{above}{key}.")
        else:
            yield f"{above}{key}", value
