"""What a recipe of training is: how rows become views, how views become vectors, and how vectors become a loss.

The loop (`sentflow.training.loop`) seeds torch before each call of `Objective.represent`, may split the rows of a view
into chunks, and may call it twice with the same seed (gradient cache). So a recipe has no state but its weights, and
draws nothing that is not of the `Draws` it is given, or of torch's global generator inside `represent` (dropout).
"""

import os
import shutil
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator, Mapping, Sequence
from importlib import import_module
from pathlib import Path
from typing import Any, TypeAlias, TypeVar

import torch
from safetensors import SafetensorError
from safetensors.torch import save_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling

from sentflow.encoders.neural.load import LayerPooling
from sentflow.errors import DataError
from sentflow.files.atomic import not_written
from sentflow.jobs.lifeline import refuse_orphan
from sentflow.training.draws import Draws
from sentflow.training.layers import HEADS, set_dropout, unscaled
from sentflow.training.recipes.settings import BiEncoder, RecipeSettings, SparseEmbed, Splade, module_of
from sentflow.training.settings import TrainingSettings, option_module


def save_folder(folder: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill a folder; it is there whole or not at all. DataError: say, because the disk is full."""
    part = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        part.mkdir(parents=True)
        write(part)
        refuse_orphan()
        shutil.rmtree(folder, ignore_errors=True)
        part.rename(folder)
    except (OSError, SafetensorError) as error:
        reason = error if isinstance(error, OSError) else OSError(str(error))
        raise DataError(not_written(folder, reason)) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def write_dense(encoder: SentenceTransformer, folder: Path) -> None:
    """Write an encoder of one vector per text; a pooling over several layers, a setting of entries, becomes mean."""
    modules = [
        Pooling(module.get_embedding_dimension(), "mean") if isinstance(module, LayerPooling) else module
        for module in encoder.children()
    ]
    saved = SentenceTransformer(
        modules=modules,
        device=str(encoder.device),
        prompts=encoder.prompts,
        default_prompt_name=encoder.default_prompt_name,
        similarity_fn_name=encoder.similarity_fn_name,
    )
    saved.save(str(folder), create_model_card=False, safe_serialization=True)


Row: TypeAlias = Mapping[str, Any]
"""A row of training data: ``text``; where the data have them, ``other``, ``negative`` (texts), ``label`` (int), and
``score`` and ``negative_score`` (float, a teacher's scores of both pairs). With a teacher of vectors, those of texts of
the row, float32, under `target_of` their names.
"""
Example: TypeAlias = Mapping[str, Any]
"""What the encoder reads of one row in one view: ``input_ids`` (a list of ints, not padded) and what a recipe adds."""

Represented: TypeAlias = torch.Tensor | Mapping[str, torch.Tensor]
"""What stands for the examples of a view, a row each. Whole numbers have no gradient."""
_DOCUMENTS = ("other", "negative")


def document_columns(rows: Sequence[Row]) -> list[str]:
    """The columns of documents that rows have."""
    return [column for column in _DOCUMENTS if column in rows[0]]


def target_of(column: str) -> str:
    """Under which name a row has the teacher's vector of a text."""
    return f"{column}_target"


class Objective(torch.nn.Module, ABC):
    """An encoder, the heads that it has in training only, and the loss; all of its state is in ``state_dict()``.

    `encoder`: what is trained and exported, on its device and in training mode; parameters with ``requires_grad`` are
    trained. `draws`: for the weights of new heads. `max_tokens`: texts are cut after so many, special ones included.
    """

    # frozen_views: views whose vectors do not depend on what is trained: they are represented without gradient
    frozen_views: frozenset[int] = frozenset()
    settings: Any

    def __init__(self, encoder: SentenceTransformer, settings: Any, draws: Draws, *, max_tokens: int) -> None:
        set_dropout(encoder, getattr(settings, "dropout", None), draws.of("dropout"))
        super().__init__()
        self.encoder, self.settings, self.max_tokens = encoder, settings, max_tokens
        self.build(draws)

    def build(self, draws: Draws) -> None:  # noqa: B027
        """Make heads, if there are any. Raises ConfigError: the start cannot be trained in this way."""

    def begin(self, rows: Sequence[Row]) -> None:  # noqa: B027
        """What a recipe has to know of all rows, before the first step and again where a training goes on.

        A function of the rows alone. Raises ConfigError: the start cannot be trained on these rows.
        """

    def at_step(self, step: int, total: int) -> None:  # noqa: B027
        """Told before each step, and before held-out rows are measured: how many steps are done, of how many."""

    @abstractmethod
    def views(self, rows: Sequence[Row], draws: Draws) -> list[list[Example]]:
        """The views of the n rows of a step: for each view n examples, in the order of the rows."""

    @abstractmethod
    def loss(self, views: Sequence[Any], rows: Sequence[Row]) -> torch.Tensor:
        """The loss of a step, a scalar, by what `represent` gave of each view, (n, d) float32, in the order of rows.

        Heads that belong to training alone are part of it, so that options such as truncation change what is exported.
        """

    def represent(self, examples: Sequence[Example], view: int) -> Represented:  # noqa: ARG002
        """The vectors of examples of a view, (k, d), before they are scaled; or tensors by name, a row per example."""
        return unscaled(self.encoder, self.padded(examples))

    def further_losses(self, rows: Sequence[Row], draws: Draws) -> Iterator[torch.Tensor]:  # noqa: ARG002
        """Scalars that are added to the loss and do not read the vectors, each differentiated before the next."""
        yield from ()

    def measures(self, views: Sequence[Any], rows: Sequence[Row]) -> Mapping[str, tuple[float, int]]:
        """What is told of a batch that is not trained on: name → a sum, and of how many things; the loss by default.

        Sums and numbers of several batches are added up; the measure is their quotient. What `further_losses` gives is
        no part. `views`, `rows`: as of `loss`, represented without dropout.
        """
        with torch.no_grad():
            return {"loss": (self.loss(views, rows).item(), 1)}

    def scored(self, views: Sequence[Any], rows: Sequence[Row]) -> list[tuple[float, int]]:  # noqa: ARG002
        """Score of each pair of a batch, and 1 where it belongs together, else 0, for the average precision over all
        batches that are not trained on; by default there are none. `views`, `rows`: as of `measures`.
        """
        return []

    def heads(self) -> Mapping[str, torch.Tensor]:
        """Tensors that are kept for trainings that go on from the encoder, see `sentflow.training.layers`."""
        return {}

    def exported(self) -> SentenceTransformer:
        """The encoder as it is used after training, without what belongs to training alone."""
        return self.encoder

    def write(self, encoder: SentenceTransformer, folder: Path) -> None:
        """Write what `exported` gave, with `heads`, in the form in which it is used."""
        write_dense(encoder, folder)
        if heads := {name: value.detach().cpu().clone() for name, value in self.heads().items()}:
            save_file(heads, folder / HEADS)

    def read(self, texts: Sequence[str]) -> list[Example]:
        """Examples of texts as they stand."""
        return [{"input_ids": self.tokens(text)} for text in texts]

    def tokens(self, text: str, most: int | None = None) -> list[int]:
        """The ids of a text as the encoder reads it, with special tokens, cut at `most`, or else at `max_tokens`."""
        limit = self.max_tokens if most is None else most
        ids: list[int] = self.encoder.tokenizer(text, truncation=True, max_length=limit)["input_ids"]
        return ids

    def padded(self, examples: Sequence[Example]) -> dict[str, torch.Tensor]:
        """``input_ids`` and ``attention_mask``, (k, longest) int64 each, on the device of the encoder."""
        ids = [torch.tensor(example["input_ids"], dtype=torch.long) for example in examples]
        longest = max(len(row) for row in ids)
        padding = int(self.encoder.tokenizer.pad_token_id or 0)
        tokens = torch.full((len(ids), longest), padding, dtype=torch.long)
        mask = torch.zeros((len(ids), longest), dtype=torch.long)
        for place, row in enumerate(ids):
            tokens[place, : len(row)] = row
            mask[place, : len(row)] = 1
        device = self.encoder.device
        return {"input_ids": tokens.to(device), "attention_mask": mask.to(device)}


def question_views(
    objective: Objective, rows: Sequence[Row], settings: BiEncoder | Splade | SparseEmbed
) -> list[list[Example]]:
    """A view of the questions, one of the documents and, where rows have them, one of hard negatives.

    `settings`: ``question_tokens``, None for as many as of a document; prompts that are put before the texts.
    """
    most = settings.question_tokens
    questions: list[Example] = [
        {"input_ids": objective.tokens(settings.question_prompt + row["text"], most)} for row in rows
    ]
    documents = [
        objective.read([settings.document_prompt + row[column] for row in rows])
        for column in document_columns(rows)
    ]
    return [questions, *documents]


def false_negatives(questions: Sequence[str], columns: Sequence[Sequence[str]]) -> torch.Tensor:
    """(n, n · columns) bool: which candidates are known to be relevant to a question of another row.

    `questions`: n texts. `columns`: n documents each: the relevant ones, and perhaps hard negatives. A candidate is
    relevant where its text is that of any relevant document of the question; the own document of a row is not marked.
    """
    relevant: dict[str, set[str]] = {}
    for question, document in zip(questions, columns[0], strict=True):
        relevant.setdefault(question, set()).add(document)
    candidates = [document for column in columns for document in column]
    found = torch.tensor(
        [[document in relevant[question] for document in candidates] for question in questions]
    )
    n = len(questions)
    found[torch.arange(n), torch.arange(n)] = False
    return found


_Kind = TypeVar("_Kind", bound=type[Objective])
_OBJECTIVES: dict[str, type[Objective]] = {}


def recipe(name: str) -> Callable[[_Kind], _Kind]:
    """Make a class the objective of a recipe of `sentflow.training.recipes.settings.RECIPES`."""

    def mark(kind: _Kind) -> _Kind:
        _OBJECTIVES[name] = kind
        return kind

    return mark


def build_objective(
    name: str,
    encoder: SentenceTransformer,
    settings: RecipeSettings,
    training: TrainingSettings,
    draws: Draws,
) -> Objective:
    """The objective of a recipe before the first step, with the options of a training; only theirs are imported."""
    import_module(module_of(name))
    kind: Any = _OBJECTIVES[name]
    for option, of_option in training.options.items():
        module = import_module(option_module(option))
        module.prepare(encoder, of_option, draws.of(option))
        kind = module.extended(kind, of_option)
    objective: Objective = kind(encoder, settings, draws, max_tokens=training.max_tokens)
    return objective.to(encoder.device)
