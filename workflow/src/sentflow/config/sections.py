"""The sections of catalog and configuration that hold entries by name."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from sentflow.config.collections import Analyser, Corpus, Cut, Decision, QuestionSet
from sentflow.config.configuration import Configuration
from sentflow.config.datasets import Dataset
from sentflow.config.entries import Entry, derived, derived_protocol
from sentflow.config.model import LowerName, Name
from sentflow.config.pairs import Alignment, PairSet, Regression
from sentflow.config.tasks import Protocol, Task
from sentflow.config.trainings import Preset, Sweep, TrainingData
from sentflow.encoders.settings import Model, ModelName
from sentflow.retrieval.settings import Retriever


@dataclass(frozen=True)
class Section:
    """Entries by name: a key of a configuration, merged over ``catalog/{name}.yaml``."""

    # name, noun: the key, and one entry in messages; model, key: what an entry and the name of one may be
    name: str
    noun: str
    model: Any
    key: Any = Name
    # named_in: places of a configuration (``section.key``) that hold a name, or a list of names, of what is run
    named_in: tuple[str, ...] = ()
    # derive: makes an entry with ``like`` of the entry that it names and what it says itself; None if there is no like
    derive: Callable[[Any, Entry], Entry] | None = None

    def names(self, config: Configuration) -> list[tuple[str, str]]:
        """Place and name of every entry that a valid configuration selects."""
        found = []
        for place in self.named_in:
            section, key = place.split(".")
            value = getattr(getattr(config, section), key)
            found += [(place, name) for name in ([value] if isinstance(value, str) else value)]
        return found


SWEEPS = "select.sweeps"
SECTIONS = (
    Section("models", "model", Model, ModelName, ("select.models", SWEEPS)),
    Section("datasets", "dataset", Dataset, LowerName),
    Section("tasks", "task", Task, Name, ("select.tasks",), derived),
    Section("protocols", "protocol", Protocol, Name, ("probe.protocol", "study.protocols"), derived_protocol),
    Section("pair_sets", "pair set", PairSet, Name, ("select.pair_sets",), derived),
    Section("regressions", "regression", Regression, Name, ("select.regressions",)),
    Section("alignments", "alignment", Alignment, Name, ("select.alignments",)),
    Section("question_sets", "question set", QuestionSet, LowerName, ("select.question_sets",), derived),
    Section("corpora", "corpus", Corpus, LowerName, (), derived),
    Section("retrievers", "retriever", Retriever, Name, ("select.retrievers",)),
    Section("decisions", "decision", Decision, Name, ("select.decisions",)),
    Section("analysers", "analyser", Analyser),
    Section("passages", "way to cut passages", Cut, LowerName),
    Section("training_data", "training data", TrainingData, LowerName, (), derived),
    Section("presets", "preset", Preset, LowerName),
    Section("sweeps", "sweep", Sweep, LowerName, (SWEEPS,)),
)
# Sections of `select` of which something is measured where nothing else is selected
MEASURED = ("tasks", "pair_sets", "regressions", "alignments", "question_sets")
