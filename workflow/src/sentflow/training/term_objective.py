"""What recipes of sparse encoders have in common: a head that weighs terms, a start that can be trained, a teacher."""

import logging
from abc import abstractmethod
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import numpy as np
import torch
from sentence_transformers import SentenceTransformer
from sentence_transformers.util import cos_sim

from sentflow.errors import ConfigError
from sentflow.sparse.calibration import calibrate, check_start
from sentflow.sparse.heads import KINDS, from_tensors
from sentflow.sparse.ranking_losses import CONTRASTIVE, KL, MARGIN_MSE, RANKINGS, LossParts, SparseEmbedLoss
from sentflow.sparse.weigher import DOCUMENT, QUERY, SIDES, TermWeigher
from sentflow.training.contract import (
    Example,
    Objective,
    Row,
    document_columns,
    false_negatives,
    question_views,
    target_of,
)
from sentflow.training.draws import Draws
from sentflow.training.layers import prediction_head, transformer_of
from sentflow.training.recipes.settings import SparseEmbed, Splade

logger = logging.getLogger(__name__)

_START_TEXTS = 128


def masked_model_of(encoder: SentenceTransformer, draws: Draws) -> Any:
    """The masked language model whose encoder is that of the start, and whose head is in the files of the start."""
    network = transformer_of(encoder).auto_model
    kind = network.config.model_type
    if kind not in KINDS:
        raise ConfigError(
            f"start: terms are weighed by the layer that predicts masked tokens of {', '.join(KINDS)}, and the start "
            f"is a {kind}. Start from one of these."
        )
    head, known = prediction_head(encoder, draws)
    if not known:
        raise ConfigError(
            "start: its files have no layer that predicts masked tokens in safetensors, and weights of terms by a new "
            "one would be random. Train it first (recipe mlm), or start from a masked language model."
        )
    prefix = KINDS[kind][1]
    return from_tensors(network, {f"{prefix}{name}": value for name, value in head.state_dict().items()})


@contextmanager
def _of_setting(place: str, instead: str = "") -> Iterator[None]:
    """Say of an error inside which setting of an entry it is about, and what to write there."""
    try:
        yield
    except ConfigError as error:
        raise ConfigError(f"{place}: {error} {instead}".rstrip()) from error


class TermObjective(Objective):
    """Views are questions, documents and, where the data have them, hard negatives."""

    settings: Splade | SparseEmbed

    def build(self, draws: Draws) -> None:
        self.weigher = self.make_weigher(draws)
        self.step, self.rise_steps = 0, 0
        self._draws = draws.of("start")

    @abstractmethod
    def make_weigher(self, draws: Draws) -> TermWeigher:
        """What weighs terms, with the encoder of the start as its own."""

    def begin(self, rows: Sequence[Row]) -> None:
        """Shift the head to a number of active terms where that is asked for, and refuse a start that cannot learn."""
        keys = {DOCUMENT: "start_terms", QUERY: "start_question_terms"}
        texts = {side: self._texts(rows, side) for side in SIDES}
        for side, key in keys.items():
            n_terms = getattr(self.settings, key, None)
            if n_terms is not None:
                with _of_setting(f"settings.{key}"):
                    found = calibrate(self.weigher, texts[side], n_terms, side=side)
                logger.info(
                    "the bias of the head of a %s is shifted by %.3f: %.1f terms are active instead of %.1f",
                    *(side, found.shift, found.after, found.before),
                )
        for side in SIDES:
            key = keys[side if self.weigher.two_heads else DOCUMENT]
            given = getattr(self.settings, key)
            instead = (
                "a number of active terms such as 200" if given is None else f"another number than {given}"
            )
            with _of_setting("start", f"Write settings.{key}, {instead}, or another start."):
                start = check_start(self.weigher, texts[side], side=side)
            logger.info(
                "a %s starts with %.1f active terms of %d (standard deviation %.1f), mean cosine of two %.3f",
                *(side, start.mean, start.n_terms, start.standard_deviation, start.cosine),
            )

    def at_step(self, step: int, total: int) -> None:
        self.step, self.rise_steps = step, round(self.settings.flops_rise * total)

    def views(self, rows: Sequence[Row], draws: Draws) -> list[list[Example]]:  # noqa: ARG002
        return question_views(self, rows, self.settings)

    @abstractmethod
    def term_weights(self, view: Any) -> torch.Tensor:
        """(n, V) weights of terms of what `represent` gave."""

    def vector_scores(self, views: Sequence[Any], *, of_pairs: bool) -> torch.Tensor | None:  # noqa: ARG002
        """Scores by term vectors of the pairs of a row, (n, documents), or of all questions and documents, (n, C)."""
        return None

    def ranking_loss(self) -> SparseEmbedLoss:
        """The loss with the weights of this step."""
        settings = self.settings
        return SparseEmbedLoss(
            query_flops=settings.question_flops,
            document_flops=settings.document_flops,
            rise_steps=self.rise_steps,
            ranking=settings.ranking if settings.ranking in RANKINGS else CONTRASTIVE,
            temperature=settings.temperature,
            weights_share=getattr(settings, "weights_share", 1.0),
        )

    def parts(self, views: Sequence[Any], rows: Sequence[Row]) -> LossParts:
        """The loss of a step, and what it is the sum of."""
        queries, *of_documents = [self.term_weights(view) for view in views]
        teacher = self._teacher_scores(rows, queries.device)
        documents = torch.cat(of_documents)
        by_vectors = self.vector_scores(views, of_pairs="score" in rows[0])
        if "score" in rows[0]:
            by_weights = torch.stack([(queries * each).sum(dim=1) for each in of_documents], dim=1)
        else:
            by_vectors = None if by_vectors is None else self._candidates(by_vectors, rows)
            by_weights = self._candidates(queries @ documents.T, rows)
            teacher = None if teacher is None else self._candidates(teacher, rows)
        return self.ranking_loss()(
            by_vectors, by_weights, queries, documents, step=self.step, teacher=teacher
        )

    def loss(self, views: Sequence[Any], rows: Sequence[Row]) -> torch.Tensor:
        return self.parts(views, rows).total

    def measures(self, views: Sequence[Any], rows: Sequence[Row]) -> dict[str, tuple[float, int]]:
        """The loss and its parts, and how many terms are active."""
        with torch.no_grad():
            parts = self.parts(views, rows)
            told = {
                "loss": parts.total,
                "embeddings_loss": parts.embeddings,
                "weights_loss": parts.weights,
                "query_flops": parts.query_flops,
                "document_flops": parts.document_flops,
            }
            active = [int((self.term_weights(view) > 0).sum()) for view in views]
        found = {name: (value.item(), 1) for name, value in told.items() if value is not None}
        n = len(rows)
        return found | {
            "query_terms": (active[0], n),
            "document_terms": (sum(active[1:]), n * (len(views) - 1)),
        }

    def _teacher_scores(self, rows: Sequence[Row], device: torch.device) -> torch.Tensor | None:
        """The teacher's scores: (n, 2) of the documents of a row where the data have them; else (n, C), of all."""
        if self.settings.ranking not in (MARGIN_MSE, KL):
            return None
        if "score" in rows[0]:
            return torch.tensor([[row["score"], row["negative_score"]] for row in rows], device=device)
        questions, *documents = (
            torch.from_numpy(np.stack([row[target_of(column)] for row in rows]))
            for column in ("text", *document_columns(rows))
        )
        cosines: torch.Tensor = cos_sim(questions, torch.cat(documents))
        return cosines.to(device) * float(self.settings.teacher_scale)

    def _candidates(self, scores: torch.Tensor, rows: Sequence[Row]) -> torch.Tensor:
        """What the ranking loss reads of the scores of all questions with all documents of a batch, (n, C)."""
        ranking = self.settings.ranking
        if ranking == CONTRASTIVE:
            texts = [[row[column] for row in rows] for column in document_columns(rows)]
            known = false_negatives([row["text"] for row in rows], texts)
            return scores.masked_fill(known.to(scores.device), -torch.inf)
        if ranking != MARGIN_MSE:
            return scores
        # The relevant document of question i moves from column i to the first; others keep their order
        columns = torch.arange(scores.shape[1], device=scores.device).expand_as(scores)
        own = torch.arange(len(scores), device=scores.device)[:, None]
        others = columns[columns != own].view(len(scores), -1)
        return scores.gather(1, torch.cat([own, others], dim=1))

    def _texts(self, rows: Sequence[Row], side: str) -> list[str]:
        """Some texts of a side, each different, as the encoder reads them."""
        column = "text" if side == QUERY else document_columns(rows)[0]
        order = self._draws.of("start texts", side).generator().permutation(len(rows)).tolist()
        prompt = self.settings.question_prompt if side == QUERY else self.settings.document_prompt
        different = list(dict.fromkeys(prompt + rows[place][column] for place in order))[:_START_TEXTS]
        empty = set(self.weigher.without_tokens(different))
        return [text for place, text in enumerate(different) if place not in empty]
