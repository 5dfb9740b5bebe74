"""Jobs of geometry: alignment and uniformity, isotropy, word order."""

import logging
from collections.abc import Sequence
from itertools import chain
from pathlib import Path

from sentflow.errors import parts
from sentflow.files.io import write_digest, write_sealed
from sentflow.geometry.settings import (
    Aligned,
    AlignedSets,
    AlignmentSettings,
    DescribedCollections,
    GeometryOfEncoder,
)
from sentflow.jobs.job import In, Out, Wildcard, job
from sentflow.texts.lookup import TextVectors, read_vectors
from sentflow.texts.pairs import PairTable, read_pairs

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
def geometry(
    *,
    pairs: Sequence[In] = (),
    texts: list[In],
    embeddings: list[In],
    info: list[In],
    permuted_texts: Sequence[In] = (),
    permuted_embeddings: Sequence[In] = (),
    model: Wildcard,
    settings: GeometryOfEncoder,
    alignments: Sequence[Out] = (),
    described: Sequence[Out] = (),
) -> None:
    """Vectors and pair sets → alignment and uniformity; isotropy, neighbours, shortened vectors, word order."""
    tables = {file.stem: file for file in pairs}
    vectors = {files[0].stem: files for files in zip(texts, embeddings, info, strict=True)}
    aligned, collections = settings.aligned.collections, settings.described.collections
    aligned_in = dict(zip(chain(*aligned.values()), alignments, strict=True))
    described_in = dict(zip(collections, described, strict=True))
    turned = zip(permuted_texts, permuted_embeddings, strict=True)
    permuted = dict(zip(collections if permuted_texts else (), turned, strict=True))
    with parts() as part:
        for collection, files in vectors.items():
            with part(f"{collection} × {model}"):
                family = read_vectors(*files)
                for name, entry in aligned.get(collection, {}).items():
                    with part(f"{name} × {model}"):
                        _align(name, model, entry, tables, family, settings.aligned, aligned_in[name])
                if collection in collections:
                    scored = [read_pairs(tables[name]) for name in collections[collection]]
                    _describe(
                        collection,
                        model,
                        scored,
                        permuted.get(collection),
                        family,
                        settings.described,
                        described_in[collection],
                    )
                del family  # before the next is read


def _align(
    name: str,
    model: str,
    entry: Aligned,
    tables: dict[str, Path],
    family: TextVectors,
    settings: AlignedSets,
    output: Path,
) -> None:
    from sentflow.geometry.facts import measured_alignment

    facts = measured_alignment(
        name=name,
        model=model,
        pairs=[read_pairs(tables[one]) for one in entry.pairs],
        positives=[read_pairs(tables[one]) for one in entry.positives],
        texts=family.texts,
        vectors=family.vectors,
        settings=AlignmentSettings.from_parts(entry, settings),
    )
    write_sealed(output, facts)
    for sentence in facts["warnings"]:
        logger.warning("%s × %s: %s", name, model, sentence)
    logger.info("%s: alignment %.6f, uniformity %.6f", name, facts["alignment"], facts["uniformity"])


def _describe(
    collection: str,
    model: str,
    pairs: list[PairTable],
    permuted: tuple[Path, Path] | None,
    family: TextVectors,
    settings: DescribedCollections,
    output: Path,
) -> None:
    from sentflow.encoders.vectors.storage import read_embeddings
    from sentflow.geometry.facts import described
    from sentflow.geometry.permuted_texts import read_permuted

    turned = None
    if permuted:
        rows_file, npy = permuted
        rows = read_permuted(rows_file)
        turned = rows, read_embeddings(npy, npy.with_suffix(".json"), rows.texts)
    facts = described(
        family=collection,
        model=model,
        texts=family.texts,
        vectors=family.vectors,
        pairs=pairs,
        permuted=turned,
        settings=settings,
    )
    write_sealed(output, facts)
    for sentence in facts["warnings"]:
        logger.warning("%s × %s: %s", collection, model, sentence)
    logger.info("%s: %d measures of %d vectors", collection, len(facts["measures"]), facts["n_texts"])
