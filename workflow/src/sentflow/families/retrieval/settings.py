"""What decides the jobs of retrieval: settings and versions."""

import json
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from sentflow.config.entries import Entries, Entry
from sentflow.config.experiment import Experiment
from sentflow.encoders.entries import encode_settings, kind_of, place_settings
from sentflow.families.retrieval.parts import (
    BM25,
    BY_VECTORS,
    OTHER,
    RANDOM,
    RERANKED,
    SPARSE,
    all_retrievers,
    decided_by,
    further_encoders,
    models_of,
    parts_of,
    tuned_on,
)
from sentflow.families.retrieval.stages import measures_of_stages
from sentflow.families.training.seeds import seed_in
from sentflow.families.training.settings import selected_data
from sentflow.graph.family import Family
from sentflow.graph.job_settings import json_text, pick, pick_known
from sentflow.graph.provenance import code, versions
from sentflow.retrieval.indexes.table import KINDS, IndexKind
from sentflow.retrieval.stop_words import file_settings
from sentflow.texts.corpus_files import raw_files_of
from sentflow.texts.shards import suffix_of, whole_of
from sentflow.training.data.collected import (
    corpora_of,
    held_out_sets,
    question_sets_of,
    searchers_of,
)
from sentflow.training.data.forms import MOST_RANKS

_CORPUS_KEYS = ("documents", "data_version", "language", "ids", "empty")
_QUESTION_KEYS = (
    "corpus", "questions", "judgements", "data_version", "language", "relevant_grade", "ids", "grades", "unknown",
    "unjudged", "without", "part", "same_ids",
)  # fmt: skip
_RECALLS = (10, 100)  # documents whose recall is certified, beside all that are ranked
_CHECK_KEYS = ("rows", "judged")
_LAWS = "laws"  # format of documents that are articles of laws
HARDEST_QUESTIONS = 20
_TITLE_KEYS = ("title", "corpus", "data_version", "language", "relevant_grade")


class RetrievalSettings(Family):
    """The question sets and retrievers of an experiment, and the settings of their jobs; a part of the family."""

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        self.question_sets: Entries = experiment.selected["question_sets"]
        # others are searched, but nothing can be measured on them
        self.judged_sets: Entries = {
            name: entry for name, entry in self.question_sets.items() if entry["judgements"]
        }
        entries = experiment.entries
        asked = list(experiment.selected["retrievers"]) if self.question_sets else []
        self.left_out = experiment.left_out
        # encoders that are not selected → the shown retrievers that need them
        self.brought: dict[str, list[str]] = {
            model: [name for name in asked if model in models_of([name], entries["retrievers"])]
            for model in further_encoders(entries, {key: list(of) for key, of in experiment.selected.items()})
        }
        # those that are fused are searched, too, and those that find negatives; only what was selected is shown
        of_training = selected_data(experiment)
        mining = [name for entry in of_training.values() for name in searchers_of(entry)]
        self.retrievers: Entries = {
            name: entries["retrievers"][name]
            for name in all_retrievers([*asked, *mining], entries["retrievers"])
        }
        self.shown = asked
        self.decisions: Entries = experiment.selected["decisions"] if asked else {}
        needed, mining_of = _needed_runs(
            list(self.question_sets), asked, self.decisions, of_training, entries["retrievers"]
        )
        self.needed = needed
        self.searched: Entries = {name: entries["question_sets"][name] for name in self.needed}
        self.corpora: Entries = _corpora_of(self.searched, entries["corpora"])
        # what encoders were trained on is prepared, too, but not searched for
        named = [name for entry in self.question_sets.values() for name in entry.get("training", [])]
        named += [name for entry in of_training.values() for name in question_sets_of(entry)]
        self.training_sets = list(dict.fromkeys(named))
        held_out = [name for entry in of_training.values() for name in held_out_sets(entry)]
        self.prepared: Entries = self.searched | {
            name: entries["question_sets"][name] for name in [*self.training_sets, *held_out]
        }
        read = [name for entry in of_training.values() for name in corpora_of(entry)]
        self.prepared_corpora: Entries = _corpora_of(self.prepared, entries["corpora"]) | {
            name: entries["corpora"][name] for name in read
        }
        # question sets whose runs become training data; and those of which they become nothing else
        self.mined = {
            name for entry in of_training.values() if searchers_of(entry) for name in question_sets_of(entry)
        }
        self.mined_alone = mining_of
        # what is searched by what
        self.searches = dict.fromkeys(
            (retriever, self.searched[name]["corpus"])
            for name, found in self.needed.items()
            for retriever in found
        )

    # --- settings -------------------------------------------------------------------------------------------

    def corpus_settings(self, wildcards: Any) -> str:
        """What decides the documents of a corpus."""
        return json_text(pick_known(self.prepared_corpora[wildcards.corpus], *_CORPUS_KEYS))

    def question_settings(self, wildcards: Any) -> str:
        """What decides the questions of a set and their judgements."""
        return json_text(pick_known(self.prepared[wildcards.questions], *_QUESTION_KEYS))

    def corpus_checks(self, wildcards: Any) -> str:
        """How many documents there must be, and the checksums of raw files: checked, but they change no byte."""
        return self._checks(self.prepared_corpora[wildcards.corpus])

    def question_checks(self, wildcards: Any) -> str:
        """The same of questions and judgements."""
        return self._checks(self.prepared[wildcards.questions])

    def passage_settings(self, wildcards: Any) -> str:
        """How documents are cut."""
        entry = self._entry("passages", whole_of(wildcards.passages))
        return json_text(pick_known(entry, "words", "tokens", "overlap", "title"))

    def analyser_settings(self, wildcards: Any) -> str:
        """How texts become terms."""
        return json_text(self._analyser(wildcards.analyser))

    def analyser_versions(self, wildcards: Any) -> str:
        """The versions of the libraries that can change the terms of an analyser."""
        return versions(*_analyser_libraries(self._analyser(wildcards.analyser)))

    def analyser_of(self, retriever: Entry, corpus: str) -> str:
        """Name of the analyser of a lexical retriever: its own, or the one for the language of the corpus."""
        given = retriever["analyser"]
        if isinstance(given, str):
            return given
        return str(given.get(self.corpora[whole_of(corpus)]["language"], given[OTHER]))

    def bm25_versions(self, wildcards: Any) -> str:
        """The same for a lexical retriever, whose questions are cut in its own job."""
        analyser = self._analyser(self.analyser_of(self._retriever(wildcards), self._corpus(wildcards)))
        return versions("bm25s", "numpy", *_analyser_libraries(analyser))

    def search_settings(self, wildcards: Any) -> str:
        """What decides a run beside corpus, questions, vectors and other runs."""
        entry = self._retriever(wildcards)
        found: dict[str, Any] = {"depth": self._depth(wildcards), "retriever": wildcards.retriever}
        match entry["kind"]:
            case "bm25":
                found |= pick_known(entry, "variant", "k1", "b", "delta")
                found["analyser"] = self._analyser(self.analyser_of(entry, self._corpus(wildcards)))
            case "dense" | "sparse":
                found |= _vector_settings(entry)
            case "fusion":
                found |= fusion_settings(entry)
                if not tuned_on(entry):
                    found["weights"] = entry.get("weights", [1] * len(entry["of"]))
            case "rerank":
                found["rerank_depth"] = entry.get("depth", RERANKED)
                found["encoder"] = encode_settings(self._encoder(entry))
            case "random":
                found["seed"] = entry.get("seed", self.experiment.config.retrieval.seed)
        return json_text(found)

    def index_settings(self, wildcards: Any) -> str:
        """What decides an index beside the vectors."""
        return json_text(_vector_settings(self._retriever(wildcards)))

    def certify_settings(self, wildcards: Any) -> str:
        """What decides a certificate beside vectors, index and questions."""
        config = self.experiment.config
        statistics = config.statistics
        found: dict[str, Any] = pick(config.retrieval, "depth") | {"retriever": wildcards.retriever}
        found["certificate"] = {
            "measure": config.retrieval.main,
            "margin": statistics.rope,
            "level": statistics.level,
            "cutoffs": [*_RECALLS, config.retrieval.depth],
        }
        return json_text(found | _vector_settings(self._retriever(wildcards)))

    def index_code(self, command: str) -> Callable[[Any], str]:
        """Function of a job: digest of the command and of the module of its kind of index."""
        return lambda wildcards: code(command, self._index_kind(wildcards).module)

    def index_versions(self, *libraries: str) -> Callable[[Any], str]:
        """Function of a job: versions of these libraries, and of those of its kind of index."""
        return lambda wildcards: versions(*{*libraries, *self._index_kind(wildcards).libraries})

    def summarise_indexes_settings(self, _wildcards: Any) -> str:
        """Titles, and the order."""
        titles = {name: title_of(name, entry) for name, entry in self.retrievers.items()}
        sets = {name: entry["title"] for name, entry in self.judged_sets.items()}
        return json_text({"questions": sets, "retrievers": {name: titles[name] for name in self._indexed()}})

    def reranking_code(self, wildcards: Any) -> str:
        """Digest of the command and of the module of the encoder's kind."""
        return code("rerank", kind_of(self._encoder(self._retriever(wildcards))).module)

    def reranking_versions(self, wildcards: Any) -> str:
        """Versions of the libraries that can change a score."""
        return versions(*kind_of(self._encoder(self._retriever(wildcards))).libraries)

    def reranking_device(self, wildcards: Any) -> str:
        """Where pairs are compared. Not a setting of science: changing it runs nothing again."""
        return json_text(place_settings(self._encoder(self._retriever(wildcards))).get("device"))

    def reranking_threads(self, wildcards: Any) -> int:
        """Threads that the encoder's kind has use for; no number depends on them."""
        return kind_of(self._encoder(self._retriever(wildcards))).threads

    def evaluate_settings(self, wildcards: Any) -> str:
        """Measures, how intervals are drawn, and which questions belong together."""
        measures = pick(self.experiment.config.retrieval, "measures")
        clusters = pick_known(self.question_sets[wildcards.questions], "cluster", "cluster_pattern")
        return json_text(measures | self._resampling() | clusters)

    def comparison_settings(self, _wildcards: Any) -> str:
        """The order, for Snakemake sees sets of inputs, and how retrievers are compared."""
        statistics = self.experiment.config.statistics
        return json_text(
            {
                "order": [list(self.judged_sets), self.shown],
                "families": self.seed_families(),
                **pick(self.experiment.config.retrieval, "main", "measures"),
                "alpha": statistics.alpha,
                "margin": statistics.rope,
                **self._resampling(),
            }
        )

    def seed_families(self) -> dict[str, dict[str, str]]:
        """Name → seed → the shown retriever; those of a family differ in their seed alone."""
        found: dict[str, dict[str, str]] = {}
        for name in self.shown:
            if "seed_of" in self.retrievers[name]:
                family = self.retrievers[name]["seed_of"]
                found.setdefault(family, {})[seed_in(name, family)] = name
        return found

    def hardest_settings(self, _wildcards: Any) -> str:
        """Who counts, whose runs are shown, by which measure, and how many questions are kept."""
        retrieval = self.experiment.config.retrieval
        controls = self._of_kind(RANDOM)
        return json_text(
            {
                "order": self.shown,
                "serious": [name for name in self.shown if name not in controls],
                "pair": retrieval.pair or [],
                "measure": retrieval.main,
                "limit": HARDEST_QUESTIONS,
            }
        )

    def summarise_settings(self, _wildcards: Any) -> str:
        """Titles of everything, and the order."""
        corpora = {name: pick(entry, "title") for name, entry in self.corpora.items()}
        models = self.experiment.fetched_models
        return json_text(
            {
                "question_sets": {
                    name: pick_known(entry, *_TITLE_KEYS) for name, entry in self.judged_sets.items()
                },
                "corpora": corpora,
                "retrievers": {
                    name: {
                        "title": title_of(name, entry),
                        "control": entry["kind"] == RANDOM,
                        "position": self._position(name),
                        # of vectors: a reranker's own model measures nothing beside it
                        "model": entry["model"] if entry["kind"] in BY_VECTORS else "",
                        "model_title": models[entry["model"]].get("title", entry["model"])
                        if entry["kind"] in BY_VECTORS
                        else "",
                    }
                    for name, entry in self.retrievers.items()
                },
                "order": [list(self.judged_sets), self.shown],
                **pick(self.experiment.config.retrieval, "measures", "main"),
            }
        )

    def question_summary_settings(self, wildcards: Any) -> str:
        """The same, and how bands of recall are drawn and which retriever the others are compared with."""
        depth = self.experiment.config.retrieval.depth
        told = json.loads(self.summarise_settings(wildcards))
        return json_text({**told, "reference": self._reference(), "depth": depth, **self._resampling()})

    def has_stages(self) -> bool:
        """Whether the configuration names the stages of a chain."""
        return self.experiment.config.retrieval.stages is not None

    def stage_settings(self, _wildcards: Any) -> str:
        """The stages of the chain, what they are shown by, and which retrievers stand behind a name."""
        retrieval = self.experiment.config.retrieval
        stages = retrieval.model_dump()["stages"]
        return json_text(
            {
                "stages": stages["of"],
                "series": stages["series"],
                "measures": measures_of_stages(retrieval),
                "families": self.seed_families(),
                "reference": self._reference(),
            }
        )

    def cost_settings(self, _wildcards: Any) -> str:
        """Which retrievers and encoders each shown retriever is made of."""
        return json_text(
            {
                "parts": {name: all_retrievers([name], self.retrievers) for name in self.shown},
                "encoders": {name: entry["model"] for name, entry in self._by_vectors().items()},
            }
        )

    # --- helpers ----------------------------------------------------------------------------------------

    def _position(self, name: str) -> int:
        """Place among the shown retrievers, or among their controls; of those that are only fused behind them."""
        alike = [
            one
            for one in dict.fromkeys([*self.shown, *self.retrievers])
            if (self.retrievers[one]["kind"] == RANDOM) == (self.retrievers[name]["kind"] == RANDOM)
        ]
        return alike.index(name)

    def _reference(self) -> str:
        """What the others are compared with: the first BM25 where the configuration says nothing."""
        lexical = [name for name in self.shown if self.retrievers[name]["kind"] == BM25]
        first = next(iter([*lexical, *self.shown]), "")
        return str(self.experiment.config.retrieval.reference or first)

    def _encoder(self, retriever: Entry) -> Entry:
        return self.experiment.fetched_models[retriever["model"]]

    def _of_kind(self, kind: str) -> Entries:
        return {name: entry for name, entry in self.retrievers.items() if entry["kind"] == kind}

    def _by_vectors(self) -> Entries:
        return {name: entry for name, entry in self.retrievers.items() if entry["kind"] in BY_VECTORS}

    def _indexed(self) -> Entries:
        return {name: entry for name, entry in self._by_vectors().items() if "index" in entry}

    def _index_kind(self, wildcards: Any) -> IndexKind:
        return KINDS[self._retriever(wildcards)["index"]["kind"]]

    def _retriever(self, wildcards: Any) -> Entry:
        return self.retrievers[whole_of(wildcards.retriever)]

    def _corpus(self, wildcards: Any) -> str:
        """What a job searches: the corpus of its questions, or the shard that its retriever names."""
        if hasattr(wildcards, "corpus"):
            return str(wildcards.corpus)
        shard = suffix_of(getattr(wildcards, "retriever", ""))
        return f"{self.prepared[wildcards.questions]['corpus']}{shard}"

    def holds_laws(self, corpus: str) -> bool:
        """Whether documents of a corpus are articles of laws, as in the Zalo challenge."""
        return any(source["format"] == _LAWS for source in self.prepared_corpora[corpus]["documents"])

    def _depth(self, wildcards: Any) -> int:
        """Documents that are ranked; of runs that become training data alone, so many that no edit trains again."""
        mined = wildcards.questions in self.mined_alone
        return MOST_RANKS if mined else int(self.experiment.config.retrieval.depth)

    def _training(self, wildcards: Any) -> list[str]:
        return list(self.prepared[wildcards.questions].get("training", []))

    def _entry(self, section: str, name: str) -> Entry:
        return self.experiment.entries[section][name]

    def _analyser(self, name: str) -> Entry:
        entry = pick_known(
            self._entry("analysers", name), "units", "lower", "normalise", "stop_words", "stemmer"
        )
        if isinstance(entry.get("stop_words"), Mapping):  # an edit of the user's file is another analyser
            entry["stop_words"] = file_settings(entry["stop_words"], where=f"analysers.{name}.stop_words")
        return entry

    def _resampling(self) -> dict[str, Any]:
        statistics = self.experiment.config.statistics
        seed = self.experiment.config.retrieval.seed
        return {"level": statistics.level, "n_resamples": statistics.n_resamples, "seed": seed}

    def _checks(self, entry: Entry) -> str:
        files = self.experiment.entries["datasets"][entry["dataset"]]["files"]
        known = {name: files[name] for name in raw_files_of(entry) if "generator" not in files[name]}
        return json_text({**pick_known(entry, *_CHECK_KEYS), **({"files": known} if known else {})})


def _corpora_of(question_sets: Entries, corpora: Entries) -> Entries:
    names = dict.fromkeys(entry["corpus"] for entry in question_sets.values())
    return {name: corpora[name] for name in names}


def _analyser_libraries(analyser: Entry) -> list[str]:
    segments, stems = analyser["units"] == "vietnamese-words", analyser.get("stemmer", "none") != "none"
    return [*(["underthesea"] if segments else []), *(["PyStemmer"] if stems else [])]


def _needed_runs(
    question_sets: Sequence[str], shown: Sequence[str], decisions: Entries, data: Entries, retrievers: Entries
) -> tuple[dict[str, list[str]], set[str]]:
    """Question set → the retrievers that search it: all on those that are shown; what is tuned, or mines, on others.

    And the sets that are searched for training alone.
    """
    found = {name: dict.fromkeys(all_retrievers(shown, retrievers)) for name in question_sets}

    def train(sets: Sequence[str], names: Sequence[str]) -> None:
        for name in sets:
            found.setdefault(name, {}).update(dict.fromkeys(all_retrievers(names, retrievers)))

    mining = [(name, question_sets_of(entry)) for entry in data.values() for name in searchers_of(entry)]
    for name in all_retrievers([*shown, *(name for name, _ in mining)], retrievers):
        train(tuned_on(retrievers[name]), parts_of(retrievers[name]))
    for entry in decisions.values():
        train(entry.get("tuned_on", []), decided_by(entry, shown))
    measured = set(found)
    for name, sets in mining:
        train(sets, [name])
    return {name: list(names) for name, names in found.items()}, set(found) - measured


def fusion_settings(entry: Entry) -> dict[str, Any]:
    """How a fusion makes one run of several, but for its weights."""
    return pick_known(entry, "rule", "normalise", "k") | ({"times": True} if "times" in entry else {})


def title_of(name: str, entry: Entry) -> str:
    """What tables call a retriever; of rounded weights and of candidates in another order they say so."""
    of_terms = entry if entry["kind"] == SPARSE else {}
    rounded = f", {of_terms['impacts']}-bit impacts" if "impacts" in of_terms else ""
    second = f", {of_terms['candidates']} candidates" if "candidates" in of_terms else ""
    return f"{entry.get('title', name)}{rounded}{second}"


def _vector_settings(entry: Entry) -> dict[str, Any]:
    """How vectors are compared, or weights of terms rounded and candidates ordered; and the index of either."""
    known = pick_known(entry, "impacts", "candidates", "index")
    return known if entry["kind"] == SPARSE else {"similarity": entry.get("similarity", "cosine"), **known}
