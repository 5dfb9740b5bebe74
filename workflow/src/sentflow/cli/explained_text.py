"""The terms that an encoder gives a text."""

import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentflow.cli.answers import beginning
from sentflow.cli.configuration import read_configuration, workflow_folder
from sentflow.cli.fetched import fetched_manifest
from sentflow.cli.quiet import quiet
from sentflow.cli.terminal import Block, Listing
from sentflow.config.load import load_catalog
from sentflow.encoders.entries import encode_settings, has_term_vectors, weighs_terms
from sentflow.encoders.kinds.table import TRAINED, WEIGHING
from sentflow.errors import ConfigError, instead
from sentflow.report.numbers import counted


@dataclass(frozen=True)
class ExplainedText:
    """A text as weights of terms.

    Attributes
    ----------
    model, role, text
        What read it, as what, and the text.
    terms
        Name and weight, the greatest first; of equal ones in the order of the vocabulary.
    cut
        Tokens at the end of the text that the encoder does not read.
    """

    model: str
    role: str
    text: str
    terms: tuple[tuple[str, float], ...]
    cut: int


def explained_text(
    model: str, text: str, *, role: str, configs: Sequence[Path], results: Path
) -> ExplainedText:
    """Load an encoder that weighs terms, and weigh those of a text.

    Raises
    ------
    ConfigError
        No such model, one that weighs no terms, or one that was not fetched or trained yet.
    DataError
        The model's files are damaged.
    """
    entry = _entry(model, configs)
    from sentflow.jobs.environment import prepare_environment

    prepare_environment(1)
    from sentflow.encoders.kinds.contract import Surroundings
    from sentflow.encoders.kinds.neural.term_names import term_names
    from sentflow.encoders.load import encode_settings as settings_of
    from sentflow.encoders.load import load_sparse_encoder

    with quiet(), tempfile.TemporaryDirectory() as temporary:
        manifest, folder = fetched_manifest(
            model, entry, Path(temporary), before="its terms are shown", results=results
        )
        settings = settings_of(manifest, encode_settings(entry, roles=(role,)))
        encoder = load_sparse_encoder(manifest, settings, Surroundings(manifest_folder=folder, role=role))
        found: Any = encoder.encode([text], role=role, task=None)
        reading = getattr(encoder, "reading", None)
        name = term_names(manifest, folder)
    weights = found.weights if has_term_vectors(entry) else found
    order = sorted(
        zip(weights.indices.tolist(), weights.data.tolist(), strict=True),
        key=lambda term: (-term[1], term[0]),
    )
    terms = tuple((name(column), weight) for column, weight in order)
    return ExplainedText(model, role, text, terms, 0 if reading is None else int(reading.lost[0]))


def record_of_text(found: ExplainedText) -> dict[str, Any]:
    """Everything, for programs."""
    terms = [{"term": term, "weight": weight} for term, weight in found.terms]
    return {
        "model": found.model,
        "role": found.role,
        "text": found.text,
        "tokens_cut_off": found.cut,
        "terms": terms,
    }


def blocks_of_text(found: ExplainedText, *, most: int) -> list[Block]:
    """A table of the first terms."""
    rows = [
        (str(place), term, f"{weight:.4g}")
        for place, (term, weight) in enumerate(found.terms[:most], start=1)
    ]
    left = len(found.terms) - len(rows)
    notes = (
        "No term has a weight above 0." if not rows else "",
        f"{counted(left, 'further term')} of lower weights." if left else "",
        f"The encoder does not read the last {counted(found.cut, 'token')}." if found.cut else "",
    )
    caption = f"{found.model}, {counted(len(found.terms), 'term')} of a {found.role}: {beginning(found.text)}"
    return [Listing(("#", "Term", "Weight"), rows, "rlr", caption=caption, notes=tuple(filter(None, notes)))]


def _entry(model: str, configs: Sequence[Path]) -> Mapping[str, Any]:
    """The entry of a model that weighs terms."""
    models = load_catalog(read_configuration(configs), workflow_folder())["models"]
    weighing = [name for name, entry in models.items() if weighs_terms(entry)]
    if model not in models:
        raise ConfigError(f"--model: there is no model {model!r}. {instead(model, weighing or models)}")
    if model not in weighing:
        kinds = f"of kind {' or '.join(WEIGHING)}, as in docs/retrieval.md (Weights of terms)"
        kind = models[model]["kind"]
        made = f"trained by recipe {models[model]['recipe']}" if kind == TRAINED else f"of kind {kind}"
        raise ConfigError(
            f"--model: {model} is {made}, which gives no weights of terms. "
            + (f"Write one of: {', '.join(weighing)}." if weighing else f"Add a model {kinds}.")
        )
    entry: Mapping[str, Any] = models[model]
    return entry
