"""Jobs of similarity: scores of pair sets, their tests, regressions."""

import logging

from sentflow.files.io import read_json
from sentflow.jobs.job import In, Json, Out, job

logger = logging.getLogger(__name__)


@job("numpy")
def similarity(
    *, pairs: In, texts: In, embeddings: In, info: In, settings: Json, scores: Out, rows: Out
) -> None:
    """The sentences of a pair set and their vectors → similarities, correlations with gold, intervals.

    Settings: {"pairs", "model", "level", "n_resamples", "seed"}.
    """
    from sentflow.similarity.measures import pair_similarities
    from sentflow.similarity.results import write_results
    from sentflow.texts.lookup import read_vectors
    from sentflow.texts.pairs import read_pairs

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
        embeddings=read_json(info).get("sha256"),
        warnings=warnings,
    )


@job("numpy")
def overlap(*, pairs: In, settings: Json, scores: Out, rows: Out) -> None:
    """The sentences of a pair set → similarity by shared words or characters, scored as encoders are.

    Settings: {"pairs", "baseline", "level", "n_resamples", "seed"}.
    """
    from sentflow.similarity.overlap import overlap
    from sentflow.similarity.results import write_results
    from sentflow.texts.pairs import read_pairs

    table = read_pairs(pairs)
    columns = {"overlap": overlap(settings["baseline"], table.text_a, table.text_b)}
    named = {**settings, "model": settings["baseline"]}
    write_results(scores, rows, table, columns, named, embeddings=None, warnings=[])


@job("numpy", "torch")
def regress(
    *, train: In, dev: In, test: In, texts: In, embeddings: In, info: In, settings: Json, output: Out
) -> None:
    """Vectors of three pair sets → what SentEval's regressor of relatedness reaches on the last of them.

    Settings: {"regression", "model", "seed"}.
    """
    from dataclasses import asdict

    from sentflow.errors import DataError
    from sentflow.files.sealed import write_sealed
    from sentflow.similarity.regressor import Part, RegressorSettings, pair_features, regress, soft_targets
    from sentflow.stats.seeds import derive_seed
    from sentflow.texts.lookup import read_vectors
    from sentflow.texts.pairs import read_pairs

    family = read_vectors(texts, embeddings, info)
    parts = {}
    for name, file in (("train", train), ("dev", dev), ("test", test)):
        table = read_pairs(file)
        try:
            soft_targets(table.score)
        except ValueError as error:
            raise DataError(
                f"the pair set {table.info.pairs} has {error}. Choose pair sets with such scores for the "
                f"regression {settings['regression']}."
            ) from error
        rows_a, rows_b = family.rows_of_pairs(table)
        parts[name] = Part(pair_features(family.vectors[rows_a], family.vectors[rows_b]), table.score)
    # of the regression alone: encoders are compared on the same batches
    seed = derive_seed(settings["seed"], "regression", settings["regression"])
    chosen = RegressorSettings()
    found = regress(parts["train"], parts["dev"], parts["test"], seed=seed, settings=chosen)
    about = {
        "regression": settings["regression"],
        "model": settings["model"],
        **{f"n_{name}": len(part.gold) for name, part in parts.items()},
        "settings": chosen.as_dict(),
    }
    write_sealed(output, {**about, **asdict(found)})
    logger.info(
        "%s × %s: Pearson %.4f, Spearman %.4f after %d epochs",
        settings["regression"],
        settings["model"],
        found.pearson,
        found.spearman,
        found.epochs,
    )


@job("numpy", "scipy")
def compare_similarity(*, rows: list[In], settings: Json, output: Out) -> None:
    """The similarities of all encoders on all pair sets → which encoders differ.

    Settings: {"order": [pair sets, encoders], "measure", "correlation", "alpha", "level", "n_resamples", "seed"}.
    """
    from sentflow.compare.pair_sets import PairSetSettings, compare_pair_set
    from sentflow.compare.rows import SimilarityDifference
    from sentflow.files.rows import write_rows
    from sentflow.similarity.results import bootstrap_seed
    from sentflow.similarity.storage import read_similarities

    pair_sets, models = settings.pop("order")
    similarities = {(one.pairs, one.model): one for one in map(read_similarities, rows)}
    found: list[SimilarityDifference] = []
    for pairs in pair_sets:
        own = [similarities[pairs, model] for model in models if (pairs, model) in similarities]
        seed = bootstrap_seed(settings["seed"], pairs)
        found += compare_pair_set(own, PairSetSettings(**{**settings, "seed": seed}))
        logger.info("%s: %d encoders", pairs, len(own))
    write_rows(output, SimilarityDifference, found)
