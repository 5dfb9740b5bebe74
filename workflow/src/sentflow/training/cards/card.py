"""A model card in the form of the Hugging Face hub, from the facts of one training."""

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from huggingface_hub import EvalResult, ModelCard, ModelCardData
from jinja2 import Environment, FileSystemLoader, StrictUndefined, select_autoescape

from sentflow.report import numbers
from sentflow.training.cards.facts import USES, CardScore, Facts

TEMPLATE = Path(__file__).with_name("card.md.j2")
# Marks of Markdown that a name or title must not become
_MARKS = re.compile(r"([\\`*_\[\]<>|#])")
# SPDX and what the hub calls the same; it knows no other way of writing them
_NO_LICENCE = {"", "none", "not stated"}
_HUB_LICENCE = re.compile(r"[a-z0-9][a-z0-9.+-]*\Z")


def model_card(facts: Facts) -> str:
    """The text of ``README.md``: front matter and body; equal facts give equal text.

    Raises jinja2.UndefinedError: the template asks for what the facts do not have.
    """
    environment = Environment(
        loader=FileSystemLoader(TEMPLATE.parent),
        undefined=StrictUndefined,
        autoescape=select_autoescape(()),  # of Markdown; the filter md escapes names
        trim_blocks=True,
        lstrip_blocks=True,
        keep_trailing_newline=True,
    )
    environment.filters |= {
        "md": escaped,
        "decimal": decimal,
        "count": numbers.count,
        "limits": limits,
        "percent": lambda level: numbers.percent(level).replace("\u202f", " "),
        "duration": numbers.duration,
        "listed": numbers.listed,
        "shown": shown,
    }
    body = environment.get_template(TEMPLATE.name).render(
        facts=facts,
        record=facts.record,
        made=facts.made,
        about=facts.about,
        read_out=facts.read_out,
        use=USES[facts.read_out.kind],
        settings=list(flat(facts.record.recipe_settings)),
        training=list(flat(facts.record.training)),
        selection=list(flat(facts.selection)),
        limitations=list(limitations(facts)),
    )
    return str(ModelCard(f"---\n{front_matter(facts).to_yaml()}\n---\n\n{body}"))


def front_matter(facts: Facts) -> ModelCardData:
    """What the hub reads of a card."""
    about, record, use = facts.about, facts.record, USES[facts.read_out.kind]
    further: dict[str, Any] = {
        "base_model": about.base_hub or None,
        "base_model_revision": about.base_revision or None,
        "datasets": [about.data_hub] if about.data_hub else None,
        "language": list(about.languages) or None,
        **licence(about.licence),
    }
    if facts.scores:
        further |= {
            "model_name": record.model,
            "eval_results": [eval_result(score) for score in facts.scores],
        }
    return ModelCardData(
        library_name=use.library,
        pipeline_tag=use.pipeline,
        tags=list(dict.fromkeys([*use.tags, "sentflow", record.recipe])),
        **{key: value for key, value in further.items() if value is not None},
    )


def eval_result(score: CardScore) -> EvalResult:
    """One score for the index of the hub; its interval stands among the arguments of the metric."""
    bounded = not math.isnan(score.low)
    interval = {"interval": [score.low, score.high], "level": score.level} if bounded else {}
    return EvalResult(
        task_type=score.task_type,
        task_name=score.task_name,
        dataset_type=score.data,
        dataset_name=score.data_title,
        dataset_args={"version": score.data_version, score.unit: score.n},
        metric_type=score.measure,
        metric_value=score.value,
        metric_args={**interval, "speaks_for": score.population},
    )


def licence(name: str) -> dict[str, str]:
    """The keys of the front matter that say on what terms an encoder may be used."""
    short = name.lower().strip()
    if short in _NO_LICENCE:
        return {"license": "unknown"}
    if _HUB_LICENCE.match(short):
        return {"license": short}
    return {"license": "other", "license_name": re.sub(r"[^a-z0-9.]+", "-", short).strip("-")}


def limitations(facts: Facts) -> Iterator[str]:
    """What does not follow from the card, a sentence each."""
    about, record = facts.about, facts.record
    n_seeds = len(about.siblings)
    if n_seeds < 2:
        yield (
            "One training with one seed: how much another seed would change is not known, so no difference from "
            "another recipe is shown by these scores."
        )
    else:
        yield (
            "Intervals speak for new texts, pairs or questions and for this seed alone; the spread above is that of "
            f"{n_seeds} seeds."
        )
    if any("sample data" in score.data_version for score in facts.scores):
        yield "Scores on sample data are of generated texts and do not apply to real ones."
    if facts.is_chosen_by_score:
        yield (
            "The snapshot was chosen by its score on the development set; that score is therefore too high an "
            "estimate of what the encoder reaches on new texts."
        )
    development = facts.selection.get("pairs")
    if facts.is_chosen_by_score and any(score.data == development for score in facts.scores):
        yield (
            f"The scores on {escaped(str(development))} above are of the set by which the snapshot was chosen: "
            "they are too high an estimate, and no test."
        )
    if about.read_out and about.read_out != facts.read_out.pooling:
        yield (
            f"Scores are of the read-out {about.read_out}. The files of this folder read out "
            f"{facts.read_out.pooling or 'as their modules say'}, which gives other scores."
        )
    earlier = [*([about.base_title] if about.base_title else []), *about.path]
    if earlier:
        yield (
            f"This training went on from {numbers.listed([escaped(name) for name in earlier])}, of which the own "
            "training data are not counted in the overlap with test sets."
        )
    if facts.overlap is None:
        yield "Overlap of training texts with test sets was not counted."
    elif any(test["texts"]["copies"] + test["texts"]["near"] for test in facts.overlap["tests"]):
        yield "Some texts of test sets occur in the training data: scores on these sets are not of unseen texts."
    if record.training.get("max_tokens") is not None:
        yield f"Training cut texts after {record.training['max_tokens']} tokens."


def escaped(text: str) -> str:
    """A name as Markdown shows it, on one line."""
    return _MARKS.sub(r"\\\1", " ".join(str(text).split()))


def decimal(value: float, digits: int = 3) -> str:
    """A number with fixed decimals and a plain minus sign, which programs read."""
    return numbers.decimal(value, digits).replace(numbers.MINUS, "-")


def limits(score: CardScore) -> str:
    """``0.812 to 0.845``; a dash without an interval."""
    if math.isnan(score.low) or math.isnan(score.high):
        return numbers.MISSING
    return f"{decimal(score.low)} to {decimal(score.high)}"


def shown(value: Any) -> str:
    """A setting as it was written: ``3e-05``, ``0.9, 0.999``, ``yes``."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None:  # which may mean that the start's own is taken, as for dropout
        return "not set"
    if isinstance(value, list | tuple):
        return ", ".join(shown(one) for one in value) or "none"
    if value == "":  # as of prompts
        return "empty"
    return f"{value:.12g}" if isinstance(value, float) else escaped(str(value))


def flat(settings: Mapping[str, Any], above: Sequence[str] = ()) -> Iterator[tuple[str, Any]]:
    """Keys and values of nested settings, keys and places in lists joined by points, in alphabetical order."""
    for key in sorted(settings):
        value = settings[key]
        if isinstance(value, Mapping):
            yield from flat(value, [*above, key])
        elif isinstance(value, list) and any(isinstance(one, Mapping) for one in value):
            yield from flat({str(place): one for place, one in enumerate(value, 1)}, [*above, key])
        else:
            yield ".".join([*above, key]), value
