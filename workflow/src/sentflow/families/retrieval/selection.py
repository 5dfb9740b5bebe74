"""What is searched, and by what: the entries that an experiment needs, and the files that their jobs read."""

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

from sentflow.config.entries import Entries, Entry
from sentflow.config.experiment import Experiment
from sentflow.config.retrievers import (
    BM25,
    BY_VECTORS,
    DENSE,
    DOCUMENTS,
    FUSION,
    OTHER,
    QUESTIONS,
    RERANK,
    RUN,
    SPARSE,
    all_retrievers,
    counts_terms,
    decided_by,
    further_encoders,
    models_of,
    parts_of,
    tuned_on,
)
from sentflow.config.trained import seed_in, selected_data
from sentflow.flow import paths
from sentflow.flow.family import Collection, Family, Files, each, weights_of
from sentflow.texts.shards import shards_of, suffix_of, whole_of
from sentflow.training.data.entries import corpora_of, held_out_sets, question_sets_of, searchers_of
from sentflow.training.snapshots import choosing_questions, snapshot_entries

_LAWS = "laws"  # format of documents that are articles of laws
_MINED = "/mined"  # documents whose vectors decide what an encoder is trained on
_VECTORS = {DENSE: paths.EMBEDDINGS, SPARSE: paths.SPARSE_EMBEDDINGS}


class Selection(Family):
    """The question sets and retrievers of an experiment, and inputs of rules; a part of the family."""

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        entries = experiment.entries
        self.question_sets: Entries = experiment.selected["question_sets"]
        # others are searched, but nothing can be measured on them
        self.judged_sets: Entries = {
            name: entry for name, entry in self.question_sets.items() if entry["judgements"]
        }
        self.shown = list(experiment.selected["retrievers"]) if self.question_sets else []
        self.left_out = experiment.left_out
        # encoders that are not selected → the shown retrievers that need them
        selected = {section: list(names) for section, names in experiment.selected.items()}
        self.brought: dict[str, list[str]] = {
            model: [name for name in self.shown if model in models_of([name], entries["retrievers"])]
            for model in further_encoders(entries, selected)
        }
        training = selected_data(experiment).values()
        mining = [(name, question_sets_of(entry)) for entry in training for name in searchers_of(entry)]
        # snapshots search the questions that they are chosen by
        trained = experiment.trained_models
        mining += [
            (snapshot, [questions])
            for name, questions in choosing_questions(trained).items()
            for snapshot in snapshot_entries(name, trained[name])
        ]
        # those that are fused are searched, too, and those that find negatives; only what was selected is shown
        self.retrievers: Entries = {
            name: entries["retrievers"][name]
            for name in all_retrievers([*self.shown, *(name for name, _ in mining)], entries["retrievers"])
        }
        self.decisions: Entries = experiment.selected["decisions"] if self.shown else {}
        # question set → the retrievers that search it, and the sets that are searched for training alone
        self.needed, self.mined_alone = self._needed(mining)
        self.searched: Entries = {name: entries["question_sets"][name] for name in self.needed}
        self.corpora: Entries = _corpora_of(self.searched, entries["corpora"])
        # what encoders were trained on is prepared, too, but not searched for
        named = [name for entry in self.question_sets.values() for name in entry.get("training", [])]
        named += [name for entry in training for name in question_sets_of(entry)]
        self.training_sets = list(dict.fromkeys(named))
        held_out = [name for entry in training for name in held_out_sets(entry)]
        self.prepared: Entries = self.searched | {
            name: entries["question_sets"][name] for name in [*self.training_sets, *held_out]
        }
        self.prepared_corpora: Entries = _corpora_of(self.prepared, entries["corpora"]) | {
            name: entries["corpora"][name] for entry in training for name in corpora_of(entry)
        }
        self.mined = {name for _, sets in mining for name in sets}
        self.by_vectors = self.of_kind(*BY_VECTORS)
        # those with an approximate index
        self.indexed = {name: entry for name, entry in self.by_vectors.items() if "index" in entry}
        # those whose runs are merged where a corpus has shards: an index is of a whole corpus
        self.in_shards = [name for name in self.of_kind(BM25, *BY_VECTORS) if name not in self.indexed]
        # fusion → the question sets that its weights are chosen on
        self.tuned = {name: sets for name, entry in self.of_kind(FUSION).items() if (sets := tuned_on(entry))}
        # retriever and decision of everything that is decided
        self.systems = [
            (retriever, name)
            for retriever in self.shown
            for name, entry in self.decisions.items()
            if retriever in decided_by(entry, self.shown)
        ]

        # parameter of searches → its files
        collections = {"documents": self._documents, "queries": self._queries}
        self.vector_files: dict[str, Files] = {
            f"{name}{ending}": partial(self._vectors, collection, patterns)
            for name, collection in collections.items()
            for ending, patterns in (("", ()), ("_info", (paths.EMBEDDINGS_INFO,)))
        }
        self.search_files: dict[str, Files] = {
            "terms": self.terms,
            "counts": self.counts,
            "passages": self.passages,
            "index": self.index(paths.INDEX),
            "runs": self.runs_of_parts,
            "weights": self.chosen_weights,
        }
        # The same of what is explained, in all shards
        self.explained_vectors = {name: self.of_searches(one) for name, one in self.vector_files.items()}
        self.explained_files = {
            name: self.of_searches(self.search_files[name]) for name in ("terms", "counts", "passages")
        }

    def _needed(self, mining: Sequence[tuple[str, list[str]]]) -> tuple[dict[str, list[str]], set[str]]:
        """All retrievers search the sets that are shown; what is tuned, or mines, searches others."""
        retrievers = self.experiment.entries["retrievers"]
        needed = {name: dict.fromkeys(all_retrievers(self.shown, retrievers)) for name in self.question_sets}

        def add(sets: Iterable[str], names: Sequence[str]) -> None:
            for name in sets:
                needed.setdefault(name, {}).update(dict.fromkeys(all_retrievers(names, retrievers)))

        for entry in self.retrievers.values():
            add(tuned_on(entry), parts_of(entry))
        for entry in self.decisions.values():
            add(entry.get("tuned_on", []), decided_by(entry, self.shown))
        measured = set(needed)
        for name, sets in mining:
            add(sets, [name])
        return {name: list(names) for name, names in needed.items()}, set(needed) - measured

    # --- retrievers -----------------------------------------------------------------------------------------

    def _entry(self, section: str, name: str) -> Entry:
        return self.experiment.entries[section][name]

    def _retriever(self, wildcards: Any) -> Entry:
        return self.retrievers[whole_of(wildcards.retriever)]

    def _encoder(self, retriever: Entry) -> Entry:
        return self.experiment.fetched_models[retriever["model"]]

    def of_kind(self, *kinds: str) -> Entries:
        return {name: entry for name, entry in self.retrievers.items() if entry["kind"] in kinds}

    def seed_families(self) -> dict[str, dict[str, str]]:
        """Name → seed → the shown retriever; those of a family differ in their seed alone."""
        families: dict[str, dict[str, str]] = {}
        for name in self.shown:
            if family := self.retrievers[name].get("seed_of"):
                families.setdefault(family, {})[seed_in(name, family)] = name
        return families

    def analyser_of(self, retriever: Entry, corpus: str) -> str:
        """Name of the analyser of a lexical retriever: its own, or the one for the language of the corpus."""
        analyser = retriever["analyser"]
        if isinstance(analyser, str):
            return analyser
        return str(analyser.get(self.corpora[whole_of(corpus)]["language"], analyser[OTHER]))

    def title_of(self, name: str) -> str:
        """What tables call a retriever; of rounded weights and of candidates in another order they say so."""
        entry = self.retrievers[name]
        of_terms = entry if entry["kind"] == SPARSE else {}
        rounded = f", {of_terms['impacts']}-bit impacts" if "impacts" in of_terms else ""
        second = f", {of_terms['candidates']} candidates" if "candidates" in of_terms else ""
        return f"{entry.get('title', name)}{rounded}{second}"

    # --- what is searched -----------------------------------------------------------------------------------

    def holds_laws(self, corpus: str) -> bool:
        """Whether documents of a corpus are articles of laws, as in the Zalo challenge."""
        return any(source["format"] == _LAWS for source in self.prepared_corpora[corpus]["documents"])

    def _corpus(self, wildcards: Any) -> str:
        """What a job searches: the corpus of its questions, or the shard that its retriever names."""
        if hasattr(wildcards, "corpus"):
            return str(wildcards.corpus)
        shard = suffix_of(getattr(wildcards, "retriever", ""))
        return f"{self.prepared[wildcards.questions]['corpus']}{shard}"

    def _shards(self, corpus: str, name: str = "") -> list[str]:
        return shards_of(name or corpus, self.prepared_corpora[corpus].get("shards", 1))

    def shards(self) -> list[str]:
        return [shard for name in self.corpora for shard in self._shards(name) if shard != name]

    def sharded_sets(self) -> list[str]:
        return [name for name, entry in self.searched.items() if len(self._shards(entry["corpus"])) > 1]

    def _unit(self, retriever: Entry) -> str:
        """What stands for documents: themselves, or passages; with the encoder where its tokens are counted."""
        cut: str = retriever.get("passages", DOCUMENTS)
        counts_tokens = cut != DOCUMENTS and "tokens" in self._entry("passages", cut)
        return f"{cut}/{retriever['model']}" if counts_tokens else cut

    def cuts(self, *, by_tokens: bool | None = None) -> list[str]:
        """All ways to cut that any retriever uses; those by words, or by the tokens of an encoder."""
        units = [self._unit(entry) for entry in self.retrievers.values() if "passages" in entry]
        return [unit for unit in dict.fromkeys(units) if by_tokens in (None, "/" in unit)]

    def _mines(self, questions: str, retriever: str) -> bool:
        """Whether a search reads vectors of its own. An index is of all vectors, and has none."""
        return questions in self.mined and retriever in self.by_vectors and retriever not in self.indexed

    def _mining(self) -> list[tuple[str, str]]:
        """The searches that do."""
        pairs = ((name, retriever) for name, needed in self.needed.items() for retriever in needed)
        return [pair for pair in pairs if self._mines(*pair)]

    def embedded(self) -> list[Collection]:
        """What each encoder of retrievers reads, once for all of them.

        Of each corpus, or of each of its shards, the documents and passages that any of its retrievers searches; and
        the questions of all sets that search the corpus. What is mined for training is apart, so that no selection of
        what is measured trains anything again.
        """
        collections: dict[str, Collection] = {}

        def add(name: str, tables: list[str], model: str, role: str, kept: str = "") -> None:
            models = dict.fromkeys([*collections[name].models, model] if name in collections else [model])
            collections[name] = Collection(name, tables, [*models], (role,), kept=kept)

        for corpus in self.corpora:
            for model in dict.fromkeys(entry["model"] for entry in self.by_vectors.values()):
                questions = each(paths.QUESTIONS, questions=self._asked_by(model, corpus))
                if not questions:
                    continue
                for part in self._parts(corpus, model):
                    tables = [_table(part, unit) for unit in self._units_of(model)]
                    name = self._documents_of(part, model)
                    kept = "" if name.endswith(_MINED) else f"{part}/{DOCUMENTS}"
                    add(name, tables, model, "document", kept)
                add(f"{corpus}/{QUESTIONS}", questions, model, "query")
        for name, retriever in self._mining():
            corpus, entry = self.searched[name]["corpus"], self.retrievers[retriever]
            for part in self._shards(corpus):
                unit = self._unit(entry)
                add(f"{part}/{unit}{_MINED}", [_table(part, unit)], entry["model"], "document")
            questions = each(paths.QUESTIONS, questions=[name])
            add(self._queries_of(name, retriever), questions, entry["model"], "query")
        return list(collections.values())

    # --- corpora and questions ------------------------------------------------------------------------------

    def corpus(self, wildcards: Any) -> str:
        return paths.CORPUS.format(corpus=self._corpus(wildcards))

    def whole_corpus(self, wildcards: Any) -> str:
        return paths.CORPUS.format(corpus=whole_of(wildcards.corpus))

    def training(self, pattern: str) -> Files:
        """A file of each question set that encoders were trained on, or of its corpus; each once."""
        return lambda wildcards: list(
            dict.fromkeys(
                pattern.format(questions=name, corpus=self.prepared[name]["corpus"])
                for name in self._training(wildcards)
            )
        )

    def leaks(self, wildcards: Any) -> list[str]:
        """What says which questions are known from training; nothing where no training set is named."""
        return each(
            paths.QUESTION_AUDIT, questions=[wildcards.questions] if self._training(wildcards) else []
        )

    def _training(self, wildcards: Any) -> list[str]:
        return list(self.prepared[wildcards.questions].get("training", []))

    # --- what retrievers search -----------------------------------------------------------------------------

    def terms(self, wildcards: Any) -> list[str]:
        return self._of_terms(paths.TERMS, wildcards, self._corpus(wildcards))

    def counts(self, wildcards: Any) -> list[str]:
        """The counts of terms in the whole corpus, where a shard of it is searched."""
        corpus = self._corpus(wildcards)
        return self._of_terms(paths.TERM_COUNTS, wildcards, whole_of(corpus)) if suffix_of(corpus) else []

    def terms_of_shards(self, wildcards: Any) -> list[str]:
        return each(paths.TERMS, corpus=self._shards(wildcards.corpus), analyser=[wildcards.analyser])

    def passages(self, wildcards: Any) -> list[str]:
        unit = self._unit(self._retriever(wildcards))
        return [] if unit == DOCUMENTS else [_table(self._corpus(wildcards), unit)]

    def vectors(self, **files: Files) -> dict[str, Any]:
        """Files of vectors that a search reads; their description holds the checksums of texts and vectors."""
        from snakemake.io import ancient

        named = (files or self.vector_files).items()
        return {name: one if name.endswith("_info") else ancient(one) for name, one in named}

    def index(self, pattern: str) -> Files:
        return lambda wildcards: (
            [pattern.format(corpus=self._corpus(wildcards), retriever=wildcards.retriever)]
            if "index" in self._retriever(wildcards)
            else []
        )

    def runs_of_parts(self, wildcards: Any) -> list[str]:
        names = parts_of(self._retriever(wildcards))
        return each(paths.RUN, questions=[wildcards.questions], retriever=names)

    def chosen_weights(self, wildcards: Any) -> list[str]:
        name = wildcards.retriever
        return each(paths.CHOSEN_WEIGHTS, retriever=[name] if name in self.tuned else [])

    def manifest(self, wildcards: Any) -> list[str]:
        """What was fetched of the encoder of a retriever that compares pairs itself, or whose terms are named."""
        entry = self._retriever(wildcards)
        return [paths.MANIFEST.format(model=entry["model"])] if entry["kind"] in (RERANK, SPARSE) else []

    def model_files(self, wildcards: Any) -> list[str]:
        """Of the encoders of `manifest`, see `sentflow.flow.family.weights_of`."""
        entry = self._retriever(wildcards)
        return weights_of(self.experiment, entry["model"]) if entry["kind"] in (RERANK, SPARSE) else []

    def of_cross_encoder(self, files: Files) -> Files:
        return lambda wildcards: files(wildcards) if self._retriever(wildcards)["kind"] == RERANK else []

    def run_file(self, wildcards: Any) -> list[str]:
        entry = self._retriever(wildcards)
        return [str(entry["files"][wildcards.questions])] if entry["kind"] == RUN else []

    def model_of_cut(self, wildcards: Any) -> str:
        return paths.MANIFEST.format(model=wildcards.passages.rpartition("/")[2])

    def files_of_cut(self, wildcards: Any) -> list[str]:
        return weights_of(self.experiment, wildcards.passages.rpartition("/")[2])

    # --- runs -----------------------------------------------------------------------------------------------

    def searches_of(self, wildcards: Any) -> list[str]:
        """The searches whose runs are the run of a retriever: one, or one in each shard of its corpus."""
        name: str = wildcards.retriever
        return self._shards(self._corpus(wildcards), name) if name in self.in_shards else [name]

    def runs_of_shards(self, pattern: str) -> Files:
        return lambda wildcards: each(
            pattern, questions=[wildcards.questions], retriever=self.searches_of(wildcards)
        )

    def of_searches(self, files: Files) -> Files:
        """Files of each of `searches_of`, in their order; one that several share comes once."""

        def of_all(wildcards: Any) -> list[str]:
            jobs = (
                SimpleNamespace(questions=wildcards.questions, retriever=name)
                for name in self.searches_of(wildcards)
            )
            return list(dict.fromkeys(file for job in jobs for file in files(job)))

        return of_all

    def by_questions(self, pattern: str) -> list[str]:
        """A pattern for each selected retriever, with the question set as its wildcard."""
        return each(pattern, questions=["{questions}"], retriever=self.shown)

    def of_shown(self, pattern: str) -> Files:
        return lambda wildcards: each(pattern, questions=[wildcards.questions], retriever=self.shown)

    def question_embeddings(self, pattern: str) -> list[str]:
        """A file of the vectors of questions by each encoder of retrievers."""
        pairs = dict.fromkeys(
            (self._queries_of(questions, retriever), self.retrievers[retriever]["model"])
            for questions in self.judged_sets
            for retriever in self.needed[questions]
            if retriever in self.by_vectors
        )
        return [pattern.format(collection=collection, model=model) for collection, model in pairs]

    # --- what is chosen on training questions ---------------------------------------------------------------

    def tuning(self, pattern: str) -> Files:
        return lambda wildcards: each(
            pattern, questions=self.tuned[wildcards.retriever], retriever=[wildcards.retriever]
        )

    def decision_training(self, pattern: str) -> Files:
        return lambda wildcards: [
            pattern.format(
                questions=name, retriever=wildcards.retriever, corpus=self.searched[name]["corpus"]
            )
            for name in self.decisions[wildcards.decision].get("tuned_on", [])
        ]

    def of_systems(self, pattern: str, questions: str) -> list[str]:
        names = [
            {"retriever": retriever, "decision": decision, "questions": questions}
            for retriever, decision in self.systems
        ]
        return [pattern.format_map(one) for one in names]

    def decided_on(self, wildcards: Any) -> list[str]:
        return self.of_systems(paths.DECIDED, wildcards.questions)

    # --- helpers --------------------------------------------------------------------------------------------

    def _of_terms(self, pattern: str, wildcards: Any, corpus: str) -> list[str]:
        entry = self._retriever(wildcards)
        if not counts_terms(entry):
            return []
        return [pattern.format(corpus=corpus, analyser=self.analyser_of(entry, corpus))]

    def _vectors(
        self, collection: Callable[[Any], str], patterns: Sequence[str], wildcards: Any
    ) -> list[str]:
        entry = self._retriever(wildcards)
        if entry["kind"] not in BY_VECTORS:
            return []
        patterns = patterns or (paths.TEXTS, _VECTORS[entry["kind"]], paths.EMBEDDINGS_TOKENS)
        name = collection(wildcards)
        return [pattern.format(collection=name, model=entry["model"]) for pattern in patterns]

    def _parts(self, corpus: str, model: str) -> list[str]:
        """What an encoder reads of a corpus: its shards; and the whole, where an index of all its vectors is built."""
        is_indexed = any(entry["model"] == model for entry in self.indexed.values())
        return list(dict.fromkeys([*self._shards(corpus), *([corpus] if is_indexed else [])]))

    def _asked_by(self, model: str, corpus: str) -> list[str]:
        """The question sets on a corpus that a retriever of an encoder searches, but for those that are mined."""
        own = [name for name, entry in self.by_vectors.items() if entry["model"] == model]
        return [
            name
            for name, needed in self.needed.items()
            if self.searched[name]["corpus"] == corpus
            and any(retriever in own and not self._mines(name, retriever) for retriever in needed)
        ]

    def _units_of(self, model: str) -> list[str]:
        return sorted({self._unit(one) for one in self.by_vectors.values() if one["model"] == model})

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

    def _documents(self, wildcards: Any) -> str:
        corpus, entry = self._corpus(wildcards), self._retriever(wildcards)
        questions = getattr(wildcards, "questions", "")
        if questions and self._mines(questions, whole_of(wildcards.retriever)):
            return f"{corpus}/{self._unit(entry)}{_MINED}"
        return self._documents_of(corpus, entry["model"])

    def _queries(self, wildcards: Any) -> str:
        return self._queries_of(wildcards.questions, whole_of(wildcards.retriever))

    def _queries_of(self, questions: str, retriever: str) -> str:
        own = f"/{questions}{_MINED}" if self._mines(questions, retriever) else ""
        return f"{self.searched[questions]['corpus']}/{QUESTIONS}{own}"


def _table(corpus: str, unit: str) -> str:
    """What stands for the documents of a corpus or shard."""
    pattern = paths.CORPUS if unit == DOCUMENTS else paths.PASSAGES
    return pattern.format(corpus=corpus, passages=unit)


def _corpora_of(question_sets: Entries, corpora: Entries) -> Entries:
    names = dict.fromkeys(entry["corpus"] for entry in question_sets.values())
    return {name: corpora[name] for name in names}
