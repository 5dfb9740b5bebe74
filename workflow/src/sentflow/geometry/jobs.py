"""Jobs of geometry: alignment and uniformity, isotropy, word order."""

import logging
from collections.abc import Sequence

from sentflow.files.io import write_digest, write_sealed
from sentflow.geometry.settings import AlignedSets, AlignmentSettings, DescribedCollections
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
    texts: list[In],
    embeddings: list[In],
    info: list[In],
    model: Wildcard,
    settings: AlignedSets,
    output: list[Out],
) -> None:
    """Scored pairs and the vectors of their texts → alignment and uniformity by named variants."""
    from sentflow.geometry.facts import measured_alignment

    tables, outputs = dict(zip(settings.pair_sets, pairs, strict=True)), iter(output)
    vectors = zip(texts, embeddings, info, strict=True)
    for alignments, files in zip(settings.collections.values(), vectors, strict=True):
        family = read_vectors(*files)
        for name, entry in alignments.items():
            facts = measured_alignment(
                name=name,
                model=model,
                pairs=[read_pairs(tables[one]) for one in entry.pairs],
                positives=[read_pairs(tables[one]) for one in entry.positives],
                texts=family.texts,
                vectors=family.vectors,
                settings=AlignmentSettings.from_parts(entry, settings),
            )
            write_sealed(next(outputs), facts)
            for sentence in facts["warnings"]:
                logger.warning("%s × %s: %s", name, model, sentence)
            logger.info("%s: alignment %.6f, uniformity %.6f", name, facts["alignment"], facts["uniformity"])
        del family  # before the next is read


@job("numpy")
def geometry(
    *,
    pairs: Sequence[In] = (),
    texts: list[In],
    embeddings: list[In],
    info: list[In],
    permuted_texts: Sequence[In] = (),
    permuted_embeddings: Sequence[In] = (),
    model: Wildcard,
    settings: DescribedCollections,
    output: list[Out],
) -> None:
    """The vectors of families' texts → isotropy, spectrum, neighbours, whitened and shortened vectors, word order."""
    from sentflow.encoders.vectors.storage import read_embeddings
    from sentflow.geometry.facts import described
    from sentflow.geometry.permuted_texts import read_permuted

    tables = iter(pairs)
    vectors = zip(texts, embeddings, info, output, strict=True)
    turned = zip(permuted_texts, permuted_embeddings, strict=True)
    for (name, sets), (*files, facts_file) in zip(settings.collections.items(), vectors, strict=True):
        family, permuted = read_vectors(*files), None
        if permuted_texts:
            rows_file, npy = next(turned)
            rows = read_permuted(rows_file)
            permuted = rows, read_embeddings(npy, npy.with_suffix(".json"), rows.texts)
        facts = described(
            family=name,
            model=model,
            texts=family.texts,
            vectors=family.vectors,
            pairs=[read_pairs(next(tables)) for _ in sets],
            permuted=permuted,
            settings=settings,
        )
        write_sealed(facts_file, facts)
        for sentence in facts["warnings"]:
            logger.warning("%s × %s: %s", name, model, sentence)
        logger.info("%s: %d measures of %d vectors", name, len(facts["measures"]), facts["n_texts"])
        del family, permuted  # before the next are read
