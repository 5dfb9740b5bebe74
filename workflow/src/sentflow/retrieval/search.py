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
from sentflow.retrieval.ranking import Ranked, Run
from sentflow.retrieval.runs import write_run
from sentflow.texts.corpora import EXCLUDE, Corpus, Questions, read_corpus, read_ids, read_questions
from sentflow.texts.shards import whole_of

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Search:
    """What a job searches, and where its run goes.

    Attributes
    ----------
    corpus_name, ids
        What is searched, a corpus or a shard of one, and the identifiers of its documents; for their texts, `corpus`.
    questions
        By what.
    retriever
        Name.
    depth
        Documents per question at most.
    k
        How many of them are searched for: one more where that with the id of a question is left out.
    settings
        Those of its kind.
    corpus_file, output
        Of the documents; the run to write.
    """

    corpus_name: str
    ids: list[str]
    questions: Questions
    retriever: str
    depth: int
    settings: dict[str, Any]
    corpus_file: Path
    output: Path

    @classmethod
    def read(
        cls, corpus: Path, questions: Path, judgements: Path, settings: Mapping[str, Any], output: Path
    ) -> "Search":
        """What a job is given: files, and ``retriever``, ``depth`` and the settings of its kind.

        Raises
        ------
        DataError
            A file is missing or damaged, or the questions are of another corpus.
        """
        (name, ids), asked = read_ids(corpus), read_questions(questions, judgements)
        if asked.corpus != whole_of(name):
            raise DataError(f"{questions} asks the corpus {asked.corpus}, but {corpus} is {name}.")
        own = dict(settings)
        retriever, depth = own.pop("retriever"), own.pop("depth")
        if depth > len(ids):
            logger.info(
                "%s: depth %d, but %s has %d documents: all that are found are ranked",
                *(retriever, depth, name, len(ids)),
            )
        return cls(name, ids, asked, retriever, depth, own, corpus, output)

    @property
    def k(self) -> int:  # noqa: D102
        return self.depth + (self.questions.same_ids == EXCLUDE)

    @cached_property
    def corpus(self) -> Corpus:
        """The documents with their texts; read when they are asked for, because few retrievers need them."""
        return read_corpus(self.corpus_file)

    def write(
        self,
        ranked: Iterable[Ranked],
        index: Sequence[Path] = (),
        cost: Mapping[str, Any] | None = None,
        **about: Any,
    ) -> None:
        """Write what is found for each question, in their order, and how long finding it took.

        Parameters
        ----------
        ranked
            Computed while it is read: this is the time that is measured.
        index
            Files that were searched.
        cost
            What else is known of the cost; ``index_bytes``, where no file is searched as it is.
        about
            What the run says of itself beside names and sizes.
        """
        start = time.perf_counter()
        found = dict(zip(self.questions.ids, ranked, strict=True))
        self.write_run(Run(self.ids, found), time.perf_counter() - start, index, cost, **about)

    def write_run(
        self,
        run: Run,
        seconds: float | None = None,
        index: Sequence[Path] = (),
        cost: Mapping[str, Any] | None = None,
        **about: Any,
    ) -> None:
        """Write a run, its digest, and beside them what it cost, which is part of neither.

        Parameters
        ----------
        seconds
            Of the search without start and reading; None where another program searched.
        index, cost, about
            See `write`.
        """
        if self.questions.same_ids == EXCLUDE:
            run = run.without_same_ids(self.depth)
        names = {"questions": self.questions.name, "retriever": self.retriever}
        known = {
            **names,
            "corpus": self.corpus_name,
            "n_documents": len(self.ids),
            "depth": self.depth,
        }
        write_run(self.output, run, {**known, **about})
        write_digest(self.output)
        taken = {
            "n_questions": len(self.questions),
            "seconds": seconds,
            "index_bytes": None if seconds is None else sum(file.stat().st_size for file in index),
        }
        write_json(self.output.with_suffix(".made.json"), {**names, **taken, **(cost or {})})
