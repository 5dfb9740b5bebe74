"""What weights of fusions reach → rows of their summary."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from sentflow.report.families.retrieval.decision_rows import WeightRow
from sentflow.report.settings import WeightSummary
from sentflow.retrieval.retrievers.fusion import Weighed
from sentflow.stats.means import interval_of_scores
from sentflow.stats.resampling import Bootstrap
from sentflow.stats.seeds import derive_seed


def weight_rows(
    weighed: Sequence[Weighed], chosen: Mapping[str, Mapping[str, Any]], settings: WeightSummary
) -> list[WeightRow]:
    """A row for each weight of each fusion on each question set, in the order of selection.

    `chosen`: fusion → what `sentflow.retrieval.retrievers.fusion.write_chosen` says of its choice.
    """
    found = {(one.question_set, one.retriever): one for one in weighed}
    names = [(name, one) for one in settings.retrievers for name in settings.question_sets]
    return [row for name in names if name in found for row in _rows(found[name], chosen[name[1]], settings)]


def _rows(own: Weighed, choice: Mapping[str, Any], settings: WeightSummary) -> Iterator[WeightRow]:
    asked, fusion = settings.question_sets[own.question_set], settings.retrievers[own.retriever]
    seed = derive_seed(settings.seed, own.question_set, "bootstrap")
    bootstrap = Bootstrap(settings.level, settings.n_resamples, seed)
    of_folds = [tuple(one) for one in choice["weights_of_folds"]]
    for weights, values in zip(own.candidates, own.values, strict=True):
        low, high = interval_of_scores(values, bootstrap)
        yield WeightRow(
            questions=own.question_set,
            questions_title=asked.title,
            retriever=own.retriever,
            retriever_title=fusion.title,
            position=fusion.position,
            of="; ".join(fusion.of),
            n_runs=len(weights),
            weights="; ".join(f"{one:g}" for one in weights),
            last=weights[-1],
            measure=own.measure,
            value=float(values.mean()),
            low=low,
            high=high,
            level=bootstrap.level,
            is_training=own.question_set in choice["tuned_on"],
            is_chosen=weights == tuple(choice["weights"]),
            n_folds=of_folds.count(weights),
            in_sample=choice["in_sample"],
            nested=choice["nested"],
            optimism=choice["optimism"],
            n_questions=len(own.questions),
            data_version=asked.data_version,
            language=asked.language,
        )
