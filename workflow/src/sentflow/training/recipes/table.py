"""Every recipe of training: which module computes it, which data it reads, and its settings.

Modules are named here and imported by name, so that a job depends on that of its own recipe alone. No digest of code
holds this table: what it says reaches a job as a param. Standard library only: the Snakefile imports it in every job.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, TypeVar

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
    settings
        Key of ``settings`` → what it is where an entry leaves it out. Its schema says what it may be.
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
    settings: Mapping[str, Any] = field(default_factory=dict)
    libraries: tuple[str, ...] = ()
    data_where: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    rows: int = 1
    rows_where: Mapping[str, Mapping[str, int]] = field(default_factory=dict)
    compares_vectors: bool = True
    pooling: str | None = None
    taught_where: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    predicts: bool = False
    needs_prediction: bool = False

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


# Of recipes whose encoders weigh terms
_OF_TERMS: Mapping[str, Any] = {
    "ranking": "contrastive",  # margin-mse, kl: of a teacher's scores
    "teacher": None,  # an encoder whose cosines are the scores; else the data have them
    "teacher_scale": 20.0,  # of its cosines
    "temperature": 1.0,  # of kl
    "question_flops": 1e-3,
    "document_flops": 1e-3,
    "flops_rise": 1 / 3,  # share of the steps in which their weight rises
    "start_terms": None,  # active terms of a document that the bias of the head is shifted to
    "tied": True,
    "question_tokens": None,
    "question_prompt": "",
    "document_prompt": "",
    "dropout": None,
}
_TAUGHT: Mapping[str, tuple[str, ...]] = {"ranking": ("margin-mse", "kl")}

_ALL: tuple[Recipe, ...] = (
    Recipe(
        "simcse",
        module=f"{_RECIPES}.simcse",
        title="SimCSE",
        data=(TEXTS, PAIRS, TRIPLETS),
        settings={
            "temperature": 0.05,
            # mlp: a new layer in training only; kept: in the exported encoder, too; none
            "head": "mlp",
            "hard_negative_weight": 0.0,
            "mlm_weight": 0.0,
            "dropout": None,  # its own; else a probability
            # whitespace: positives, once, before tokens are cut; tokenizer, tokenizer-inside: anchors, in every step
            "permute": [],
        },
        rows=2,
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
        settings={
            "loss": "opt3",  # base, opt1, opt2
            "view_pooling": "mean",  # max
            "temperature": 0.01,
            "head_width": 4096,  # null: no head
            "regulariser": 0.1,
            "defects": [],  # of the released code: guide-dropout, opt2-off-by-one
        },
        rows=2,
    ),
    Recipe(
        "distillation",
        module=f"{_RECIPES}.distillation",
        title="Distillation",
        data=(TEXTS,),
        settings={
            "teacher": None,  # the encoder whose vectors of the texts are the targets
            "loss": "mse",  # cosine, similarity
            "temperature": 0.05,  # of similarity
            "projection": None,  # width of the teacher's vectors where it is another than the encoder's
            "keep_projection": False,
        },
        rows_where={"loss": {"similarity": 3}},
    ),
    Recipe(
        "tsdae",
        module=f"{_RECIPES}.tsdae",
        title="TSDAE",
        data=(TEXTS,),
        settings={"deletion": 0.6},
    ),
    Recipe(
        "mlm",
        module=f"{_RECIPES}.mlm",
        title="Masked language modelling",
        data=(TEXTS,),
        settings={
            "masking": "tokens",  # words: all tokens of a word
            "packing": "lines",  # packed: texts one behind the other, as many tokens as are read at once
            "dropout": None,
        },
        compares_vectors=False,
        predicts=True,
    ),
    Recipe(
        "condenser",
        module=f"{_RECIPES}.condenser",
        title="Condenser",
        data=(TEXTS,),
        settings={
            "masking": "words",
            "packing": "lines",
            "skip_from": None,  # half of the layers
            "layers": 2,
            "late_mlm": True,
            "dropout": None,
        },
        compares_vectors=False,
        predicts=True,
        pooling=CLS,
    ),
    Recipe(
        "cocondenser",
        module=f"{_RECIPES}.cocondenser",
        title="coCondenser",
        data=(SPANS,),
        settings={
            "masking": "words",
            "skip_from": None,
            "layers": 2,
            "late_mlm": True,
            "dropout": None,
            "defects": [],  # of the released code: language-model-twice
        },
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
        settings={
            "loss": "ranking",  # contrastive: of pairs with labels
            "scale": 20.0,  # of cosines (ranking)
            "margin": 0.5,  # of distances (contrastive)
            "question_tokens": None,  # questions are cut after so many tokens; else after max_tokens
            "question_prompt": "",
            "document_prompt": "",
            "dropout": None,
        },
        data_where={"loss": {"contrastive": (LABELLED,)}},
        rows=2,
        rows_where={"loss": {"contrastive": 1}},
    ),
    Recipe(
        "splade",
        module=f"{_RECIPES}.splade",
        title="SPLADE",
        data=(PAIRS, TRIPLETS, SCORED),
        settings={
            **_OF_TERMS,
            "pooling": "max",  # sum
            "question_terms": None,  # kept of a question in training; all
            "document_terms": None,
        },
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
        settings={
            **_OF_TERMS,
            "heads": "two",  # shared: one of questions and documents
            "width": 64,  # of the vectors of terms
            "projection_bias": True,
            "question_terms": 64,  # kept of a question
            "document_terms": 256,
            "weights_share": 0.1,  # of the ranking loss of the weights
            "start_question_terms": None,  # with two heads
        },
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
        settings={
            "loss": "ranking",  # labels: of pairs with labels
            "dropout": None,
        },
        data_where={"loss": {"labels": (LABELLED,)}},
        compares_vectors=False,
    ),
    Recipe(
        "ct",
        module=f"{_RECIPES}.ct",
        title="CT",
        data=(TEXTS,),
        settings={
            "objective": "in-batch",  # pairs: the published form
            "scale": 20.0,  # of in-batch, before the first step; learnt
            "negatives": 7,  # of pairs, for each positive
        },
        rows=2,
    ),
)

RECIPES: Mapping[str, Recipe] = {recipe.name: recipe for recipe in _ALL}
