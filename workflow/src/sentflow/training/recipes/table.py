"""Every recipe of training: which module computes it, which data it reads, and its settings.

Modules are named here and imported by name, so that a job depends on that of its own recipe alone. No digest of code
holds this table: what it says reaches a job as a param. Standard library
and pydantic only: the Snakefile imports it in every job.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from sentflow.training.recipes.settings import defaults

# What rows of training data have, beside their text
TEXTS = "texts"
PAIRS = "pairs"  # other
TRIPLETS = "triplets"  # other, negative
LABELLED = "labelled"  # other, label
SCORED = "scored"  # other, negative, and a teacher's score of both
SPANS = "spans"  # a text of two lines or more, each a span of one document

CLS = "cls"

_Found = TypeVar("_Found")
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
        The forms of data that it reads: of `TEXTS`, `PAIRS`, `TRIPLETS`, `SCORED`, `LABELLED`, `SPANS`.
    libraries
        Distributions beside torch, transformers, tokenizers and sentence-transformers whose versions count.
    data_where
        Key of ``settings`` → its value → the forms, where they are fewer than `data`.
    rows
        A batch has at least so many, where a text is compared with others of its batch.
    rows_where
        Key of ``settings`` → its value → the same, where it is another number.
    compares_vectors
        Whether its loss is one of vectors of texts alone, which matryoshka may truncate.
    pooling
        The read-out that its encoders have, and those that are trained on from them; None is any.
    taught_where
        Key of ``settings`` → the values with which it learns from a teacher; recipes that have the setting ``teacher``
        and none of these always do.
    predicts
        Whether what it makes has a layer that predicts masked tokens, for trainings that go on from it.
    needs_prediction
        Whether its start must have one.
    """

    name: str
    module: str
    title: str
    data: tuple[str, ...]
    libraries: tuple[str, ...] = ()
    data_where: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    rows: int = 1
    rows_where: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    compares_vectors: bool = True
    pooling: str | None = None
    taught_where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    predicts: bool = False
    needs_prediction: bool = False

    @cached_property
    def settings(self) -> Mapping[str, Any]:
        """Key of ``settings`` → what it is where an entry leaves it out."""
        return defaults(self.name)

    def is_taught(self, settings: Mapping[str, Any]) -> bool:
        """Whether it learns from a teacher with these settings."""
        return "teacher" in self.settings and all(
            settings.get(key, self.settings[key]) in values for key, values in self.taught_where.items()
        )

    def forms(self, settings: Mapping[str, Any]) -> tuple[str, ...]:
        """The forms of data that the recipe reads with these settings."""
        return self._where(self.data_where, settings, self.data)

    def least_rows(self, settings: Mapping[str, Any]) -> int:
        """What a batch has at least with these settings."""
        return self._where(self.rows_where, settings, self.rows)

    def _where(
        self, exceptions: Mapping[str, Mapping[str, _Found]], settings: Mapping[str, Any], found: _Found
    ) -> _Found:
        for key, by_value in exceptions.items():
            found = by_value.get(str(settings.get(key, self.settings[key])), found)
        return found


_TAUGHT: Mapping[str, tuple[str, ...]] = {"ranking": ("margin-mse", "kl")}

_ALL: tuple[Recipe, ...] = (
    Recipe(
        "simcse",
        module=f"{_RECIPES}.simcse",
        title="SimCSE",
        data=(TEXTS, PAIRS, TRIPLETS),
        rows=2,
    ),
    Recipe(
        "consert",
        module=f"{_RECIPES}.consert",
        title="ConSERT",
        data=(TEXTS, LABELLED),
        data_where={
            "objective": {"unsupervised": (TEXTS,), "supervised": (LABELLED,), "joint": (LABELLED,)},
        },
        rows=2,
        rows_where={"objective": {"supervised": 1}},
    ),
    Recipe(
        "sg-bert",
        module=f"{_RECIPES}.sg_bert",
        title="SG-BERT",
        data=(TEXTS, PAIRS, TRIPLETS),
        rows=2,
    ),
    Recipe(
        "distillation",
        module=f"{_RECIPES}.distillation",
        title="Distillation",
        data=(TEXTS,),
        rows_where={"loss": {"similarity": 3}},
    ),
    Recipe(
        "tsdae",
        module=f"{_RECIPES}.tsdae",
        title="TSDAE",
        data=(TEXTS,),
    ),
    Recipe(
        "mlm",
        module=f"{_RECIPES}.mlm",
        title="Masked language modelling",
        data=(TEXTS,),
        compares_vectors=False,
        predicts=True,
    ),
    Recipe(
        "condenser",
        module=f"{_RECIPES}.condenser",
        title="Condenser",
        data=(TEXTS,),
        compares_vectors=False,
        predicts=True,
        pooling=CLS,
    ),
    Recipe(
        "cocondenser",
        module=f"{_RECIPES}.cocondenser",
        title="coCondenser",
        data=(SPANS,),
        rows=2,
        compares_vectors=False,
        predicts=True,
        pooling=CLS,
    ),
    Recipe(
        "bi-encoder",
        module=f"{_RECIPES}.bi_encoder",
        title="Bi-encoder",
        data=(PAIRS, TRIPLETS),
        data_where={"loss": {"contrastive": (LABELLED,)}},
        rows=2,
        rows_where={"loss": {"contrastive": 1}},
    ),
    Recipe(
        "splade",
        module=f"{_RECIPES}.splade",
        title="SPLADE",
        data=(PAIRS, TRIPLETS, SCORED),
        libraries=("scipy",),
        data_where={"ranking": {"contrastive": (PAIRS, TRIPLETS)}},
        rows=2,
        compares_vectors=False,
        needs_prediction=True,
        predicts=True,
        taught_where=_TAUGHT,
    ),
    Recipe(
        "sparse-embed",
        module=f"{_RECIPES}.sparse_embed",
        title="SparseEmbed",
        data=(PAIRS, TRIPLETS, SCORED),
        libraries=("scipy",),
        data_where={"ranking": {"contrastive": (PAIRS, TRIPLETS), "labels": (LABELLED,)}},
        rows=2,
        rows_where={"ranking": {"labels": 1}},
        compares_vectors=False,
        needs_prediction=True,
        taught_where=_TAUGHT,
    ),
    Recipe(
        "cross-encoder",
        module=f"{_RECIPES}.cross_encoder",
        title="Cross-encoder",
        data=(TRIPLETS,),
        data_where={"loss": {"labels": (LABELLED,)}},
        compares_vectors=False,
    ),
    Recipe(
        "ct",
        module=f"{_RECIPES}.ct",
        title="CT",
        data=(TEXTS,),
        rows=2,
    ),
)

RECIPES: Mapping[str, Recipe] = {recipe.name: recipe for recipe in _ALL}
