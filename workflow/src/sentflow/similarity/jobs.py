"""Jobs of similarity: scores of pair sets, their tests, regressions."""

import logging

from sentflow.files.io import read_json, write_sealed
from sentflow.files.rows import write_rows
from sentflow.jobs.job import In, Out, Wildcard, job
from sentflow.similarity.settings import ComparedSets, Overlaps, Regressed, ScoredSets
from sentflow.texts.lookup import read_vectors
from sentflow.texts.pairs import read_pairs

logger = logging.getLogger(__name__)


@job("numpy")
def similarity(
    *,
    pairs: list[In],
    texts: list[In],
    embeddings: list[In],
    info: list[In],
    model: Wildcard,
    settings: ScoredSets,
    scores: list[Out],
    rows: list[Out],
) -> None:
    """The sentences of pair sets and their vectors → similarities, correlations with gold, intervals."""
    from sentflow.similarity.measures import pair_similarities
    from sentflow.similarity.scores import write_results

    sets = zip(pairs, scores, rows, strict=True)
    vectors = zip(texts, embeddings, info, strict=True)
    for names, files in zip(settings.collections.values(), vectors, strict=True):
        family, sha256 = read_vectors(*files), read_json(files[-1]).get("sha256")
        for _ in names:
            table_file, scores_file, rows_file = next(sets)
            table = read_pairs(table_file)
            similarities = pair_similarities(family.vectors, *family.rows_of_pairs(table))
            warnings = []
            if similarities.n_zero:
                warnings.append(
                    f"{similarities.n_zero} of {len(table)} pairs have a sentence whose vector is zero; "
                    "their cosine counts as 0."
                )
            write_results(
                scores_file,
                rows_file,
                table,
                similarities.columns,
                settings,
                model=model,
                embeddings=sha256,
                warnings=warnings,
            )
        del family  # before the next is read


@job("numpy")
def overlap(*, pairs: list[In], settings: Overlaps, scores: list[Out], rows: list[Out]) -> None:
    """The sentences of pair sets → similarities by shared words or characters, scored as encoders are."""
    from sentflow.similarity.scores import overlap, write_results

    outputs = zip(scores, rows, strict=True)
    for file in pairs:
        table = read_pairs(file)
        for baseline in settings.baselines:
            columns = {"overlap": overlap(baseline, table.text_a, table.text_b)}
            write_results(
                *next(outputs), table, columns, settings, model=baseline, embeddings=None, warnings=[]
            )


@job("numpy", "torch")
def regress(
    *,
    pairs: list[In],
    texts: list[In],
    embeddings: list[In],
    info: list[In],
    model: Wildcard,
    settings: Regressed,
    output: list[Out],
) -> None:
    """Vectors of three pair sets → what SentEval's regressor of relatedness reaches on the last of them."""
    from dataclasses import asdict

    from sentflow.errors import DataError
    from sentflow.similarity.regressor import Part, RegressorSettings, pair_features, regress, soft_targets
    from sentflow.stats.seeds import derive_seed

    tables, outputs = dict(zip(settings.pair_sets, pairs, strict=True)), iter(output)
    vectors = zip(texts, embeddings, info, strict=True)
    regressor = RegressorSettings()
    for regressions, files in zip(settings.collections.values(), vectors, strict=True):
        family = read_vectors(*files)
        for regression, named in regressions.items():
            parts = {}
            for part, pair_set in named:
                table = read_pairs(tables[pair_set])
                try:
                    soft_targets(table.score)
                except ValueError as error:
                    raise DataError(
                        f"the pair set {pair_set} has {error}. Choose pair sets with such scores for the "
                        f"regression {regression}."
                    ) from error
                rows_a, rows_b = family.rows_of_pairs(table)
                features = pair_features(family.vectors[rows_a], family.vectors[rows_b])
                parts[part] = Part(features, table.score)
            # of the regression alone: encoders are compared on the same batches
            drawn = derive_seed(settings.seed, "regression", regression)
            result = regress(**parts, seed=drawn, settings=regressor)
            about = {
                "regression": regression,
                "model": model,
                **{f"n_{part}": len(one.gold) for part, one in parts.items()},
                "settings": asdict(regressor),
            }
            write_sealed(next(outputs), {**about, **asdict(result)})
            logger.info(
                "%s × %s: Pearson %.4f, Spearman %.4f after %d epochs",
                regression,
                model,
                result.pearson,
                result.spearman,
                result.epochs,
            )
        del family  # before the next is read


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
