"""What every command that searches does alike: read questions and corpus, write a run."""

import argparse
import json
import logging
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from sentflow.errors import DataError
from sentflow.files.io import write_digest, write_json
from sentflow.retrieval.ranking import Ranked, Run
from sentflow.retrieval.runs import write_run
from sentflow.texts.corpora import Corpus, Questions, read_corpus, read_questions

logger = logging.getLogger(__name__)


def add_search_arguments(parser: argparse.ArgumentParser) -> None:
    """Corpus, questions, settings of a retriever, and the run to write."""
    parser.add_argument("--corpus", type=Path, required=True, help="documents")
    parser.add_argument("--questions", type=Path, required=True, help="questions")
    parser.add_argument("--judgements", type=Path, required=True, help="their judgements")
    parser.add_argument(
        "--settings", required=True, help='JSON: {"retriever", "depth"} and those of its kind'
    )
    parser.add_argument("--output", type=Path, required=True, help=".parquet; its digest is put beside it")


@dataclass(frozen=True)
class Search:
    """What a command searches, and where its run goes.

    Attributes
    ----------
    corpus, questions
        What is searched, and by what.
    retriever
        Name.
    depth
        Documents per question at most.
    settings
        Those of its kind.
    """

    corpus: Corpus
    questions: Questions
    retriever: str
    depth: int
    settings: dict[str, Any]
    output: Path

    @classmethod
    def of(cls, args: argparse.Namespace) -> "Search":
        """What `add_search_arguments` was given.

        Raises
        ------
        DataError
            A file is missing or damaged, or the questions are of another corpus.
        """
        settings = json.loads(args.settings)
        corpus, questions = read_corpus(args.corpus), read_questions(args.questions, args.judgements)
        if questions.corpus != corpus.name:
            raise DataError(
                f"{args.questions} asks the corpus {questions.corpus}, but {args.corpus} is {corpus.name}."
            )
        retriever, depth = settings.pop("retriever"), settings.pop("depth")
        if depth > len(corpus):
            logger.info(
                "%s: depth %d, but %s has %d documents: all that are found are ranked",
                retriever,
                depth,
                corpus.name,
                len(corpus),
            )
        return cls(corpus, questions, retriever, depth, settings, args.output)

    def write(self, ranked: Iterable[Ranked], index: Sequence[Path] = ()) -> None:
        """Write what is found for each question, in their order, and how long finding it took.

        Parameters
        ----------
        ranked
            Computed while it is read: this is the time that is measured.
        index
            Files that were searched.
        """
        start = time.perf_counter()
        found = dict(zip(self.questions.ids, ranked, strict=True))
        self.write_run(Run(self.corpus.ids, found), time.perf_counter() - start, index)

    def write_run(self, run: Run, seconds: float | None = None, index: Sequence[Path] = ()) -> None:
        """Write a run, its digest, and beside them what it cost, which is part of neither.

        Parameters
        ----------
        seconds
            Of the search without start and reading; None where another program searched.
        """
        names = {"questions": self.questions.name, "retriever": self.retriever}
        about = {
            **names,
            "corpus": self.corpus.name,
            "n_documents": len(self.corpus),
            "depth": self.depth,
        }
        write_run(self.output, run, about)
        write_digest(self.output)
        cost = {
            "n_questions": len(self.questions),
            "seconds": seconds,
            "index_bytes": None if seconds is None else sum(file.stat().st_size for file in index),
        }
        write_json(self.output.with_suffix(".made.json"), {**names, **cost})
