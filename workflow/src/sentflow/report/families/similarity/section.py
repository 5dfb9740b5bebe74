"""What the page shows of semantic similarity and geometry."""

from collections.abc import Mapping
from typing import Any

from sentflow.report.families.similarity import words
from sentflow.report.families.similarity.board import answer, boards, columns
from sentflow.report.families.similarity.data import SimilarityData, main_rows
from sentflow.report.families.similarity.findings import similarity_findings
from sentflow.report.numbers import counted
from sentflow.report.page.sources import Part, Section, Sources, datasets_of
from sentflow.report.rows import unique


def section(sources: Sources) -> Section | None:
    """The section; None where there is nothing to tell."""
    data = sources.inputs.together(SimilarityData)
    if data.is_empty:
        return None
    pair_sets = sources.entries("pair_sets")
    sizes = {row.pairs: row.n for row in main_rows(data.scores)}
    return Section(
        name="similarity",
        shown={
            "n_sets": len(sizes),
            "n_pairs": sum(sizes.values()),
            "n_models": len(unique(row.model for row in data.encoders())),
            "notes": _notes(pair_sets, sources),
            # None where a pair set is not scored
            "sets": [{**entry, "name": name, "n": sizes.get(name)} for name, entry in pair_sets.items()],
        },
        tab="Similarity",
        summary="families/similarity/page/summary.html.j2",
        results=_parts(data),
        answer=answer(data),
        boards=boards(data),
        columns=columns(data),
        rows=data.rows(),
        encoders=data.encoders(),
        findings=similarity_findings(data),
        tables={name: sources.table(name) for name in _tables(data)},
        datasets=datasets_of(list(pair_sets.values())),
        badges=(counted(len(sizes), "pair set"),) if sizes else (),
    )


def _parts(data: SimilarityData) -> tuple[Part, ...]:
    """Similarity and geometry, as far as anything was measured."""
    folder = "families/similarity/page"
    similarity = Part("similarity", "Semantic similarity", f"{folder}/results.html.j2")
    geometry = Part("geometry", "Geometry", f"{folder}/geometry.html.j2", tab="Geometry")
    return (similarity, *((geometry,) if data.alignments or data.geometry else ()))


def _tables(data: SimilarityData) -> list[str]:
    """The tables that have something to show."""
    rows = {
        "sts": data.scores,
        "sts-subsets": data.scores,
        "sts-differences": data.scores and data.differences,
        "regressions": data.regressions,
        "alignments": data.alignments,
        "geometry": data.geometry,
    }
    return [name for name, own in rows.items() if own]


def _notes(pair_sets: Mapping[str, Mapping[str, Any]], sources: Sources) -> list[str]:
    # data and protocol are told with each table
    notes = []
    left_out = sources.settings.get("left_out", [])
    if left_out:
        models = sources.entries("models")
        titles = ", ".join(str(models.get(name, {}).get("title", name)) for name in left_out)
        notes.append(
            f"Not measured: {titles}. Encoders that are fitted again in every fold, or that compute "
            "features of whole rows, have no fixed sentence vectors."
        )
    contaminated = words.contamination(pair_sets)
    if contaminated:
        notes.append(contaminated)
    return notes
