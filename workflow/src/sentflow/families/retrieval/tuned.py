"""Files and settings of what is chosen on training questions: weights of fusions, and decisions."""

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from sentflow.config.entries import Entry
from sentflow.config.search import PARAMETERS
from sentflow.families.retrieval.parts import FUSION, RANDOM, decided_by, tuned_on
from sentflow.families.retrieval.settings import fusion_settings, title_of
from sentflow.families.retrieval.units import RetrievalUnits
from sentflow.graph import paths
from sentflow.graph.job_settings import json_text, pick, pick_known
from sentflow.retrieval.settings import TunedWeights

_FOLDS = 10


class TunedRetrieval(RetrievalUnits):
    """Fusions with tuned weights, and decisions; a part of the family."""

    # --- both ---------------------------------------------------------------------------------------------------

    def chosen(self) -> list[str]:
        """Weights, decisions, and what decisions are worth."""
        return [*self.choices(), *self.decided(), *self.decision_scores(), *self._decision_pairs()]

    def summaries_of_chosen(self) -> list[str]:
        """Summaries of decisions, tests between them, and the curves of weights."""
        decisions = [paths.SUMMARY_DECISIONS, *self._decision_pairs()] if self.decision_scores() else []
        return [*decisions, *([paths.SUMMARY_WEIGHTS] if self.weighed() else [])]

    # --- fusions with tuned weights -------------------------------------------------------------------------

    @property
    def tuned(self) -> dict[str, list[str]]:
        """Fusion → the question sets that its weights are chosen on."""
        return {name: tuned_on(entry) for name, entry in self._of_kind(FUSION).items() if tuned_on(entry)}

    def weighed(self, pattern: str = paths.WEIGHED) -> list[str]:
        """What each weight reaches: on the sets that are shown, then on the other training sets."""
        return [
            pattern.format(questions=name, retriever=retriever)
            for retriever, training in self.tuned.items()
            for name in dict.fromkeys([*self.judged_sets, *training])
            if name in training or retriever in self.needed[name]
        ]

    def choices(self, pattern: str = paths.CHOSEN_WEIGHTS) -> list[str]:
        """The weights that were chosen for each fusion."""
        return [pattern.format(retriever=name) for name in self.tuned]

    def chosen_weights(self, pattern: str) -> Callable[[Any], list[str]]:
        """Function of a job: the file of the weights of its fusion; nothing where they are given."""
        return lambda wildcards: (
            [pattern.format(retriever=wildcards.retriever)] * (wildcards.retriever in self.tuned)
        )

    def of_tuning(self, pattern: str) -> Callable[[Any], list[str]]:
        """Function of a job: a file for each question set that the weights of its fusion are chosen on."""
        return lambda wildcards: [
            pattern.format(questions=name, retriever=wildcards.retriever)
            for name in self.tuned[wildcards.retriever]
        ]

    def weigh_settings(self, wildcards: Any) -> str:
        """Which weights are tried, and by what they are measured."""
        entry, retrieval = self._retriever(wildcards), self.experiment.config.retrieval
        return json_text(
            {
                "retriever": wildcards.retriever,
                "depth": retrieval.depth,
                "measure": retrieval.main,
                "steps": TunedWeights.model_validate(entry["weights"]).steps,
                **fusion_settings(entry),
            }
        )

    def choice_settings(self, wildcards: Any) -> str:
        """How training questions are folded, and which choices count as equally good."""
        return json_text(self._tuning(self._retriever(wildcards)["weights"], self.tuned[wildcards.retriever]))

    def weights_summary_settings(self, _wildcards: Any) -> str:
        """Titles and order of everything, and how intervals are drawn."""
        return json_text(
            {
                "question_sets": self._titles(self.searched),
                "retrievers": {
                    name: {
                        "title": self._title(name),
                        "position": position,
                        "of": [self._title(part) for part in self.retrievers[name]["of"]],
                    }
                    for position, name in enumerate(self.tuned)
                },
                "order": [list(self.searched), list(self.tuned)],
                **self._resampling(),
            }
        )

    # --- decisions ------------------------------------------------------------------------------------------

    def decided(self, pattern: str = paths.DECIDED) -> list[str]:
        """What is decided: question set after question set, retriever after retriever."""
        return self._each_decision(pattern, self.question_sets)

    def decision_scores(self, pattern: str = paths.DECISIONS) -> list[str]:
        """What the decisions on each question set are worth, where there are judgements."""
        return [pattern.format(questions=name) for name in self.judged_sets] if self._systems() else []

    def decided_on(self, pattern: str) -> Callable[[Any], list[str]]:
        """Function of a job: the files of everything that is decided for a question set."""
        return lambda wildcards: self._each_decision(pattern, [wildcards.questions])

    def submissions(self) -> list[str]:
        """Files for the Zalo challenge, where documents are articles of laws."""
        sets = [name for name, entry in self.question_sets.items() if self.holds_laws(entry["corpus"])]
        return self._each_decision(paths.SUBMISSION, sets)

    def submissions_of_set(self) -> list[str]:
        """Those of the wildcard ``{questions}``, in the order of `decided_on`."""
        return self._each_decision(paths.SUBMISSION, ["{questions}"])

    def training_runs(self, pattern: str) -> Callable[[Any], list[str]]:
        """Function of a job: a file for each question set that the parameters of its decision are chosen on."""
        return lambda wildcards: [
            pattern.format(
                questions=name, retriever=wildcards.retriever, corpus=self.searched[name]["corpus"]
            )
            for name in self._decision(wildcards).get("tuned_on", [])
        ]

    def decide_settings(self, wildcards: Any) -> str:
        """Parameters, or what they are chosen from and how."""
        entry = self._decision(wildcards)
        found = {"decision": wildcards.decision, "parameters": pick_known(entry, *PARAMETERS)}
        return json_text(found | (self._tuning(entry, entry["tuned_on"]) if "tuned_on" in entry else {}))

    def decision_settings(self, _wildcards: Any) -> str:
        """How the intervals of decisions are drawn, and their order, for Snakemake sees sets of inputs."""
        systems = [list(one) for one in self._systems()]
        return json_text({"systems": systems, **self._resampling()})

    def decision_comparison_settings(self, _wildcards: Any) -> str:
        """The order of question sets and systems, and how these are compared."""
        statistics = self.experiment.config.statistics
        return json_text(
            {
                "question_sets": list(self.judged_sets),
                "systems": [list(one) for one in self._systems()],
                "alpha": statistics.alpha,
                "margin": statistics.rope,
                **self._resampling(),
            }
        )

    def decision_summary_settings(self, _wildcards: Any) -> str:
        """Titles and order of everything."""
        return json_text(
            {
                "question_sets": self._titles(self.question_sets),
                "retrievers": {name: self._title(name) for name in self.shown},
                "decisions": {name: entry.get("title", name) for name, entry in self.decisions.items()},
                "controls": list(self._of_kind(RANDOM)),
                "order": [list(self.question_sets), [list(one) for one in self._systems()]],
            }
        )

    # --- helpers --------------------------------------------------------------------------------------------

    def _decision(self, wildcards: Any) -> Entry:
        return self.decisions[wildcards.decision]

    def _decision_pairs(self) -> list[str]:
        return [paths.DECISION_PAIRS] if self.decision_scores() else []

    def _systems(self) -> list[tuple[str, str]]:
        """Retriever and decision of everything that is decided."""
        return [
            (retriever, name)
            for retriever in self.shown
            for name, entry in self.decisions.items()
            if retriever in decided_by(entry, self.shown)
        ]

    def _each_decision(self, pattern: str, question_sets: Iterable[str]) -> list[str]:
        return [
            pattern.format(questions=questions, retriever=retriever, decision=decision)
            for questions in question_sets
            for retriever, decision in self._systems()
        ]

    def _tuning(self, entry: Mapping[str, Any], training: Iterable[str]) -> dict[str, Any]:
        return {
            "folds": entry.get("folds", _FOLDS),
            "margin": self.experiment.config.statistics.rope,
            "row_ids": [name for name in training if self.searched[name].get("ids") == "rows"],
            "seed": self.experiment.config.retrieval.seed,
        }

    def _title(self, retriever: str) -> str:
        return title_of(retriever, self.retrievers[retriever])

    def _titles(self, question_sets: Mapping[str, Entry]) -> dict[str, Any]:
        return {
            name: pick(entry, "title", "data_version", "language") for name, entry in question_sets.items()
        }
