"""What is searched, and by what: the entries that an experiment needs, and what follows from them."""

from collections.abc import Iterable, Sequence
from typing import Any

from sentflow.config.entries import Entries, Entry
from sentflow.config.experiment import Experiment
from sentflow.config.retrievers import (
    BM25,
    BY_VECTORS,
    DOCUMENTS,
    FUSION,
    OTHER,
    SPARSE,
    all_retrievers,
    decided_by,
    further_encoders,
    models_of,
    parts_of,
    tuned_on,
)
from sentflow.config.seeds import seed_in
from sentflow.config.trained import selected_data
from sentflow.flow.family import Family
from sentflow.texts.shards import shards_of, suffix_of, whole_of
from sentflow.training.data.entries import corpora_of, held_out_sets, question_sets_of, searchers_of

_LAWS = "laws"  # format of documents that are articles of laws


class Selection(Family):
    """The question sets and retrievers of an experiment; a part of the family."""

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
        """The retrievers of some kinds."""
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
        """The shards of a corpus; with the name of a retriever, the searches in them."""
        return shards_of(name or corpus, self.prepared_corpora[corpus].get("shards", 1))

    def shards(self) -> list[str]:
        """The shards of all corpora."""
        return [shard for name in self.corpora for shard in self._shards(name) if shard != name]

    def sharded_sets(self) -> list[str]:
        """The question sets whose corpus is searched shard by shard."""
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


def _corpora_of(question_sets: Entries, corpora: Entries) -> Entries:
    names = dict.fromkeys(entry["corpus"] for entry in question_sets.values())
    return {name: corpora[name] for name in names}
