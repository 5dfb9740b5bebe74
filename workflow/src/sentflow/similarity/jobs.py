"""Jobs of similarity: scores of pair sets, their tests, regressions."""

import logging
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from sentflow.errors import DataError, parts
from sentflow.files.io import read_json, write_sealed
from sentflow.files.rows import write_rows
from sentflow.jobs.job import In, Out, Wildcard, job
from sentflow.similarity.settings import ComparedSets, Overlaps, ScoredSets
from sentflow.texts.lookup import TextVectors, read_vectors
from sentflow.texts.pairs import PairTable, read_pairs

logger = logging.getLogger(__name__)


@job("numpy", "torch")
def similarity(
    *,
    pairs: list[In],
    texts: list[In],
    embeddings: list[In],
    info: list[In],
    model: Wildcard,
    settings: ScoredSets,
    scores: Sequence[Out] = (),
    rows: Sequence[Out] = (),
    regressions: Sequence[Out] = (),
) -> None:
    """Pair sets and vectors → similarities, correlations with gold, intervals; what SentEval's regressor reaches."""
    tables = {file.stem: file for file in pairs}
    vectors = {files[0].stem: files for files in zip(texts, embeddings, info, strict=True)}
    results = dict(zip(chain(*settings.collections.values()), zip(scores, rows, strict=True), strict=True))
    regressed = dict(zip(chain(*settings.regressions.values()), regressions, strict=True))
    with parts() as part:
        for collection in vectors:
            with part(f"{collection} × {model}"):
                family = read_vectors(*vectors[collection])
                sha256 = read_json(vectors[collection][-1]).get("sha256")
                for name in settings.collections.get(collection, ()):
                    with part(f"{name} × {model}"):
                        _score(read_pairs(tables[name]), family, sha256, model, settings, *results[name])
                for name, named in settings.regressions.get(collection, {}).items():
                    with part(f"{name} × {model}"):
                        of_parts = {one: read_pairs(tables[pair_set]) for one, pair_set in named}
                        _regress(name, of_parts, family, model, settings.seed, regressed[name])
                del family  # before the next is read


def _score(
    table: PairTable,
    family: TextVectors,
    sha256: str | None,
    model: str,
    settings: ScoredSets,
    scores: Path,
    rows: Path,
) -> None:
    from sentflow.similarity.measures import pair_similarities
    from sentflow.similarity.scores import write_results

    similarities = pair_similarities(family.vectors, *family.rows_of_pairs(table))
    warnings = []
    if similarities.n_zero:
        warnings.append(
            f"{similarities.n_zero} of {len(table)} pairs have a sentence whose vector is zero; "
            "their cosine counts as 0."
        )
    columns = similarities.columns
    write_results(scores, rows, table, columns, settings, model=model, embeddings=sha256, warnings=warnings)


def _regress(
    regression: str, tables: dict[str, PairTable], family: TextVectors, model: str, seed: int, output: Path
) -> None:
    from dataclasses import asdict

    from sentflow.similarity.regressor import Part, RegressorSettings, pair_features, regress, soft_targets
    from sentflow.stats.seeds import derive_seed

    found = {}
    for one, table in tables.items():
        try:
            soft_targets(table.score)
        except ValueError as error:
            raise DataError(
                f"the pair set {table.info.pairs} has {error}. Choose pair sets with such scores."
            ) from error
        rows_a, rows_b = family.rows_of_pairs(table)
        found[one] = Part(pair_features(family.vectors[rows_a], family.vectors[rows_b]), table.score)
    regressor = RegressorSettings()
    # of the regression alone: encoders are compared on the same batches
    result = regress(**found, seed=derive_seed(seed, "regression", regression), settings=regressor)
    about = {
        "regression": regression,
        "model": model,
        **{f"n_{part}": len(one.gold) for part, one in found.items()},
        "settings": asdict(regressor),
    }
    write_sealed(output, {**about, **asdict(result)})
    logger.info(
        "%s × %s: Pearson %.4f, Spearman %.4f after %d epochs",
        regression,
        model,
        result.pearson,
        result.spearman,
        result.epochs,
    )


@job("numpy")
def overlap(*, pairs: list[In], settings: Overlaps, scores: list[Out], rows: list[Out]) -> None:
    """The sentences of pair sets → similarities by shared words or characters, scored as encoders are."""
    from sentflow.similarity.scores import overlap, write_results

    outputs = zip(scores, rows, strict=True)
    with parts() as part:
        for file in pairs:
            files = {baseline: next(outputs) for baseline in settings.baselines}
            with part(file.stem):
                table = read_pairs(file)
                for baseline, of_baseline in files.items():
                    columns = {"overlap": overlap(baseline, table.text_a, table.text_b)}
                    write_results(
                        *of_baseline, table, columns, settings, model=baseline, embeddings=None, warnings=[]
                    )


@job("numpy", "scipy")
def compare_similarity(*, rows: list[In], settings: ComparedSets, output: Out) -> None:
    """The similarities of all encoders on all pair sets → which encoders differ."""
    from sentflow.compare.pair_sets import compare_pair_set
    from sentflow.compare.rows import SimilarityDifference
    from sentflow.similarity.scores import bootstrap_seed, read_similarities

    similarities = {(one.pairs, one.model): one for one in map(read_similarities, rows)}
    differences: list[SimilarityDifference] = []
    for pairs in settings.pair_sets:
        own = [similarities[pairs, model] for model in settings.models if (pairs, model) in similarities]
        seeded = settings.model_copy(update={"seed": bootstrap_seed(settings.seed, pairs)})
        differences += compare_pair_set(own, seeded)
        logger.info("%s: %d encoders", pairs, len(own))
    write_rows(output, SimilarityDifference, differences)
