"""What decides the jobs of retrieval: settings and versions."""

from typing import Any

from sentflow.families.retrieval.config import RANDOM, all_retrievers
from sentflow.graph.config.experiment import Experiment
from sentflow.graph.config.family import Entries, Entry
from sentflow.graph.family import Family
from sentflow.graph.job_settings import json_text, pick, pick_known
from sentflow.graph.provenance import versions
from sentflow.texts.corpus_files import raw_files_of
from sentflow.texts.shards import shards_of, suffix_of, whole_of

_CORPUS_KEYS = ("documents", "data_version", "language", "ids", "empty")
_QUESTION_KEYS = (
    "corpus", "questions", "judgements", "data_version", "language", "relevant_grade", "ids", "grades", "unknown",
)  # fmt: skip
_CHECK_KEYS = ("rows", "judged")
_TITLE_KEYS = ("title", "corpus", "data_version", "language", "relevant_grade")


class RetrievalSettings(Family):
    """The question sets and retrievers of an experiment, and the settings of their jobs; a part of the family."""

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        self.question_sets: Entries = experiment.selected["question_sets"]
        entries = experiment.entries
        names = list(dict.fromkeys(entry["corpus"] for entry in self.question_sets.values()))
        self.corpora: Entries = {name: entries["corpora"][name] for name in names}
        asked = list(experiment.selected["retrievers"]) if self.question_sets else []
        # those that are fused are searched, too, but only what was selected is shown
        self.retrievers: Entries = {
            name: entries["retrievers"][name] for name in all_retrievers(asked, entries["retrievers"])
        }
        self.shown = asked

    # --- settings -------------------------------------------------------------------------------------------

    def corpus_settings(self, wildcards: Any) -> str:
        """What decides the documents of a corpus."""
        return json_text(pick_known(self.corpora[wildcards.corpus], *_CORPUS_KEYS))

    def question_settings(self, wildcards: Any) -> str:
        """What decides the questions of a set and their judgements."""
        return json_text(pick_known(self.question_sets[wildcards.questions], *_QUESTION_KEYS))

    def corpus_checks(self, wildcards: Any) -> str:
        """How many documents there must be, and the checksums of raw files: checked, but they change no byte."""
        return self._checks(self.corpora[wildcards.corpus])

    def question_checks(self, wildcards: Any) -> str:
        """The same of questions and judgements."""
        return self._checks(self.question_sets[wildcards.questions])

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

    def bm25_versions(self, wildcards: Any) -> str:
        """The same for a lexical retriever, whose questions are cut in its own job."""
        analyser = self._analyser(self._retriever(wildcards)["analyser"])
        return versions("bm25s", "numpy", *_analyser_libraries(analyser))

    def search_settings(self, wildcards: Any) -> str:
        """What decides a run beside corpus, questions, vectors and other runs."""
        entry = self._retriever(wildcards)
        found = pick(self.experiment.config["retrieval"], "depth") | {"retriever": wildcards.retriever}
        match entry["kind"]:
            case "bm25":
                found |= pick_known(entry, "variant", "k1", "b", "delta")
                found["analyser"] = self._analyser(entry["analyser"])
            case "dense":
                found["similarity"] = entry.get("similarity", "cosine")
            case "fusion":
                found |= pick_known(entry, "rule", "normalise", "k")
                found["weights"] = entry.get("weights", [1] * len(entry["of"]))
            case "random":
                found["seed"] = self.experiment.config["retrieval"]["seed"]
        return json_text(found)

    def evaluate_settings(self, _wildcards: Any) -> str:
        """Measures, and how intervals are drawn."""
        return json_text(pick(self.experiment.config["retrieval"], "measures") | self._resampling())

    def comparison_settings(self, _wildcards: Any) -> str:
        """The order, for Snakemake sees sets of inputs, and how retrievers are compared."""
        statistics = self.experiment.config["statistics"]
        return json_text(
            {
                "order": [list(self.question_sets), self.shown],
                "controls": list(self._of_kind(RANDOM)),
                "measure": self.experiment.config["retrieval"]["main"],
                "alpha": statistics["alpha"],
                "margin": statistics["rope"],
                **self._resampling(),
            }
        )

    def summarise_settings(self, _wildcards: Any) -> str:
        """Titles of everything, and the order."""
        corpora = {name: pick(entry, "title") for name, entry in self.corpora.items()}
        models = self.experiment.models
        return json_text(
            {
                "question_sets": {
                    name: pick_known(entry, *_TITLE_KEYS) for name, entry in self.question_sets.items()
                },
                "corpora": corpora,
                "retrievers": {
                    name: {
                        "title": entry.get("title", name),
                        "control": entry["kind"] == RANDOM,
                        "model": entry.get("model", ""),
                        "model_title": models[entry["model"]].get("title", entry["model"])
                        if "model" in entry
                        else "",
                    }
                    for name, entry in self.retrievers.items()
                },
                "order": [list(self.question_sets), self.shown],
                **pick(self.experiment.config["retrieval"], "measures", "main"),
            }
        )

    # --- helpers ----------------------------------------------------------------------------------------

    def _of_kind(self, kind: str) -> Entries:
        return {name: entry for name, entry in self.retrievers.items() if entry["kind"] == kind}

    def _retriever(self, wildcards: Any) -> Entry:
        return self.retrievers[whole_of(wildcards.retriever)]

    def _corpus(self, wildcards: Any) -> str:
        """What a job searches: the corpus of its questions, or the shard that its retriever names."""
        shard = suffix_of(getattr(wildcards, "retriever", ""))
        return f"{self.question_sets[wildcards.questions]['corpus']}{shard}"

    def _shards(self, corpus: str, name: str = "") -> list[str]:
        """The shards of a corpus; with the name of a retriever, the searches in them."""
        return shards_of(name or corpus, self.corpora[corpus].get("shards", 1))

    def _is_sharded(self, corpus: str) -> bool:
        return len(self._shards(corpus)) > 1

    def _entry(self, section: str, name: str) -> Entry:
        return self.experiment.entries[section][name]

    def _analyser(self, name: str) -> Entry:
        return pick_known(self._entry("analysers", name), "units", "lower", "stop_words", "stemmer")

    def _resampling(self) -> dict[str, Any]:
        statistics = self.experiment.config["statistics"]
        seed = self.experiment.config["retrieval"]["seed"]
        return {"level": statistics["level"], "n_resamples": statistics["n_resamples"], "seed": seed}

    def _checks(self, entry: Entry) -> str:
        files = self.experiment.entries["datasets"][entry["dataset"]]["files"]
        known = {name: files[name] for name in raw_files_of(entry) if "generator" not in files[name]}
        return json_text({**pick_known(entry, *_CHECK_KEYS), **({"files": known} if known else {})})


def _analyser_libraries(analyser: Entry) -> list[str]:
    segments, stems = analyser["units"] == "vietnamese-words", analyser.get("stemmer", "none") != "none"
    return [*(["underthesea"] if segments else []), *(["PyStemmer"] if stems else [])]
