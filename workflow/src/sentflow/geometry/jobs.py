"""Jobs of geometry: alignment and uniformity, isotropy, word order."""

import logging
from collections.abc import Sequence

from sentflow.files.io import write_digest, write_sealed
from sentflow.geometry.settings import AlignmentSettings, GeometrySettings
from sentflow.jobs.job import In, Out, Wildcard, job
from sentflow.texts.lookup import read_vectors
from sentflow.texts.pairs import read_pairs

logger = logging.getLogger(__name__)


@job("numpy")
def permute_texts(*, texts: In, n: int, seed: int, permuted: Out) -> None:
    """At most n texts of a family with their words in another order, to be embedded as well."""
    from sentflow.geometry.permuted_texts import permute_texts, write_permuted
    from sentflow.texts.collection import read_texts

    distinct = read_texts(texts)
    result = permute_texts(distinct, n=n, seed=seed)
    write_permuted(permuted, result)
    write_digest(permuted)
    logger.info("%d of %d texts, %s permuted", len(result.texts), len(distinct), result.unit)


@job("numpy")
def align(
    *,
    pairs: list[In],
    positives: Sequence[In] = (),
    texts: In,
    embeddings: In,
    info: In,
    alignment: Wildcard,
    model: Wildcard,
    settings: AlignmentSettings,
    output: Out,
) -> None:
    """Scored pairs and the vectors of their texts → alignment and uniformity by a named variant."""
    from sentflow.geometry.facts import measured_alignment

    family = read_vectors(texts, embeddings, info)
    facts = measured_alignment(
        name=alignment,
        model=model,
        pairs=[read_pairs(path) for path in pairs],
        positives=[read_pairs(path) for path in positives],
        texts=family.texts,
        vectors=family.vectors,
        settings=settings,
    )
    write_sealed(output, facts)
    for sentence in facts["warnings"]:
        logger.warning("%s × %s: %s", alignment, model, sentence)
    logger.info("alignment %.6f, uniformity %.6f", facts["alignment"], facts["uniformity"])


@job("numpy")
def geometry(
    *,
    pairs: Sequence[In] = (),
    texts: In,
    embeddings: In,
    info: In,
    permuted_texts: In | None = None,
    permuted_embeddings: In | None = None,
    collection: Wildcard,
    model: Wildcard,
    settings: GeometrySettings,
    output: Out,
) -> None:
    """The vectors of a family's texts → isotropy, spectrum, neighbours, whitened and shortened vectors, word order."""
    from sentflow.encoders.vectors.storage import read_embeddings
    from sentflow.geometry.facts import described
    from sentflow.geometry.permuted_texts import read_permuted

    family = read_vectors(texts, embeddings, info)
    permuted = None
    if permuted_texts and permuted_embeddings:
        rows = read_permuted(permuted_texts)
        info_of_rows = permuted_embeddings.with_suffix(".json")
        permuted = rows, read_embeddings(permuted_embeddings, info_of_rows, rows.texts)
    facts = described(
        family=collection,
        model=model,
        texts=family.texts,
        vectors=family.vectors,
        pairs=[read_pairs(path) for path in pairs],
        permuted=permuted,
        settings=settings,
    )
    write_sealed(output, facts)
    for sentence in facts["warnings"]:
        logger.warning("%s × %s: %s", collection, model, sentence)
    logger.info("%s: %d measures of %d vectors", collection, len(facts["measures"]), facts["n_texts"])
