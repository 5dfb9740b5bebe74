"""Recipes of training, a model per recipe: its settings, and what the graph has to know of it.

Jobs import the module of a recipe by its name, so that a job depends on its own recipe alone. docs/training.md says
where the settings come from.
"""

from collections.abc import Iterator, Mapping
from typing import Annotated, ClassVar, Literal, NamedTuple

from pydantic import Field

from sentflow.config.model import Count, Distinct, Int, Maybe, Number, Pair, Path, Settings, Text
from sentflow.training.data.forms import LABELLED, PAIRS, SCORED, SPANS, TEXTS, TRIPLETS

Temperature = Annotated[Number, Field(gt=0, description="What cosines are divided by.")]
Masking = Literal["tokens", "words"]


class DataNeeds(NamedTuple):
    """What a recipe needs of its data.

    `forms`: it reads data of one of these. `least_rows`: a batch has at least so many, where a text is compared with
    others of its batch. `taught`: whether it learns from a teacher.
    """

    forms: tuple[str, ...]
    least_rows: int = 1
    taught: bool = False


class RecipeSettings(Settings):
    """Settings of a recipe.

    `libraries`: Distributions beside torch, transformers, tokenizers and sentence-transformers whose versions count.
    `compares_vectors`: whether its loss is one of vectors of texts alone, which matryoshka may truncate. `read_out`:
    the pooling of its encoders, and of those that are trained on from them; None is any. `predicts`: whether what it
    makes has a layer that predicts masked tokens, for trainings that go on from it. `needs_prediction`: whether its
    start must have one.
    """

    libraries: ClassVar[tuple[str, ...]] = ()
    compares_vectors: ClassVar[bool] = True
    read_out: ClassVar[str | None] = None
    predicts: ClassVar[bool] = False
    needs_prediction: ClassVar[bool] = False

    def needs(self) -> DataNeeds:
        return DataNeeds((TEXTS,))


class WithDropout(RecipeSettings):
    """What recipes share in which the encoder may have other dropout than its own."""

    dropout: Number | None = Field(None, ge=0, lt=1)
    """Probability of every dropout in training, that of the attention included; 0 is none, null is the start's own."""


class WithPrompts(WithDropout):
    """What recipes share that tell questions and documents apart."""

    question_tokens: Int | None = Field(None, ge=3)
    """Most tokens of a question, including special ones; null is training.max_tokens."""
    question_prompt: str = ""
    """Prefix of questions in training; for use, write prompts and prompt_names of the entry, too."""
    document_prompt: str = ""
    """Prefix of documents in training."""


class MaskedTokens(WithDropout):
    """What recipes share that predict hidden tokens."""

    compares_vectors = False
    predicts = True

    masking: Masking = "tokens"
    """What to mask (15 %): single tokens, or whole words if the tokenizer marks words."""


class CondenserHead(MaskedTokens):
    """What recipes share that put a head of a few layers over the encoder."""

    read_out = "cls"

    masking: Masking = "words"
    skip_from: Int | None = Field(None, ge=0)
    """Layer that the head reads for all tokens except the first, 0 for the embeddings; null is half of all layers."""
    layers: Int = Field(2, ge=0)
    """Layers of the head."""
    late_mlm: bool = True
    """Whether the encoder itself predicts the masked tokens, too."""


class View(Settings):
    """A change of the embeddings of a sentence, or of its positions."""

    name: Literal["shuffle", "token-cutoff", "feature-cutoff", "dropout", "adversarial", "none"]
    """shuffle of the position ids; token-cutoff, feature-cutoff and dropout set tokens, features or single values to
    0; adversarial adds noise along the gradient of the supervised term; none changes nothing.
    """
    rate: Maybe[Number] = Field(None, ge=0, lt=1)
    """Share of tokens, features or values to set to 0, rounded down."""
    norm: Maybe[Number] = Field(None, gt=0)
    """Length of the adversarial noise of each token."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        needs = {"adversarial": "norm", "shuffle": "", "none": ""}.get(self.name, "rate")
        for key in ("rate", "norm"):
            if key == needs and getattr(self, key) is None:
                yield "", f"{key!r} is missing, which {self.name} needs."
            if key != needs and getattr(self, key) is not None:
                yield key, f"{self.name} has none. Delete it."


class SimCSE(WithDropout):
    """Settings of SimCSE and of permutations as positives."""

    temperature: Temperature = 0.05
    head: Literal["mlp", "kept", "none"] = "mlp"
    """Layer with tanh after the pooling: mlp in training only, kept also in the trained encoder, or none."""
    hard_negative_weight: Number = 0.0
    """Added to the logit of the hard negative of the anchor's own triplet, the logarithm of the paper's factor."""
    mlm_weight: Number = Field(0.0, ge=0)
    """Weight of the term of masked language modelling; 0 is none."""
    permute: Distinct[Literal["whitespace", "tokenizer", "tokenizer-inside"]] = ()
    """What to permute: whitespace (words of positives, once, before truncation), tokenizer (tokens of anchors in every
    step, with special tokens) or tokenizer-inside (special tokens stay in place).
    """

    def wrong(self) -> Iterator[tuple[str, str]]:
        if {"tokenizer", "tokenizer-inside"} <= {*self.permute}:
            yield "permute", "tokenizer and tokenizer-inside exclude one another. Write one of them."

    def needs(self) -> DataNeeds:
        return DataNeeds((TEXTS, PAIRS, TRIPLETS), least_rows=2)


class ConSERT(WithDropout):
    """Settings of ConSERT."""

    objective: Literal["unsupervised", "supervised", "joint"] = "unsupervised"
    """Compares two views of texts; classifies labelled pairs; or adds both, with views of all texts."""
    views: Pair[View] = (View(name="feature-cutoff", rate=0.2), View(name="shuffle"))
    """The two views that are compared."""
    none_view: Literal["own", "shared"] = "own"
    """Whether the view none has its own pass, or shares that of the supervised term (published scripts)."""
    temperature: Temperature = 0.1
    contrastive_weight: Number = Field(0.15, gt=0)
    """Weight of the contrastive terms."""
    pair_features: Literal["difference", "difference-and-square"] = "difference"
    """Input of the classifier: u, v and |u − v| (the paper), or also max(u, v)² (the published scripts)."""
    classes: Int = Field(3, ge=2)
    """Number of labels."""
    dropout: Number | None = Field(0.0, ge=0, lt=1)

    def wrong(self) -> Iterator[tuple[str | Path, str]]:
        for place, view in enumerate(self.views):
            if view.name == "adversarial" and self.objective != "joint":
                yield (
                    ("views", place, "name"),
                    "adversarial follows the gradient of the supervised term. Write objective: joint, or another view.",
                )

    def needs(self) -> DataNeeds:
        forms = (TEXTS,) if self.objective == "unsupervised" else (LABELLED,)
        return DataNeeds(forms, least_rows=1 if self.objective == "supervised" else 2)


class SGBert(RecipeSettings):
    """Settings of SG-BERT."""

    loss: Literal["base", "opt1", "opt2", "opt3"] = "opt3"
    """opt3 (SG-OPT) compares a vector with all layers of all texts of the batch; opt2 with one drawn layer of each;
    opt1 with the other vectors, too; base takes the layers as anchors as well.
    """
    view_pooling: Literal["mean", "max"] = "mean"
    """How tokens of a layer of the frozen copy become one vector; mean as released, max as in the paper."""
    temperature: Temperature = 0.01
    head_width: Count | None = 4096
    """Width of the two layers of the projection head, used in training only; null is no head."""
    regulariser: Number = Field(0.1, ge=0)
    """Weight of the squared distance of all weights from those of the start; 0 is none."""
    defects: Distinct[Literal["guide-dropout", "opt2-off-by-one"]] = ()
    """Defects of the released code to repeat: the frozen copy has dropout; the first negative of opt2 is lost."""

    def needs(self) -> DataNeeds:
        return DataNeeds((TEXTS, PAIRS, TRIPLETS), least_rows=2)


class Distillation(RecipeSettings):
    """Settings of distillation."""

    teacher: Text | None
    """Encoder whose vectors are learnt, another entry of models."""
    loss: Literal["mse", "cosine", "similarity"] = "mse"
    """mse and cosine compare vectors; similarity compares similarities within the batch, for any widths."""
    temperature: Number = Field(0.05, gt=0)
    """Divides cosines (similarity)."""
    projection: Count | None = None
    """Width of the teacher's vectors, for a linear layer after an encoder of another width; null is no layer."""
    keep_projection: bool = False
    """Whether the trained encoder has the linear layer, too."""

    def needs(self) -> DataNeeds:
        return DataNeeds((TEXTS,), least_rows=3 if self.loss == "similarity" else 1, taught=True)


class TSDAE(RecipeSettings):
    """Settings of TSDAE."""

    deletion: Number = Field(0.6, ge=0, lt=1)
    """Probability that a word is deleted from the encoder's input."""


class MLM(MaskedTokens):
    """Settings of masked language modelling."""

    packing: Literal["lines", "packed"] = "lines"
    """Each text by itself, up to max_tokens; or the texts of a step joined and cut into pieces of max_tokens."""


class Condenser(CondenserHead, MLM):
    """Settings of Condenser."""


class Cocondenser(CondenserHead):
    """Settings of coCondenser."""

    defects: Distinct[Literal["language-model-twice"]] = ()
    """Defects of the released code that are kept. language-model-twice gives the language model twice its weight, as
    the gradient cache of the released code does, which divides by documents and adds up over spans.
    """

    def needs(self) -> DataNeeds:
        return DataNeeds((SPANS,), least_rows=2)


class BiEncoder(WithPrompts):
    """Settings of an encoder of questions and documents."""

    libraries = ("scikit-learn",)

    loss: Literal["ranking", "contrastive"] = "ranking"
    """ranking finds the document of each question in the batch; contrastive separates labels 0 and 1 by distance."""
    scale: Number = Field(20.0, gt=0)
    """Multiplies cosines (ranking)."""
    margin: Number = Field(0.5, gt=0, le=2)
    """Distance, 1 − cosine, beyond which a pair with label 0 gives no gradient (contrastive)."""

    def needs(self) -> DataNeeds:
        if self.loss == "contrastive":
            return DataNeeds((LABELLED,))
        return DataNeeds((PAIRS, TRIPLETS), least_rows=2)


def _ranking_needs(ranking: str) -> DataNeeds:
    """Of recipes that learn to rank documents."""
    forms = (PAIRS, TRIPLETS) if ranking == "contrastive" else (PAIRS, TRIPLETS, SCORED)
    return DataNeeds(forms, least_rows=2, taught=ranking in ("margin-mse", "kl"))


class TermRecipe(WithPrompts):
    """What recipes share that make weights of terms."""

    libraries = ("scipy",)
    compares_vectors = False
    needs_prediction = True

    teacher: str | None = None
    """Encoder whose cosines are the scores of margin-mse and kl; null if the data have scores."""
    teacher_scale: Number = Field(20.0, gt=0)
    """Multiplies the teacher's cosines."""
    temperature: Number = Field(1.0, gt=0)
    """Divides scores before the softmax (kl)."""
    question_flops: Number = Field(0.001, ge=0)
    """As document_flops, of questions."""
    document_flops: Number = Field(0.001, ge=0)
    """Weight of FLOPS, the sum over terms of the squared mean weight in a batch, which keeps terms few. Those of papers
    (0.004 to 0.5) belong to margin-mse; with contrastive, take a hundredth or less.
    """
    flops_rise: Number = Field(0.3333333333333333, ge=0, le=1)
    """Share of the steps in which the weight of FLOPS rises from 0, with the square of the step."""
    start_terms: Count | None = None
    """Active terms of a document at the start, on average, reached by a constant in the bias of the head; null adds
    nothing. Needed after a short masked language modelling, which leaves nearly all terms active.
    """
    tied: bool = True
    """Whether the vectors of terms in the head are the encoder's word embeddings; else a copy of them."""


class Splade(TermRecipe):
    """Settings of SPLADE."""

    predicts = True

    ranking: Literal["contrastive", "margin-mse", "kl"] = "contrastive"
    """How documents are ranked: contrastive finds the document of each question among those of the batch, hard
    negatives included. margin-mse and kl learn a teacher's scores, their differences or their softmax over the
    candidates: the cosines of settings.teacher, of all documents of the batch; or the scores of data of form scored, of
    the document and the negative of each row.
    """
    pooling: Literal["max", "sum"] = "max"
    """The weight of a term is the largest over the tokens of a text (v2 and later), or their sum (v1)."""
    question_terms: Count | None = None
    """Terms of a question to keep in training; null is all. For use, write terms of the entry."""
    document_terms: Count | None = None
    """Terms of a document to keep in training; null is all."""

    def needs(self) -> DataNeeds:
        return _ranking_needs(self.ranking)


class SparseEmbed(TermRecipe):
    """Settings of SparseEmbed."""

    ranking: Literal["contrastive", "margin-mse", "kl", "labels"] = "contrastive"
    """As for splade, of scores by vectors; with weights_share of weights, too. labels learns labels 0 and 1."""
    weights_share: Number = Field(0.1, ge=0)
    """Multiplies the ranking loss of the weights."""
    start_question_terms: Count | None = None
    """The same for questions, if they have their own head."""
    heads: Literal["two", "shared"] = "two"
    """Questions and documents have a head and a projection each (the paper), or share one (its replication)."""
    width: Count = 64
    """Numbers of the vector of a term; 16, 32 or 64 in the paper, 256 in its replication."""
    projection_bias: bool = True
    """Whether the projection to that width has a bias."""
    question_terms: Count = 64
    """Terms of a question that are kept, those of the largest weights, in training as in use."""
    document_terms: Count = 256
    """Terms of a document that are kept."""

    def wrong(self) -> Iterator[tuple[str, str]]:
        if self.heads == "shared" and self.start_question_terms is not None:
            yield "start_question_terms", "not with one head, whose bias start_terms shifts. Delete it."

    def needs(self) -> DataNeeds:
        return DataNeeds((LABELLED,)) if self.ranking == "labels" else _ranking_needs(self.ranking)


class CrossEncoder(WithDropout):
    """Settings of a cross-encoder."""

    compares_vectors = False

    loss: Literal["ranking", "labels"] = "ranking"
    """Tells documents from negatives (triplets), or pairs with label 1 from those with label 0."""

    def needs(self) -> DataNeeds:
        return DataNeeds((LABELLED,) if self.loss == "labels" else (TRIPLETS,))


class CT(RecipeSettings):
    """Settings of contrastive tension."""

    objective: Literal["in-batch", "pairs"] = "in-batch"
    """All other texts of a batch are negatives; or the first text of each group is compared with its group."""
    scale: Number = Field(20.0, gt=0)
    """Multiplies cosines at the start (in-batch); it is learnt."""
    negatives: Count = 7
    """Negatives of each positive, for pairs; choose a batch size that is a multiple of one more."""

    def needs(self) -> DataNeeds:
        return DataNeeds((TEXTS,), least_rows=2)


class CoSENT(WithDropout):
    """Settings of CoSENT."""

    scale: Number = Field(20.0, gt=0)
    """Multiplies cosines."""

    def needs(self) -> DataNeeds:
        return DataNeeds((LABELLED,), least_rows=2)


RECIPES: Mapping[str, type[RecipeSettings]] = {
    "simcse": SimCSE,
    "consert": ConSERT,
    "sg-bert": SGBert,
    "distillation": Distillation,
    "tsdae": TSDAE,
    "ct": CT,
    "cosent": CoSENT,
    "mlm": MLM,
    "condenser": Condenser,
    "cocondenser": Cocondenser,
    "bi-encoder": BiEncoder,
    "splade": Splade,
    "sparse-embed": SparseEmbed,
    "cross-encoder": CrossEncoder,
}
"""Recipe, as entries write it → its settings."""


def module_of(recipe: str) -> str:
    """The module that computes a recipe."""
    return f"sentflow.training.recipes.{recipe.replace('-', '_')}"
