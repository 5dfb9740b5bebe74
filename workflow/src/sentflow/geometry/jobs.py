"""Jobs of geometry: alignment and uniformity, isotropy, word order."""

import logging
from collections.abc import Sequence

from sentflow.errors import ConfigError
from sentflow.files.io import write_digest
from sentflow.jobs.job import In, Json, Out, job

logger = logging.getLogger(__name__)


@job("numpy")
def permute_texts(*, texts: In, settings: Json, permuted: Out) -> None:
    """Texts of a family → some of them with their words in another order, to be embedded as well.

    Settings: {"n": at most so many texts, "seed"}; "unit": words, characters or auto (the default).
    """
    from sentflow.geometry.permuted_texts import permute_texts, write_permuted
    from sentflow.texts.collection import read_texts

    distinct = read_texts(texts)
    found = permute_texts(distinct, **settings)
    write_permuted(permuted, found)
    write_digest(permuted)
    logger.info("%d of %d texts, %s permuted", len(found.texts), len(distinct), found.unit)


@job("numpy")
def align(
    *,
    pairs: list[In],
    positives: Sequence[In] = (),
    texts: In,
    embeddings: In,
    info: In,
    settings: Json,
    output: Out,
) -> None:
    """Scored pairs and the vectors of their texts → alignment and uniformity by a named variant.

    Settings: The entry of the catalog ("variant", "threshold", "comparison", "sentences", "batch", …), "alignment"
    and "model"; with "level", "n_resamples", "seed" also an interval of the alignment.
    """
    from sentflow.files.sealed import write_sealed
    from sentflow.geometry.alignment_settings import AlignmentSettings
    from sentflow.geometry.measured_alignment import measured_alignment
    from sentflow.texts.lookup import read_vectors
    from sentflow.texts.pairs import read_pairs

    where = f"alignments.{settings['alignment']}"
    variant = AlignmentSettings.from_settings(settings, where=where)
    family = read_vectors(texts, embeddings, info)
    facts = measured_alignment(
        pairs=[read_pairs(path) for path in pairs],
        positives=[read_pairs(path) for path in positives],
        texts=family.texts,
        vectors=family.vectors,
        settings=variant,
        entry=settings,
    )
    write_sealed(output, facts)
    for sentence in facts["warnings"]:
        logger.warning("%s × %s: %s", settings["alignment"], settings["model"], sentence)
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
    settings: Json,
    output: Out,
) -> None:
    """The vectors of a family's texts → isotropy, spectrum, neighbours, whitened and shortened vectors, word order.

    Settings: {"family", "model", "truncation", "neighbours", "measure", "correlation", "seed", "n_resamples",
    "level"}; "sample": texts at most for searches of neighbours.
    """
    from sentflow.encoders.vectors.storage import read_embeddings
    from sentflow.files.sealed import write_sealed
    from sentflow.geometry.described import GeometrySettings, Permuted, described
    from sentflow.geometry.permuted_texts import read_permuted
    from sentflow.texts.lookup import read_vectors
    from sentflow.texts.pairs import read_pairs

    measured = GeometrySettings.from_settings(settings)
    family = read_vectors(texts, embeddings, info)
    permuted = None
    if permuted_texts and permuted_embeddings:
        rows = read_permuted(permuted_texts)
        info_of_rows = permuted_embeddings.with_suffix(".json")
        permuted = Permuted(rows, read_embeddings(permuted_embeddings, info_of_rows, rows.texts))
    elif permuted_texts or permuted_embeddings:
        raise ConfigError(
            "--permuted-texts and --permuted-embeddings belong together. Give both, or neither."
        )
    facts = described(
        texts=family.texts,
        vectors=family.vectors,
        pairs=[read_pairs(path) for path in pairs],
        permuted=permuted,
        settings=measured,
    )
    write_sealed(output, facts)
    for sentence in facts["warnings"]:
        logger.warning("%s × %s: %s", measured.family, measured.model, sentence)
    logger.info("%s: %d measures of %d vectors", measured.family, len(facts["measures"]), facts["n_texts"])
