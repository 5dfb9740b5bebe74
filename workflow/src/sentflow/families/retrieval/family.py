"""Retrieval: questions are searched in a corpus, and what was found is compared with judgements."""

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from typing import Any

from pydantic import TypeAdapter

from sentflow.config.collections import Analyser, CorpusSettings, Cut, Decision, QuestionSettings, StopList
from sentflow.config.entries import Entries, Entry, read_yaml
from sentflow.config.experiment import Experiment
from sentflow.config.model import Settings
from sentflow.config.retrievers import (
    BM25,
    BY_VECTORS,
    EXPLAINED,
    RANDOM,
    RERANK,
    SPARSE,
    all_retrievers,
    counts_terms,
)
from sentflow.encoders.entries import encode_settings, kind_of
from sentflow.families.retrieval.exports import RetrievalExports
from sentflow.families.retrieval.selection import Selection
from sentflow.files.archives.limits import is_archive_name
from sentflow.flow import paths
from sentflow.flow.family import FromFiles, each, json_text, one_of, pick, raw_files
from sentflow.flow.provenance import code, versions
from sentflow.flow.rules import asks
from sentflow.report.settings import (
    CostSummary,
    DecisionSummary,
    FusionTitle,
    IndexSummary,
    QuestionSetTitle,
    RetrievalSummary,
    RetrieverTitle,
    StageSummary,
    WeightSummary,
)
from sentflow.retrieval.analysers import with_checksum
from sentflow.retrieval.settings import (
    CertifySettings,
    ComparisonSettings,
    DecideSettings,
    DecisionSettings,
    EvaluateSettings,
    Fusion,
    HardestSettings,
    RandomOrder,
    RetrievalComparisonSettings,
    Retriever,
    RetrieverSettings,
    RunFile,
    SearchSettings,
    TunedWeights,
    TuningSettings,
    WeighSettings,
)
from sentflow.texts.raw_files import READ_IN_PARTS
from sentflow.texts.settings import CollectionChecks
from sentflow.texts.shards import SUFFIX_PATTERN, whole_of
from sentflow.training.data.forms import MOST_RANKS

_COMPARED = (
    paths.RETRIEVAL_PAIRS,
    paths.RETRIEVAL_DOCUMENT_PAIRS,
    paths.RETRIEVAL_GROUP_PAIRS,
    paths.RETRIEVAL_CLUSTERS,
    paths.RETRIEVAL_GROUPS,
    paths.RETRIEVAL_SEEDS,
)
_ORIGINS = {
    "own": "",
    "re-implemented": "A re-implementation by the source.",
    "quoted": "Copied by the source from another one.",
}
_DIGITS = 6  # more than any source prints: 70.6 / 100 is not exactly 0.706
_RECALLS = (10, 100)  # documents whose recall is certified, beside all that are ranked
_HARDEST_QUESTIONS = 20
_RETRIEVER: TypeAdapter[Retriever] = TypeAdapter(Retriever)


class Retrieval(Selection):
    """Question sets, each over a corpus, and retrievers: lexical, dense, sparse, fused, of other engines, random."""

    name = "retrieval"

    def __init__(self, experiment: Experiment) -> None:
        super().__init__(experiment)
        self.exported = RetrievalExports(self)
        # Name of a field of settings → what the configuration says of it
        retrieval, statistics = experiment.config.retrieval, experiment.config.statistics
        self._values = {
            **pick(retrieval, "seed", "depth", "main", "measures"),
            **pick(statistics, "level", "n_resamples", "alpha"),
            "measure": retrieval.main,
            "margin": statistics.rope,
        }
        datasets = experiment.entries["datasets"]
        self.corpus_files, self.question_files = (
            FromFiles(section, wildcard, entries, datasets, (model, CollectionChecks))
            for section, wildcard, entries, model in (
                ("corpora", "corpus", self.prepared_corpora, CorpusSettings),
                ("question_sets", "questions", self.prepared, QuestionSettings),
            )
        )
        used = [*self.prepared_corpora.values(), *self.prepared.values()]
        self.raw_files = [file for entry in used for file in raw_files(entry)]
        self.collections = self.embedded()
        self.data = {
            paths.digest(paths.CORPUS).format(corpus=name): [f"corpus {name}", entry["dataset"]]
            for name, entry in self.corpora.items()
        } | {
            paths.digest(paths.QUESTIONS).format(questions=name): [f"question set {name}", entry["dataset"]]
            for name, entry in self.searched.items()
        }
        self._set_results()
        self.selection = {"question_sets": list(self.judged_sets), "retrievers": list(self.shown)}
        lexical = filter(counts_terms, self.retrievers.values())
        analysers = {self.analyser_of(entry, corpus) for entry in lexical for corpus in self.corpora}
        self.constraints = {
            "corpus": f"(?:{one_of(self.prepared_corpora)}){SUFFIX_PATTERN}",
            "questions": one_of(self.prepared),
            "retriever": f"(?:{one_of(self.retrievers)}){SUFFIX_PATTERN}",
            "decision": one_of(self.decisions),
            "analyser": one_of(analysers),
            "passages": one_of(self.cuts()),
        }

    def _set_results(self) -> None:
        judged, shown = self.judged_sets, self.shown
        # one JSON per question set and selected retriever, question set after question set; the values per question
        self.scores, self.rows = (
            each(pattern, questions=judged, retriever=shown)
            for pattern in (paths.RETRIEVAL, paths.RETRIEVAL_ROWS)
        )
        # what each approximate index costs and saves; the weights that were chosen for each fusion
        self.certificates = each(paths.CERTIFICATE, questions=judged, retriever=self.indexed)
        self.choices = each(paths.CHOSEN_WEIGHTS, retriever=self.tuned)
        self.weighed = [
            paths.WEIGHED.format(questions=name, retriever=retriever)
            for retriever, training in self.tuned.items()
            for name in dict.fromkeys([*judged, *training])
            if name in training or retriever in self.needed[name]
        ]
        decision_scores = self.decision_scores()
        decision_pairs = [paths.DECISION_PAIRS] if decision_scores else []
        self.audits = each(paths.QUESTION_AUDIT, questions=self.question_sets)
        unjudged = [name for name in self.question_sets if name not in judged]
        self.results = [
            *(*self.scores, *(_COMPARED if self.scores else ()), *self.certificates, *self.audits),
            *(*each(paths.RUN, questions=unjudged, retriever=shown), *self.choices),
            *(file for name in self.question_sets for file in self.of_systems(paths.DECIDED, name)),
            *(*decision_scores, *decision_pairs),
        ]
        has_stages = self.experiment.config.retrieval.stages is not None
        measured = [
            *(paths.SUMMARY_RETRIEVAL, *_COMPARED, paths.RECALL),
            *(paths.QUESTION_DIFFERENCES, paths.RETRIEVAL_COSTS),
            *([paths.SUMMARY_STAGES] if has_stages else []),
            *([paths.SUMMARY_INDEXES] if self.certificates else []),
        ]
        decisions = [paths.SUMMARY_DECISIONS, *decision_pairs] if decision_scores else []
        self.summaries = [
            *(measured if self.scores else []),
            *decisions,
            *([paths.SUMMARY_WEIGHTS] if self.weighed else []),
        ]
        self.summary_of_scores = self.summaries[:1]
        # questions worth reading, of each set, and the terms by which their documents are found
        explained = [name for name in shown if self.retrievers[name]["kind"] in EXPLAINED]
        terms = each(paths.SHARED_TERMS, questions=judged, retriever=explained)
        self.excerpts = [*each(paths.HARD_QUESTIONS, questions=judged if self.scores else []), *terms]
        laws = [name for name, entry in self.question_sets.items() if self.holds_laws(entry["corpus"])]
        submissions = [file for name in laws for file in self.of_systems(paths.SUBMISSION, name)]
        self.exports = [*self.exported.files(), *submissions]
        grouped = any("group" in source for entry in judged.values() for source in entry["questions"])
        clustered = any("cluster" in entry for entry in judged.values())
        seeded = any(len(members) > 1 for members in self.seed_families().values())
        there = bool(self.scores)
        self.available = {
            "retrieval": there,
            "retrieval-clusters": there and clustered,
            "retrieval-groups": there and grouped,
            "retrieval-seeds": there and seeded,
            "retrieval-terms": bool(terms),
            "retrieval-stages": there and has_stages,
            "retrieval-indexes": bool(self.certificates),
            "retrieval-published": bool(self.published),
            "decisions": bool(decision_scores),
            "tuned fusions": bool(self.weighed),
        }

    @cached_property
    def published(self) -> Mapping[str, Any]:
        """What the entries of question sets say, then the columns of published tables that are of the same sets.

        Each is the fields of `sentflow.config.collections.Published`, with the name of the set as ``questions``.
        """
        if not self.scores:
            return {}
        tables = read_yaml(self.experiment.workflow / "catalog" / "published_retrieval.yaml").values()
        values = [
            {"questions": name, **value}
            for name, entry in self.judged_sets.items()
            for value in [
                *entry.get("published", []),
                *(value for table in tables for value in _published_values(table, name)),
            ]
        ]
        return {"retrieval-published": values} if values else {}

    @cached_property
    def report_facts(self) -> Mapping[str, Any]:
        if not self.scores:
            return {}
        return {
            "question_sets": self.judged_sets,
            "corpora": self.corpora,
            "retrievers": self.retrievers,
            "retrievers_left_out": self.left_out,
        }

    # --- for the rules --------------------------------------------------------------------------------------

    def run_costs(self) -> list[str]:
        return [
            file
            for name in self.judged_sets
            for file in each(paths.RUN_MADE, questions=[name], retriever=self.needed[name])
        ]

    def decision_scores(self, pattern: str = paths.DECISIONS) -> list[str]:
        """What the decisions on each question set are worth, where there are judgements."""
        return each(pattern, questions=self.judged_sets if self.systems else [])

    def submissions_of_set(self) -> list[str]:
        """Files for the Zalo challenge of the wildcard ``{questions}``, in the order of `decided_on`."""
        return self.of_systems(paths.SUBMISSION, "{questions}")

    # --- corpora and questions ------------------------------------------------------------------------------

    def per_raw_file(self, wildcards: Any) -> float:
        """MB of memory for each MB of the raw files of a corpus; few if a part of them at a time is read."""
        sources = self.prepared_corpora[wildcards.corpus]["documents"]
        packed = any(is_archive_name(file) for source in sources for file in source["files"])
        return 12 if packed or not {source["format"] for source in sources} <= READ_IN_PARTS else 3

    def passage_settings(self, wildcards: Any) -> str:
        return Cut.model_validate(self._entry("passages", wildcards.passages.partition("/")[0])).as_json()

    def analyser_settings(self, wildcards: Any) -> str:
        return self._analyser(wildcards.analyser).as_json()

    def analyser_versions(self, wildcards: Any) -> str:
        return versions(*_libraries(self._analyser(wildcards.analyser)))

    # --- searches -------------------------------------------------------------------------------------------

    def search_settings(self, wildcards: Any) -> str:
        return self._search(wildcards).as_json()

    def search_code(self, wildcards: Any) -> str:
        return code("search", *self._modules(wildcards))

    def search_versions(self, wildcards: Any) -> str:
        search = self._search(wildcards)
        if search.index:
            return versions(*search.index.libraries)
        if search.by.kind == RERANK:
            return versions(*kind_of(self._encoder(self._retriever(wildcards))).distributions)
        return versions(*search.by.libraries, *(_libraries(search.analyser) if search.analyser else ()))

    def search_requests(self) -> dict[str, Any]:
        def of_kind(wildcards: Any) -> tuple[str, int, float]:
            search = self._search(wildcards)
            return (search.index or search.by).asks

        return asks(
            lambda wildcards: of_kind(wildcards)[0],
            lambda wildcards: of_kind(wildcards)[1],
            per_input=lambda wildcards: of_kind(wildcards)[2],
        )

    def search_device(self, wildcards: Any) -> str:
        """Where pairs are compared. Not a setting of science: changing it runs nothing again."""
        entry = self._retriever(wildcards)
        return json_text(self._encoder(entry).get("device") if entry["kind"] == RERANK else None)

    def search_threads(self, wildcards: Any) -> int:
        """Threads that the kind of a cross-encoder has use for; no number depends on them."""
        entry = self._retriever(wildcards)
        return kind_of(self._encoder(entry)).threads if entry["kind"] == RERANK else 1

    def explain_versions(self, wildcards: Any) -> str:
        """The same of explanations; the tokenizer of a model names its terms."""
        by_model = self._retriever(wildcards)["kind"] == SPARSE
        return f"{self.search_versions(wildcards)} {versions('tokenizers', 'transformers') if by_model else ''}".strip()

    def index_settings(self, wildcards: Any) -> str:
        return RetrieverSettings(by=self._by(wildcards.retriever, "")).as_json()

    def certify_settings(self, wildcards: Any) -> str:
        cutoffs = (*_RECALLS, self.experiment.config.retrieval.depth)
        return self._configured(CertifySettings, **self._named(wildcards), cutoffs=cutoffs)

    # --- measures and tests ---------------------------------------------------------------------------------

    def evaluate_settings(self, wildcards: Any) -> str:
        return EvaluateSettings.from_parts(self._values, self.question_sets[wildcards.questions]).as_json()

    def comparison_settings(self, _wildcards: Any) -> str:
        return self._configured(
            RetrievalComparisonSettings,
            question_sets=tuple(self.judged_sets),
            systems=tuple(self.shown),
            families=self.seed_families(),
        )

    def hardest_settings(self, _wildcards: Any) -> str:
        return self._configured(
            HardestSettings,
            retrievers=tuple(self.shown),
            controls=tuple(name for name in self.of_kind(RANDOM) if name in self.shown),
            pair=self.experiment.config.retrieval.pair or (),
            limit=_HARDEST_QUESTIONS,
        )

    # --- what is chosen on training questions ---------------------------------------------------------------

    def weigh_settings(self, wildcards: Any) -> str:
        steps = TunedWeights.model_validate(self._retriever(wildcards)["weights"]).steps
        return self._configured(WeighSettings, **self._named(wildcards), steps=steps)

    def choice_settings(self, wildcards: Any) -> str:
        weights = TunedWeights.model_validate(self._retriever(wildcards)["weights"])
        return self._tuning(weights).as_json()

    def decide_settings(self, wildcards: Any) -> str:
        entry = Decision.model_validate(self.decisions[wildcards.decision])
        return DecideSettings(
            decision=wildcards.decision,
            parameters=entry.model_copy(update={"title": None, "retrievers": None}),
            **({"tuning": self._tuning(entry)} if entry.tuned_on else {}),
        ).as_json()

    def decision_settings(self, _wildcards: Any) -> str:
        return self._configured(DecisionSettings, systems=self._named_systems())

    def decision_comparison_settings(self, _wildcards: Any) -> str:
        sets = tuple(self.judged_sets)
        return self._configured(ComparisonSettings, question_sets=sets, systems=self._named_systems())

    # --- summaries ------------------------------------------------------------------------------------------

    def summarise_settings(self, _wildcards: Any) -> str:
        return self._configured(RetrievalSummary, **self._summary(), reference=self._reference())

    def stage_settings(self, _wildcards: Any) -> str:
        stages = self.experiment.config.retrieval.stages
        assert stages
        return StageSummary(
            stages=stages.of,
            series=stages.series,
            measures=tuple(self._measures_of_stages()),
            families=self.seed_families(),
            reference=self._reference(),
        ).as_json()

    def cost_settings(self, _wildcards: Any) -> str:
        return CostSummary(
            parts={name: tuple(all_retrievers([name], self.retrievers)) for name in self.shown},
            encoders={name: entry["model"] for name, entry in self.by_vectors.items()},
        ).as_json()

    def summarise_indexes_settings(self, _wildcards: Any) -> str:
        sets = {name: entry["title"] for name, entry in self.judged_sets.items()}
        return IndexSummary(questions=sets, retrievers=self._titles_of(self.indexed)).as_json()

    def weights_summary_settings(self, _wildcards: Any) -> str:
        fusions = {
            name: FusionTitle(
                title=self.title_of(name),
                position=position,
                of=tuple(self.title_of(part) for part in self.retrievers[name]["of"]),
            )
            for position, name in enumerate(self.tuned)
        }
        return self._configured(WeightSummary, question_sets=_titles(self.searched), retrievers=fusions)

    def decision_summary_settings(self, _wildcards: Any) -> str:
        return DecisionSummary(
            question_sets=_titles(self.question_sets),
            retrievers=self._titles_of(self.shown),
            decisions={name: entry.get("title", name) for name, entry in self.decisions.items()},
            controls=tuple(self.of_kind(RANDOM)),
            systems=tuple(self.systems),
        ).as_json()

    # --- helpers --------------------------------------------------------------------------------------------

    def _search(self, wildcards: Any) -> SearchSettings:
        """Of runs that become training data alone, so many documents are ranked that no edit trains again."""
        entry, mined = self._retriever(wildcards), wildcards.questions in self.mined_alone
        more: dict[str, Any] = {}
        if counts_terms(entry):
            more["analyser"] = self._analyser(self.analyser_of(entry, self._corpus(wildcards)))
        elif entry["kind"] == RERANK:
            more["encoder"] = encode_settings(self._encoder(entry))
        return SearchSettings(
            retriever=wildcards.retriever,
            depth=MOST_RANKS if mined else self.experiment.config.retrieval.depth,
            by=self._by(whole_of(wildcards.retriever), wildcards.questions),
            **more,
        )

    def _by(self, name: str, questions: str) -> Retriever:
        """A retriever with what its searches of a question set read of it, and nothing that is shown alone."""
        by = _RETRIEVER.validate_python(self.retrievers[name])
        read: dict[str, Any] = {"title": None, "seed_of": None}
        if counts_terms(self.retrievers[name]):
            read["analyser"] = self.analyser_of(self.retrievers[name], self.searched[questions]["corpus"])
        elif isinstance(by, Fusion) and isinstance(by.weights, TunedWeights):
            read["weights"] = None
        elif isinstance(by, RunFile):
            read["files"] = {questions: by.files[questions]}
        elif isinstance(by, RandomOrder) and by.seed is None:
            read["seed"] = self.experiment.config.retrieval.seed
        return by.model_copy(update=read)

    def _modules(self, wildcards: Any) -> list[str]:
        search = self._search(wildcards)
        if search.by.kind == RERANK:
            return [search.module, kind_of(self._encoder(self._retriever(wildcards))).module()]
        return [search.module]

    def _analyser(self, name: str) -> Analyser:
        analyser = Analyser.model_validate(self._entry("analysers", name))
        words = analyser.stop_words
        if isinstance(words, StopList):  # an edit of the user's file is another analyser
            words = with_checksum(words, where=f"analysers.{name}.stop_words")
        return analyser.model_copy(update={"title": None, "stop_words": words})

    def _configured(self, model: type[Settings], **more: Any) -> str:
        """Settings of a job: what the configuration says of its fields, and the others."""
        config = self.experiment.config
        return model.from_parts(self._values, config.retrieval, config.statistics, **more).as_json()

    def _named(self, wildcards: Any) -> dict[str, Any]:
        return {"retriever": wildcards.retriever, "by": self._by(wildcards.retriever, wildcards.questions)}

    def _tuning(self, entry: TunedWeights | Decision) -> TuningSettings:
        return TuningSettings(
            folds=entry.folds,
            row_ids=tuple(name for name in entry.tuned_on or () if self.searched[name].get("ids") == "rows"),
            **pick(self._values, "margin", "seed"),
        )

    def _titles_of(self, retrievers: Iterable[str]) -> dict[str, str]:
        return {name: self.title_of(name) for name in retrievers}

    def _measures_of_stages(self) -> list[str]:
        """The measures that stages name, or the main one and R@10 where it is measured."""
        retrieval = self.experiment.config.retrieval
        named = retrieval.stages.measures if retrieval.stages else ()
        usual = [one for one in retrieval.measures if one in (retrieval.main, "R@10")]
        return list(named or sorted(usual, key=lambda one: one != retrieval.main))

    def _named_systems(self) -> tuple[str, ...]:
        return tuple(f"{retriever}/{decision}" for retriever, decision in self.systems)

    def _summary(self) -> dict[str, Any]:
        return {
            "question_sets": _titles(self.judged_sets),
            "corpora": {name: entry["title"] for name, entry in self.corpora.items()},
            "retrievers": {name: self._described(name) for name in self.retrievers},
            "shown": tuple(self.shown),
            **pick(self._values, "measures", "main"),
        }

    def _described(self, name: str) -> RetrieverTitle:
        entry, models = self.retrievers[name], self.experiment.fetched_models
        # of vectors: a reranker's own model measures nothing beside it
        model = entry["model"] if entry["kind"] in BY_VECTORS else ""
        return RetrieverTitle(
            title=self.title_of(name),
            control=entry["kind"] == RANDOM,
            position=self._position(name),
            model=model,
            model_title=str(models[model].get("title", model)) if model else "",
        )

    def _position(self, name: str) -> int:
        """Place among the shown retrievers, or among their controls; of those that are only fused behind them."""
        controls = self.of_kind(RANDOM)
        every = dict.fromkeys([*self.shown, *self.retrievers])
        return [one for one in every if (one in controls) == (name in controls)].index(name)

    def _reference(self) -> str:
        """What the others are compared with: the first BM25 where the configuration says nothing."""
        lexical = [name for name in self.shown if self.retrievers[name]["kind"] == BM25]
        first = next(iter([*lexical, *self.shown]), "")
        return str(self.experiment.config.retrieval.reference or first)


def _published_values(table: Mapping[str, Any], question_set: str) -> Iterator[Entry]:
    for column, about in table["columns"].items():
        if about.get("question_set") != question_set:
            continue
        for row in table["rows"]:
            if column in row["values"]:
                remarks = (
                    _ORIGINS[row["origin"]],
                    row.get("remark", ""),
                    row.get("doubts", {}).get(column, ""),
                )
                yield {
                    "system": ", ".join(filter(None, (row["system"], row.get("setting")))),
                    "measure": about["measure"],
                    "value": round(row["values"][column] / about["scale"], _DIGITS),
                    "source": table["source"],
                    "remark": " ".join(filter(None, (*remarks, *table["remarks"]))),
                }


def _libraries(analyser: Analyser) -> list[str]:
    segments, stems = analyser.units == "vietnamese-words", analyser.stemmer != "none"
    return [*(["underthesea"] if segments else []), *(["PyStemmer"] if stems else [])]


def _titles(question_sets: Entries) -> dict[str, QuestionSetTitle]:
    return {name: QuestionSetTitle.from_parts(entry) for name, entry in question_sets.items()}
