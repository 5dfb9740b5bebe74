"""Jobs of similarity: scores of pair sets, their tests, regressions."""

import logging

from sentflow.files.io import read_json, write_sealed
from sentflow.files.rows import write_rows
from sentflow.jobs.job import In, Out, Wildcard, job
from sentflow.similarity.settings import ComparedSets, Resampling
from sentflow.texts.lookup import read_vectors
from sentflow.texts.pairs import read_pairs

logger = logging.getLogger(__name__)


@job("numpy")
def similarity(
    *,
    pairs: In,
    texts: In,
    embeddings: In,
    info: In,
    model: Wildcard,
    settings: Resampling,
    scores: Out,
    rows: Out,
) -> None:
    """The sentences of a pair set and their vectors → similarities, correlations with gold, intervals."""
    from sentflow.similarity.measures import pair_similarities
    from sentflow.similarity.scores import write_results

    table = read_pairs(pairs)
    family = read_vectors(texts, embeddings, info)
    similarities = pair_similarities(family.vectors, *family.rows_of_pairs(table))
    warnings = []
    if similarities.n_zero:
        warnings.append(
            f"{similarities.n_zero} of {len(table)} pairs have a sentence whose vector is zero; "
            "their cosine counts as 0."
        )
    write_results(
        scores,
        rows,
        table,
        similarities.columns,
        settings,
        model=model,
        embeddings=read_json(info).get("sha256"),
        warnings=warnings,
    )


@job("numpy")
def overlap(*, pairs: In, baseline: Wildcard, settings: Resampling, scores: Out, rows: Out) -> None:
    """The sentences of a pair set → similarity by shared words or characters, scored as encoders are."""
    from sentflow.similarity.scores import overlap, write_results

    table = read_pairs(pairs)
    columns = {"overlap": overlap(baseline, table.text_a, table.text_b)}
    write_results(scores, rows, table, columns, settings, model=baseline, embeddings=None, warnings=[])


@job("numpy", "torch")
def regress(
    *,
    train: In,
    dev: In,
    test: In,
    texts: In,
    embeddings: In,
    info: In,
    regression: Wildcard,
    model: Wildcard,
    seed: int,
    output: Out,
) -> None:
    """Vectors of three pair sets → what SentEval's regressor of relatedness reaches on the last of them."""
    from dataclasses import asdict

    from sentflow.errors import DataError
    from sentflow.similarity.regressor import Part, RegressorSettings, pair_features, regress, soft_targets
    from sentflow.stats.seeds import derive_seed

    family = read_vectors(texts, embeddings, info)
    parts = {}
    for name, file in (("train", train), ("dev", dev), ("test", test)):
        table = read_pairs(file)
        try:
            soft_targets(table.score)
        except ValueError as error:
            raise DataError(
                f"the pair set {table.info.pairs} has {error}. Choose pair sets with such scores for the "
                f"regression {regression}."
            ) from error
        rows_a, rows_b = family.rows_of_pairs(table)
        parts[name] = Part(pair_features(family.vectors[rows_a], family.vectors[rows_b]), table.score)
    # of the regression alone: encoders are compared on the same batches
    drawn = derive_seed(seed, "regression", regression)
    regressor = RegressorSettings()
    result = regress(parts["train"], parts["dev"], parts["test"], seed=drawn, settings=regressor)
    about = {
        "regression": regression,
        "model": model,
        **{f"n_{name}": len(part.gold) for name, part in parts.items()},
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
