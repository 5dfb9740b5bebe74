"""What every job that searches does alike: read questions and corpus, write a run."""

import logging
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from sentflow.errors import DataError
from sentflow.files.io import write_digest, write_json
from sentflow.retrieval.ranking import NOTHING, Ranked, Run, read_run, write_run
from sentflow.retrieval.settings import SearchSettings
from sentflow.texts.corpora import EXCLUDE, Corpus, Questions, read_corpus, read_ids, read_questions
from sentflow.texts.shards import whole_of

logger = logging.getLogger(__name__)


@dataclass(frozen=True, kw_only=True)
class SearchInputs:
    """What a search reads beside corpus and questions, and where; each retriever has what it needs of it."""

    terms: Path | None = None
    counts: Path | None = None
    """Of terms in the whole corpus, where a shard is searched."""
    passages: Path | None = None
    documents: Sequence[Path] = ()
    """Texts, vectors, numbers of tokens, and what describes these."""
    queries: Sequence[Path] = ()
    index: Path | None = None
    runs: Sequence[Path] = ()
    """Of other retrievers."""
    weights: Path | None = None
    """Of a fusion, that were chosen."""
    manifest: Path | None = None
    model_files: Path | None = None
    trec: Path | None = None
    devices: Sequence[str] = ()
    threads: int = 1


@dataclass(frozen=True)
class Search:
    """What a job searches, and where its run goes."""

    corpus_name: str  # a corpus, or a shard of one
    ids: list[str]  # of its documents
    questions: Questions
    settings: SearchSettings
    corpus_file: Path
    output: Path  # the run

    @classmethod
    def read(
        cls, corpus: Path, questions: Path, judgements: Path, settings: SearchSettings, output: Path
    ) -> "Search":
        """Read questions, and the identifiers of documents."""
        (name, ids), asked = read_ids(corpus), read_questions(questions, judgements)
        if asked.corpus != whole_of(name):
            raise DataError(f"{questions} asks the corpus {asked.corpus}, but {corpus} is {name}.")
        if settings.depth > len(ids):
            logger.info(
                "%s: depth %d, but %s has %d documents: all that are found are ranked",
                *(settings.retriever, settings.depth, name, len(ids)),
            )
        return cls(name, ids, asked, settings, corpus, output)

    @property
    def retriever(self) -> str:
        """Its name."""
        return self.settings.retriever

    @property
    def depth(self) -> int:
        """Documents per question at most."""
        return self.settings.depth

    @property
    def k(self) -> int:
        """How many are searched for: one more where that with the id of a question is left out."""
        return self.depth + (self.questions.same_ids == EXCLUDE)

    @cached_property
    def corpus(self) -> Corpus:
        """The documents with their texts; read when they are asked for, because few retrievers need them."""
        return read_corpus(self.corpus_file)

    def ranked(self, run: Path) -> list[Ranked]:
        """What another run found for each question, in their order."""
        found = read_run(run, self.ids)[1].ranked
        return [found.get(name, NOTHING) for name in self.questions.ids]

    def write(
        self,
        ranked: Iterable[Ranked],
        index: Sequence[Path] = (),
        cost: Mapping[str, Any] | None = None,
        *,
        timed: bool = True,
        **about: Any,
    ) -> None:
        """Write what is found for each question, in their order, and beside it what finding it took.

        `index`: files that are searched as they are. `cost`: what else is known of it. `timed`: the search is done
        here.
        """
        start = time.perf_counter()
        run = Run(self.ids, dict(zip(self.questions.ids, ranked, strict=True)))
        seconds = time.perf_counter() - start
        if self.questions.same_ids == EXCLUDE:
            run = run.without_same_ids(self.depth)
        names = {"questions": self.questions.name, "retriever": self.retriever}
        sizes = {"corpus": self.corpus_name, "n_documents": len(self.ids), "depth": self.depth}
        write_run(self.output, run, {**names, **sizes, **about})
        write_digest(self.output)
        taken = {
            "n_questions": len(self.questions),
            "seconds": seconds if timed else None,
            "index_bytes": sum(file.stat().st_size for file in index) if timed else None,
        }
        write_json(self.output.with_suffix(".made.json"), {**names, **taken, **(cost or {})})


def cost_of(n_vectors: int, index_bytes: int, *, flops: float) -> dict[str, Any]:
    """What a search costs, in the same words for all: products for a question and a vector, and bytes."""
    return {
        "n_vectors": n_vectors,
        "flops": flops,
        "bytes_per_document": index_bytes / max(n_vectors, 1),
        "index_bytes": index_bytes,
    }
