"""Every recipe of training: which module computes it, which data it reads, and its settings.

Modules are named here and imported by name, so that a job depends on that of its own recipe alone. No digest of code
holds this table: what it says reaches a job as a param. Standard library only: the Snakefile imports it in every job.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

# What rows of training data have, beside their text
TEXTS = "texts"
PAIRS = "pairs"  # other
TRIPLETS = "triplets"  # other, negative
LABELLED = "labelled"  # other, label

_RECIPES = "sentflow.training.recipes"


@dataclass(frozen=True)
class Recipe:
    """A recipe of training.

    Attributes
    ----------
    name
        As entries write it.
    module
        See `sentflow.training.contract.RecipeModule`.
    title
        For tables.
    data
        The forms of data that it reads: of `TEXTS`, `PAIRS`, `TRIPLETS`, `LABELLED`.
    settings
        Key of ``settings`` → what it is where an entry leaves it out. Its schema says what it may be.
    libraries
        Distributions beside torch, transformers, tokenizers and sentence-transformers whose versions count.
    """

    name: str
    module: str
    title: str
    data: tuple[str, ...]
    settings: Mapping[str, Any] = field(default_factory=dict)
    libraries: tuple[str, ...] = ()


_ALL: tuple[Recipe, ...] = (
    Recipe(
        "simcse",
        module=f"{_RECIPES}.simcse",
        title="SimCSE",
        data=(TEXTS, PAIRS, TRIPLETS, LABELLED),
        settings={
            "temperature": 0.05,
            # mlp: a new layer in training only; kept: in the exported encoder, too; none
            "head": "mlp",
            # data; label-word: the label of a pair as a text, a defect of the study
            "hard_negative": "data",
            "hard_negative_weight": 0.0,
            "mlm_weight": 0.0,
            "dropout": None,  # its own; else a probability
            # whitespace: positives, once, before tokens are cut; tokenizer, tokenizer-inside: anchors, in every step
            "permute": [],
        },
    ),
    Recipe(
        "consert",
        module=f"{_RECIPES}.consert",
        title="ConSERT",
        data=(TEXTS, LABELLED),
        settings={
            "objective": "unsupervised",  # supervised, joint
            "views": [{"name": "feature-cutoff", "rate": 0.2}, {"name": "shuffle"}],
            "none_view": "own",  # own: a pass of its own; shared: the same vectors wherever a view is none
            "temperature": 0.1,
            "contrastive_weight": 0.15,
            "pair_features": "difference",  # difference-and-square
            "classes": 3,
            "dropout": 0.0,
        },
    ),
)

RECIPES: Mapping[str, Recipe] = {recipe.name: recipe for recipe in _ALL}
