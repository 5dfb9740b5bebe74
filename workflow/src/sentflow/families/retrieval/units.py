"""What is searched: corpora or their shards, and of each the documents or passages that stand for them."""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

from sentflow.config.entries import Entry
from sentflow.families.retrieval.parts import BM25, BY_VECTORS, DENSE, DOCUMENTS, QUESTIONS, SPARSE
from sentflow.families.retrieval.settings import RetrievalSettings
from sentflow.graph import paths
from sentflow.graph.family import Collection
from sentflow.graph.job_settings import one_of
from sentflow.texts.shards import SUFFIX_PATTERN, shards_of, suffix_of, whole_of

# Their runs on a corpus in shards are merged of those on its shards; the others need no more than identifiers
SHARDED_KINDS = (BM25, *BY_VECTORS)
_MINED = "/mined"  # documents whose vectors decide what an encoder is trained on
_VECTOR_FILES = {
    DENSE: (paths.TEXTS, paths.EMBEDDINGS, paths.EMBEDDINGS_TOKENS),
    SPARSE: (paths.TEXTS, paths.SPARSE_EMBEDDINGS, paths.EMBEDDINGS_TOKENS),
}


class RetrievalUnits(RetrievalSettings):
    """Shards, and what encoders read of them; a part of the family."""

    def collections(self) -> list[Collection]:
        """What each encoder of retrievers reads, once for all of them.

        Of each corpus, or of each of its shards, the documents and passages that any of its retrievers searches; and
        the questions of all sets that search the corpus. What is mined for training is apart, so that no selection of
        what is measured trains anything again.
        """
        found: dict[str, Collection] = {}
        for corpus in self.corpora:
            for model in self._models():
                of_questions = [_files_of_questions(name) for name in self._asked_by(model, corpus)]
                if not of_questions:
                    continue
                for part in self._parts(corpus, model):
                    name = self._documents_of(part, model)
                    files = [_files_of_unit(part, unit) for unit in self._units_of(model)]
                    kept = "" if name.endswith(_MINED) else f"{part}/{DOCUMENTS}"
                    _add(found, name, files, model, "document", kept=kept)
                _add(found, f"{corpus}/{QUESTIONS}", of_questions, model, "query")
        for questions, retriever in self._mining():
            corpus, model = self.searched[questions]["corpus"], self.retrievers[retriever]["model"]
            for part in self._shards(corpus):
                unit = self._unit(self.retrievers[retriever])
                _add(found, f"{part}/{unit}{_MINED}", [_files_of_unit(part, unit)], model, "document")
            _add(found, _mined_questions(corpus, questions), [_files_of_questions(questions)], model, "query")
        return list(found.values())

    # --- regular expressions of wildcards -------------------------------------------------------------------

    def named(self, kind: str) -> str:
        """The retrievers of a kind, on a whole corpus."""
        return one_of(self._of_kind(kind))

    def named_in_parts(self, kind: str) -> str:
        """The retrievers of a kind, on a whole corpus or on a shard."""
        return f"(?:{self.named(kind)}){SUFFIX_PATTERN}"

    def exact(self, kind: str) -> str:
        """The retrievers of a kind that compare all vectors, on a whole corpus or on a shard."""
        known = self._of_kind(kind)
        return f"(?:{one_of(name for name in self._exact() if name in known)}){SUFFIX_PATTERN}"

    def in_shards(self) -> str:
        """The retrievers whose runs are merged where a corpus has shards."""
        return one_of(self._in_shards())

    def whole_corpora(self) -> str:
        """The corpora as their files give them."""
        return one_of(self.prepared_corpora)

    def shards(self) -> str:
        """The shards of all corpora."""
        return one_of(shard for name in self.corpora for shard in self._shards(name) if shard != name)

    def sharded_sets(self) -> str:
        """The question sets whose corpus is searched shard by shard."""
        return one_of(self._sharded_sets())

    def cuts(self, *, by_tokens: bool) -> str:
        """The ways to cut documents by words, or by the tokens of an encoder."""
        return one_of(cut for cut in self._cuts() if ("/" in cut) == by_tokens)

    # --- inputs that depend on wildcards --------------------------------------------------------------------

    def whole(self, pattern: str) -> Callable[[Any], str]:
        """Function of a job: the file of the corpus that its shard is a part of."""
        return lambda wildcards: pattern.format(corpus=whole_of(wildcards.corpus))

    def of_corpus(self, pattern: str) -> Callable[[Any], str]:
        """Function of a job: the file of the corpus, or of the shard, that its questions are searched in."""
        return lambda wildcards: pattern.format(corpus=self._corpus(wildcards))

    def terms(self, pattern: str) -> Callable[[Any], str]:
        """Function of a job: the file of the terms that its retriever counts."""
        return lambda wildcards: self._of_terms(pattern, wildcards, self._corpus(wildcards))

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
            return [self._of_terms(pattern, wildcards, whole_of(corpus))]

        return files

    def runs_of_shards(self, pattern: str) -> Callable[[Any], list[str]]:
        """Function of a job: the files of the runs of its retriever in each shard."""
        return lambda wildcards: [
            pattern.format(questions=wildcards.questions, retriever=search)
            for search in self._shards(self._corpus(wildcards), wildcards.retriever)
        ]

    def searches_of(self, wildcards: Any) -> list[str]:
        """The searches whose runs are the run of a job's retriever: one, or one in each shard of its corpus."""
        in_shards = wildcards.retriever in self._in_shards()
        return (
            self._shards(self._corpus(wildcards), wildcards.retriever) if in_shards else [wildcards.retriever]
        )

    def of_searches(self, files: Callable[[Any], str | list[str]]) -> Callable[[Any], list[str]]:
        """Function of a job: files of each of `searches_of`, in their order; one that several share comes once."""

        def found(wildcards: Any) -> list[str]:
            jobs = (
                SimpleNamespace(questions=wildcards.questions, retriever=search)
                for search in self.searches_of(wildcards)
            )
            of_each = (files(job) for job in jobs)
            return list(
                dict.fromkeys(
                    file for names in of_each for file in ([names] if isinstance(names, str) else names)
                )
            )

        return found

    def model_of_cut(self, wildcards: Any) -> str:
        """The manifest of the encoder whose tokens are counted."""
        return paths.MANIFEST.format(model=wildcards.passages.rpartition("/")[2])

    def passages(self, wildcards: Any) -> list[str]:
        """The passages that stand for documents; nothing where whole documents are read."""
        return self._of_passages(wildcards, 0)

    def passages_digest(self, wildcards: Any) -> list[str]:
        """The digest of `passages`."""
        return self._of_passages(wildcards, 1)

    def document_vectors(self, wildcards: Any) -> list[str]:
        """Texts, vectors and numbers of tokens of the documents or passages by the encoder of a retriever."""
        return self._vectors(self._documents(wildcards), wildcards, *self._files_of_vectors(wildcards))

    def document_info(self, wildcards: Any) -> list[str]:
        """The description beside these vectors."""
        return self._vectors(self._documents(wildcards), wildcards, paths.EMBEDDINGS_INFO)

    def question_vectors(self, wildcards: Any) -> list[str]:
        """The same files of the questions."""
        return self._vectors(self._asked(wildcards), wildcards, *self._files_of_vectors(wildcards))

    def question_info(self, wildcards: Any) -> list[str]:
        """The description beside these vectors."""
        return self._vectors(self._asked(wildcards), wildcards, paths.EMBEDDINGS_INFO)

    def question_embeddings(self, pattern: str) -> list[str]:
        """The files of that pattern of the vectors of questions by the encoders of retrievers."""
        shown = dict.fromkeys(
            (self._asked_in(questions, retriever), self.retrievers[retriever]["model"])
            for questions in self.judged_sets
            for retriever in self.needed[questions]
            if retriever in self._by_vectors()
        )
        return [pattern.format(collection=collection, model=model) for collection, model in shown]

    # --- helpers --------------------------------------------------------------------------------------------

    def _shards(self, corpus: str, name: str = "") -> list[str]:
        """The shards of a corpus; with the name of a retriever, the searches in them."""
        return shards_of(name or corpus, self.prepared_corpora[corpus].get("shards", 1))

    def _parts(self, corpus: str, model: str) -> list[str]:
        """What an encoder reads of a corpus: its shards; and the whole, where an index of all its vectors is built."""
        indexed = any(entry["model"] == model for entry in self._indexed().values())
        return list(dict.fromkeys([*self._shards(corpus), *([corpus] if indexed else [])]))

    def _sharded_sets(self) -> list[str]:
        return [name for name, entry in self.searched.items() if len(self._shards(entry["corpus"])) > 1]

    def _exact(self) -> list[str]:
        """The retrievers that compare all vectors."""
        return [name for name in self._by_vectors() if name not in self._indexed()]

    def _in_shards(self) -> list[str]:
        """The retrievers whose runs are merged where a corpus has shards."""
        return [*self._of_kind(BM25), *self._exact()]

    def _files_of_vectors(self, wildcards: Any) -> tuple[str, ...]:
        return _VECTOR_FILES[self._retriever(wildcards)["kind"]]

    def _asked_by(self, model: str, corpus: str) -> list[str]:
        """The question sets on a corpus that a retriever of an encoder searches, but for those that are mined."""
        found = self._by_vectors()
        return [
            name
            for name, needed in self.needed.items()
            if self.searched[name]["corpus"] == corpus
            and any(
                retriever in found and found[retriever]["model"] == model and not self._mines(name, retriever)
                for retriever in needed
            )
        ]

    def _mines(self, questions: str, retriever: str) -> bool:
        """Whether a search reads vectors of its own. An index is of all vectors, and has none."""
        return questions in self.mined and retriever in self._exact()

    def _mining(self) -> list[tuple[str, str]]:
        """The searches that do."""
        pairs = ((name, retriever) for name, needed in self.needed.items() for retriever in needed)
        return [pair for pair in pairs if self._mines(*pair)]

    def _asked_in(self, questions: str, retriever: str) -> str:
        """The collection that the questions of a search are in."""
        corpus = self.searched[questions]["corpus"]
        return (
            _mined_questions(corpus, questions)
            if self._mines(questions, retriever)
            else f"{corpus}/{QUESTIONS}"
        )

    def _models(self) -> list[str]:
        """The encoders whose vectors are searched."""
        return list(dict.fromkeys(entry["model"] for entry in self._by_vectors().values()))

    def _units_of(self, model: str) -> list[str]:
        """What the retrievers of an encoder search, in an order that no selection changes."""
        own = (entry for entry in self._by_vectors().values() if entry["model"] == model)
        return sorted({self._unit(entry) for entry in own})

    def _unit(self, retriever: Entry) -> str:
        """What stands for documents: themselves, or passages; with the encoder where its tokens are counted."""
        cut: str = retriever.get("passages", DOCUMENTS)
        counts_tokens = cut != DOCUMENTS and "tokens" in self._entry("passages", cut)
        return f"{cut}/{retriever['model']}" if counts_tokens else cut

    def _cuts(self) -> list[str]:
        """All ways to cut that any retriever uses."""
        units = [self._unit(entry) for entry in self.retrievers.values() if "passages" in entry]
        return list(dict.fromkeys(units))

    def _documents_of(self, corpus: str, model: str) -> str:
        """The collection of what an encoder reads of a corpus or shard; that of what it mines, if it is the same."""
        units = self._units_of(model)
        mined = {
            self._unit(self.retrievers[retriever])
            for questions, retriever in self._mining()
            if self.searched[questions]["corpus"] == whole_of(corpus)
            and self.retrievers[retriever]["model"] == model
        }
        return f"{corpus}/{'+'.join(units)}{_MINED if mined == set(units) else ''}"

    def _of_terms(self, pattern: str, wildcards: Any, corpus: str) -> str:
        return pattern.format(corpus=corpus, analyser=self.analyser_of(self._retriever(wildcards), corpus))

    def _of_passages(self, wildcards: Any, which: int) -> list[str]:
        unit = self._unit(self._retriever(wildcards))
        return [] if unit == DOCUMENTS else [_files_of_unit(self._corpus(wildcards), unit)[which]]

    def _documents(self, wildcards: Any) -> str:
        corpus, retriever = self._corpus(wildcards), self._retriever(wildcards)
        if hasattr(wildcards, "questions") and self._mines(
            wildcards.questions, whole_of(wildcards.retriever)
        ):
            return f"{corpus}/{self._unit(retriever)}{_MINED}"
        return self._documents_of(corpus, retriever["model"])

    def _asked(self, wildcards: Any) -> str:
        return self._asked_in(wildcards.questions, whole_of(wildcards.retriever))

    def _vectors(self, collection: str, wildcards: Any, *patterns: str) -> list[str]:
        model = self._retriever(wildcards)["model"]
        return [pattern.format(collection=collection, model=model) for pattern in patterns]


def _files_of_unit(corpus: str, unit: str) -> tuple[str, str]:
    """Table and digest of what stands for the documents of a corpus or shard."""
    whole, cut = (paths.CORPUS, paths.CORPUS_DIGEST), (paths.PASSAGES, paths.PASSAGES_DIGEST)
    table, digest = whole if unit == DOCUMENTS else cut
    names = {"corpus": corpus, "passages": unit}
    return table.format(**names), digest.format(**names)


def _mined_questions(corpus: str, questions: str) -> str:
    """The collection of the questions of a set whose runs become training data."""
    return f"{corpus}/{QUESTIONS}/{questions}{_MINED}"


def _files_of_questions(name: str) -> tuple[str, str]:
    """Table and digest of the questions of a set."""
    return paths.QUESTIONS.format(questions=name), paths.QUESTIONS_DIGEST.format(questions=name)


def _add(
    found: dict[str, Collection],
    name: str,
    files: list[tuple[str, str]],
    model: str,
    role: str,
    *,
    kept: str = "",
) -> None:
    models = dict.fromkeys([*found[name].models, model] if name in found else [model])
    tables, digests = [table for table, _ in files], [digest for _, digest in files]
    found[name] = Collection(name, tables, digests, [*models], (role,), kept=kept)
