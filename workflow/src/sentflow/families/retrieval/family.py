"""Retrieval: questions are searched in a corpus, and what was found is held against judgements."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import product
from typing import Any

from sentflow.families.retrieval.config import (
    BM25,
    DENSE,
    DOCUMENTS,
    FUSION,
    QUESTIONS,
    RANDOM,
    RETRIEVAL,
    RUN,
)
from sentflow.families.retrieval.products import PRODUCTS, SECTION
from sentflow.families.retrieval.settings import RetrievalSettings
from sentflow.graph import paths
from sentflow.graph.config.family import Entry
from sentflow.graph.family import Collection
from sentflow.graph.job_settings import one_of
from sentflow.texts.corpus_files import raw_files_of
from sentflow.texts.shards import SUFFIX_PATTERN, suffix_of, whole_of

_RULES = {
    BM25: "search_terms",
    DENSE: "search_vectors",
    FUSION: "fuse",
    RUN: "read_run",
    RANDOM: "search_randomly",
}
# Their runs on a corpus in shards are merged of those on its shards; the others read identifiers alone
SHARDED_KINDS = (BM25, DENSE)
_VECTOR_FILES = (paths.TEXTS, paths.EMBEDDINGS, paths.EMBEDDINGS_TOKENS)


class Retrieval(RetrievalSettings):
    """Question sets, each over a corpus, and retrievers: lexical, dense, fused, of other engines, random."""

    name = "retrieval"
    config = RETRIEVAL
    position = 4
    products = PRODUCTS
    section = SECTION

    # --- what it needs --------------------------------------------------------------------------------------

    def raw_files(self) -> list[tuple[str, str]]:
        """See `Family.raw_files`."""
        used = [*self.corpora.values(), *self.question_sets.values()]
        return [(entry["dataset"], file) for entry in used for file in raw_files_of(entry)]

    def collections(self) -> list[Collection]:
        """What each encoder of dense retrievers reads, once for all of them.

        Of each corpus, or of each of its shards, the documents and passages that any of its retrievers searches; and
        the questions of all sets that search the corpus.
        """
        found: dict[str, Collection] = {}
        for corpus, model in product(self.corpora, self._dense_models()):
            for shard in self._shards(corpus):
                files = [_files_of_unit(shard, unit) for unit in self._units_of(model)]
                kept = f"{shard}/{DOCUMENTS}"
                _add(found, self._documents_of(shard, model), files, model, "document", kept)
            asked = [name for name, entry in self.question_sets.items() if entry["corpus"] == corpus]
            files = [_questions_of(name) for name in asked]
            _add(found, f"{corpus}/{QUESTIONS}", files, model, "query")
        return list(found.values())

    def data(self) -> dict[str, list[str]]:
        """See `Family.data`."""
        corpora = {
            paths.CORPUS_DIGEST.format(corpus=name): [f"corpus {name}", entry["dataset"]]
            for name, entry in self.corpora.items()
        }
        asked = {
            paths.QUESTIONS_DIGEST.format(questions=name): [f"question set {name}", entry["dataset"]]
            for name, entry in self.question_sets.items()
        }
        return corpora | asked

    # --- what it makes --------------------------------------------------------------------------------------

    def runs(self) -> list[str]:
        """The run of every retriever on every question set, those that are only fused included."""
        return self._each(paths.RUN, self.retrievers)

    def scores(self) -> list[str]:
        """One JSON per question set and selected retriever, question set after question set."""
        return self._each(paths.RETRIEVAL, self.shown)

    def rows(self) -> list[str]:
        """The values per question, in the order of `scores`."""
        return self._each(paths.RETRIEVAL_ROWS, self.shown)

    def results(self) -> list[str]:
        """Scores, and tests between retrievers."""
        return [*self.scores(), *([paths.RETRIEVAL_PAIRS] if self.scores() else [])]

    def summaries(self) -> list[str]:
        """The summary of scores, and the tests; nothing if nothing is measured."""
        return [paths.SUMMARY_RETRIEVAL, paths.RETRIEVAL_PAIRS] if self.scores() else []

    def summary_of_scores(self) -> list[str]:
        """See `Family.summary_of_scores`."""
        return self.summaries()[:1]

    def available(self) -> Mapping[str, bool]:
        """See `Family.available`."""
        return {"retrieval": bool(self.scores())}

    def told(self) -> dict[str, Any]:
        """See `Family.told`."""
        if not self.scores():
            return {}
        return {"question_sets": self.question_sets, "corpora": self.corpora, "retrievers": self.retrievers}

    def jobs(self) -> Mapping[str, int]:
        """See `Family.jobs`."""
        n_sets = len(self.question_sets)
        n_shards = {corpus: len(self._shards(corpus)) for corpus in self.corpora}
        searched = sum(n_shards[entry["corpus"]] for entry in self.question_sets.values())
        searches = {
            rule: len(self._of_kind(kind)) * (searched if kind in SHARDED_KINDS else n_sets)
            for kind, rule in _RULES.items()
        }
        analysers = {entry["analyser"] for entry in self._of_kind(BM25).values()}
        cuts = set(self._cuts())
        by_tokens = {cut for cut in cuts if "/" in cut}
        n_parts, one = sum(n_shards.values()), int(bool(self.scores()))
        n_sharded = sum(n > 1 for n in n_shards.values())
        return {
            "prepare_corpus": len(self.corpora),
            "shard_corpus": sum(n for n in n_shards.values() if n > 1),
            "prepare_questions": n_sets,
            "analyse": n_parts * len(analysers),
            "count_terms": n_sharded * len(analysers),
            "split_passages": n_parts * len(cuts - by_tokens),
            "split_tokens": n_parts * len(by_tokens),
            **searches,
            "merge_shards": len(self._sharded_sets())
            * sum(len(self._of_kind(kind)) for kind in SHARDED_KINDS),
            "evaluate": len(self.scores()),
            "compare_retrieval": one,
            "summarise_retrieval": one,
        }

    def constraints(self) -> Mapping[str, str]:
        """Corpora, question sets, ways to cut and to analyse that are used."""
        used = self.retrievers.values()
        return {
            "corpus": f"(?:{one_of(self.corpora)}){SUFFIX_PATTERN}",
            "questions": one_of(self.question_sets),
            "retriever": f"(?:{one_of(self.retrievers)}){SUFFIX_PATTERN}",
            "analyser": one_of({entry["analyser"] for entry in used if "analyser" in entry}),
            "passages": one_of(self._cuts()),
        }

    def named(self, *kinds: str) -> str:
        """Regular expression of the retrievers of some kinds, on a whole corpus."""
        return one_of(name for kind in kinds for name in self._of_kind(kind))

    def named_in_parts(self, kind: str) -> str:
        """Regular expression of the retrievers of a kind, on a whole corpus or on a shard."""
        return f"(?:{self.named(kind)}){SUFFIX_PATTERN}"

    def whole_corpora(self) -> str:
        """Regular expression of the corpora as their files give them."""
        return one_of(self.corpora)

    def shards(self) -> str:
        """Regular expression of the shards of all corpora."""
        return one_of(
            shard for name in self.corpora if self._is_sharded(name) for shard in self._shards(name)
        )

    def sharded_sets(self) -> str:
        """Regular expression of the question sets whose corpus is searched shard by shard."""
        return one_of(self._sharded_sets())

    def cuts(self, *, by_tokens: bool) -> str:
        """Regular expression of the ways to cut documents by words, or by the tokens of an encoder."""
        return one_of(cut for cut in self._cuts() if ("/" in cut) == by_tokens)

    # --- inputs that depend on wildcards --------------------------------------------------------------------

    def raw_files_of_corpus(self, wildcards: Any) -> list[str]:
        """The raw files that hold the documents of a corpus."""
        return _raw_paths(self.corpora[wildcards.corpus])

    def raw_files_of_questions(self, wildcards: Any) -> list[str]:
        """The raw files that hold the questions of a set and their judgements."""
        return _raw_paths(self.question_sets[wildcards.questions])

    def whole(self, pattern: str) -> Callable[[Any], str]:
        """Function of a job: the file of the corpus that its shard is a part of."""
        return lambda wildcards: pattern.format(corpus=whole_of(wildcards.corpus))

    def terms_of_shards(self, pattern: str) -> Callable[[Any], list[str]]:
        """Function of a job: the files of the terms of each shard of its corpus."""
        return lambda wildcards: [
            pattern.format(corpus=shard, analyser=wildcards.analyser)
            for shard in self._shards(wildcards.corpus)
        ]

    def counts(self, pattern: str) -> Callable[[Any], list[str]]:
        """Function of a job: the counts of terms in the whole corpus, of which it searches a shard; else nothing."""

        def files(wildcards: Any) -> list[str]:
            corpus = self._corpus(wildcards)
            if not suffix_of(corpus):
                return []
            return [pattern.format(corpus=whole_of(corpus), analyser=self._retriever(wildcards)["analyser"])]

        return files

    def runs_of_shards(self, pattern: str) -> Callable[[Any], list[str]]:
        """Function of a job: the files of the runs of its retriever in each shard."""
        return lambda wildcards: [
            pattern.format(questions=wildcards.questions, retriever=search)
            for search in self._shards(self._corpus(wildcards), wildcards.retriever)
        ]

    def model_of_cut(self, wildcards: Any) -> str:
        """The manifest of the encoder whose tokens are counted."""
        return paths.MANIFEST.format(model=wildcards.passages.rpartition("/")[2])

    def of_corpus(self, pattern: str) -> Callable[[Any], str]:
        """Function of a job: the file of the corpus that its questions are searched in."""
        return lambda wildcards: pattern.format(corpus=self._corpus(wildcards))

    def terms(self, pattern: str) -> Callable[[Any], str]:
        """Function of a job: the file of the terms that its retriever counts."""
        return lambda wildcards: pattern.format(
            corpus=self._corpus(wildcards), analyser=self._retriever(wildcards)["analyser"]
        )

    def passages(self, wildcards: Any) -> list[str]:
        """The passages that stand for documents; nothing where whole documents are embedded."""
        return self._of_passages(wildcards, 0)

    def passages_digest(self, wildcards: Any) -> list[str]:
        """The digest of `passages`."""
        return self._of_passages(wildcards, 1)

    def document_vectors(self, wildcards: Any) -> list[str]:
        """Texts, vectors and numbers of tokens of the documents or passages by the encoder of a dense retriever."""
        return self._vectors(self._documents(wildcards), wildcards, *_VECTOR_FILES)

    def document_info(self, wildcards: Any) -> list[str]:
        """The description beside these vectors."""
        return self._vectors(self._documents(wildcards), wildcards, paths.EMBEDDINGS_INFO)

    def question_vectors(self, wildcards: Any) -> list[str]:
        """Texts and vectors of the questions."""
        return self._vectors(self._asked(wildcards), wildcards, *_VECTOR_FILES)

    def question_info(self, wildcards: Any) -> list[str]:
        """The description beside these vectors."""
        return self._vectors(self._asked(wildcards), wildcards, paths.EMBEDDINGS_INFO)

    def fused_runs(self, wildcards: Any) -> list[str]:
        """The runs that are fused, in the order of their weights."""
        names = self._retriever(wildcards)["of"]
        return [paths.RUN.format(questions=wildcards.questions, retriever=name) for name in names]

    def fused_digests(self, wildcards: Any) -> list[str]:
        """The digests of `fused_runs`."""
        names = self._retriever(wildcards)["of"]
        return [paths.RUN_DIGEST.format(questions=wildcards.questions, retriever=name) for name in names]

    def run_file(self, wildcards: Any) -> str:
        """The run of another engine, in TREC's form."""
        return str(self._retriever(wildcards)["files"][wildcards.questions])

    # --- helpers --------------------------------------------------------------------------------------------

    def _each(self, pattern: str, retrievers: Any) -> list[str]:
        names = product(self.question_sets, retrievers)
        return [pattern.format(questions=questions, retriever=retriever) for questions, retriever in names]

    def _sharded_sets(self) -> list[str]:
        return [name for name, entry in self.question_sets.items() if self._is_sharded(entry["corpus"])]

    def _dense_models(self) -> list[str]:
        """The encoders of dense retrievers."""
        return list(dict.fromkeys(entry["model"] for entry in self._of_kind(DENSE).values()))

    def _units_of(self, model: str) -> list[str]:
        """What the dense retrievers of an encoder search, in an order that no selection changes."""
        return sorted(
            {self._unit(entry) for entry in self._of_kind(DENSE).values() if entry["model"] == model}
        )

    def _unit(self, retriever: Entry) -> str:
        """What stands for documents: themselves, or passages; with the encoder where its tokens are counted."""
        cut = retriever.get("passages", DOCUMENTS)
        counts_tokens = cut != DOCUMENTS and "tokens" in self._entry("passages", cut)
        return f"{cut}/{retriever['model']}" if counts_tokens else cut

    def _cuts(self) -> list[str]:
        units = [unit for model in self._dense_models() for unit in self._units_of(model)]
        return [unit for unit in dict.fromkeys(units) if unit != DOCUMENTS]

    def _documents_of(self, corpus: str, model: str) -> str:
        """The collection of all that an encoder reads of a corpus or shard."""
        return f"{corpus}/{'+'.join(self._units_of(model))}"

    def _of_passages(self, wildcards: Any, which: int) -> list[str]:
        unit = self._unit(self._retriever(wildcards))
        return [] if unit == DOCUMENTS else [_files_of_unit(self._corpus(wildcards), unit)[which]]

    def _documents(self, wildcards: Any) -> str:
        return self._documents_of(self._corpus(wildcards), self._retriever(wildcards)["model"])

    def _asked(self, wildcards: Any) -> str:
        return f"{whole_of(self._corpus(wildcards))}/{QUESTIONS}"

    def _vectors(self, collection: str, wildcards: Any, *patterns: str) -> list[str]:
        model = self._retriever(wildcards)["model"]
        return [pattern.format(collection=collection, model=model) for pattern in patterns]


def _files_of_unit(corpus: str, unit: str) -> tuple[str, str]:
    """Table and digest of what stands for the documents of a corpus or shard."""
    patterns = (
        (paths.CORPUS, paths.CORPUS_DIGEST) if unit == DOCUMENTS else (paths.PASSAGES, paths.PASSAGES_DIGEST)
    )
    table, digest = (pattern.format(corpus=corpus, passages=unit) for pattern in patterns)
    return table, digest


def _questions_of(name: str) -> tuple[str, str]:
    """Table and digest of the questions of a set."""
    return paths.QUESTIONS.format(questions=name), paths.QUESTIONS_DIGEST.format(questions=name)


def _add(
    found: dict[str, Collection],
    name: str,
    files: Iterable[Sequence[str]],
    model: str,
    role: str,
    kept: str = "",
) -> None:
    models = [*found[name].models, model] if name in found else [model]
    tables, digests = map(list, zip(*files, strict=True))
    found[name] = Collection(name, tables, digests, models, (role,), kept=kept)


def _raw_paths(entry: Entry) -> list[str]:
    return [paths.RAW_FILE.format(dataset=entry["dataset"], file=file) for file in raw_files_of(entry)]


FAMILY = Retrieval
