"""How many tokens the trainings of an experiment represent, from their settings."""

import math
from collections.abc import Mapping
from typing import Any

from sentflow.cli.collected_rows import collected_rows
from sentflow.config.experiment import Experiment
from sentflow.training.data.forms import LABELLED, PAIRS, SCORED, SPANS, TEXTS, TRIPLETS
from sentflow.training.settings import TrainingSettings

# Texts that a step represents for a row, at most: two views of a text, two spans of a document, or one view of each
# text of a row, and of labelled rows two views of both
_VIEWS = {TEXTS: 2, PAIRS: 2, SPANS: 2, TRIPLETS: 3, SCORED: 3, LABELLED: 4}
# Recipes that have fewer: a language model reads a text once, a cross-encoder two texts together, and others both texts
# of a labelled row
_FEWER_VIEWS = {
    ("mlm", TEXTS): 1,
    ("condenser", TEXTS): 1,
    ("bi-encoder", LABELLED): 2,
    ("sparse-embed", LABELLED): 2,
    ("cross-encoder", LABELLED): 1,
    ("cross-encoder", TRIPLETS): 2,
}


def training_tokens(experiment: Experiment) -> dict[str, int | None]:
    """Trained encoder → tokens, if every text is as long as the limit; None where no entry states the rows of an epoch.

    Texts that are shorter make it less; the gradient cache, which computes a text twice, makes it more.
    """
    data = experiment.entries["training_data"]
    return {
        name: _tokens(entry, data[entry["data"]], experiment)
        for name, entry in experiment.trained_models.items()
    }


def _tokens(entry: Mapping[str, Any], data: Mapping[str, Any], experiment: Experiment) -> int | None:
    training = TrainingSettings.model_validate(entry["training"])
    rows_of_step = training.batch_size * training.accumulate
    steps = training.steps
    if steps is None:
        n_rows = data.get("rows", data.get("limit", collected_rows(dict(data), experiment.entries)))
        if n_rows is None or training.epochs is None:
            return None
        steps = math.ceil(n_rows * training.epochs / rows_of_step)
    views = _FEWER_VIEWS.get((entry["recipe"], data["form"]), _VIEWS[data["form"]])
    return steps * rows_of_step * views * training.max_tokens
