"""Published values of trainings: parsed, checked, reduced, and written back."""

import math
from collections import Counter
from pathlib import Path

import pytest
import yaml

from sentflow.compare.best_of_groups import best_of_groups
from sentflow.graph.config.schema import load_schema, schema_problems
from sentflow.report.families.training.published import (
    PRINTED,
    PublishedCell,
    as_texts,
    from_texts,
    published_cells,
)
from sentflow.similarity.averages import SEVEN_TASKS
from sentflow.training.cell_states import NOT_APPLICABLE, NOT_RUN, VALUE

CATALOG = Path(__file__).parents[3] / "workflow" / "catalog"
SWEEPS = yaml.safe_load((CATALOG / "published_training.yaml").read_text(encoding="utf-8"))
ROWS = yaml.safe_load((CATALOG / "published_similarity.yaml").read_text(encoding="utf-8"))["sts"]
CELLS = published_cells(SWEEPS["korean-english-2022"])
STUDY = [cell for cell in CELLS if cell.section != "sg-bert"]

# (tokens, start, data, method): learning rate, dev, test of the authors' summary (SimCSE_mul/README.md)
REDUCED = {
    (32, "bert-base", "wiki1m", "dropout"): (5e-5, 0.8211, 0.7708),
    (32, "bert-base", "wiki1m", "whitespace"): (3e-5, 0.8127, 0.7567),
    (32, "ko-bert", "korean-news-1m", "dropout"): (1e-5, 0.7143, 0.6453),
    (32, "ko-bert", "korean-news-1m", "whitespace"): (1e-5, 0.7776, 0.6952),
    (32, "ko-bert", "korean-wiki-len15-1m", "dropout"): (3e-5, 0.7480, 0.7032),
    (32, "ko-bert", "korean-wiki-len15-1m", "whitespace"): (1e-5, 0.7817, 0.6986),
    (32, "kr-bert", "korean-news-1m", "dropout"): (7e-5, 0.7446, 0.6746),
    (32, "kr-bert", "korean-news-1m", "whitespace-no-dropout"): (7e-5, 0.7500, 0.6711),
    (32, "kr-bert", "korean-news-1m", "whitespace"): (3e-5, 0.7547, 0.6762),
    (32, "kr-bert", "korean-news-1m", "tokenizer-no-dropout"): (5e-5, 0.7625, 0.6885),
    (32, "kr-bert", "korean-news-1m", "tokenizer"): (1e-5, 0.7666, 0.7074),
    (32, "kr-bert", "korean-wiki-len15-1m", "dropout"): (3e-5, 0.7967, 0.7187),
    (32, "kr-bert", "korean-wiki-len15-1m", "whitespace-no-dropout"): (3e-5, 0.7451, 0.6590),
    (32, "kr-bert", "korean-wiki-len15-1m", "whitespace"): (3e-5, 0.7760, 0.7101),
    (32, "kr-bert", "korean-wiki-len15-1m", "tokenizer-no-dropout"): (3e-5, 0.7599, 0.6987),
    (32, "kr-bert", "korean-wiki-len15-1m", "tokenizer"): (1e-5, 0.7774, 0.7045),
    (128, "kr-bert", "korean-wiki-len15-1m", "dropout"): (1e-5, 0.7889, 0.7162),
    (128, "kr-bert", "korean-wiki-len15-1m", "whitespace"): (2e-5, 0.8066, 0.7429),
}


def test_published_sweeps_are_well_formed():
    assert schema_problems(SWEEPS, load_schema(CATALOG.parent, "published_training"), where="") == []


def test_the_study_has_86_rows_80_cells_and_76_values():
    assert (len(CELLS), len(STUDY)) == (86, 80)
    assert Counter(cell.scores for cell in STUDY) == {VALUE: 76, NOT_RUN: 4}
    assert {cell.data for cell in STUDY if cell.scores == NOT_RUN} == {"korean-news-normalized-1m"}
    assert len({cell.place for cell in CELLS}) == 86


def test_a_state_says_whether_there_are_numbers():
    for cell in CELLS:
        assert (cell.scores == VALUE) == (cell.dev == cell.dev) == (cell.test == cell.test)
        assert (
            (cell.geometry == VALUE)
            == (cell.uniformity == cell.uniformity)
            == (cell.alignment == cell.alignment)
        )
    # at 128 tokens geometry is a dash where it was not printed, at 32 a question mark
    assert {cell.geometry for cell in STUDY if cell.max_tokens == 128} == {VALUE, NOT_APPLICABLE}
    assert {cell.geometry for cell in STUDY if cell.max_tokens == 32} == {VALUE, NOT_RUN}


@pytest.mark.parametrize("name", SWEEPS)
def test_printed_and_parsed_again_nothing_is_lost(name):
    cells = published_cells(SWEEPS[name])
    printed = [as_texts(cell) for cell in cells]
    again = [from_texts(texts) for texts in printed]
    assert [as_texts(cell) for cell in again] == printed
    # NaN is not equal to itself, so states and defined numbers are compared
    for cell, other in zip(cells, again, strict=True):
        for field in PublishedCell.__dataclass_fields__:
            one, two = getattr(cell, field), getattr(other, field)
            assert one == two or (math.isnan(one) and math.isnan(two)), field


def test_both_empty_states_survive_and_axes_that_do_not_apply():
    texts = [dict(zip(PRINTED, as_texts(cell), strict=True)) for cell in CELLS]
    found = {text for line in texts for text in (line["dev"], line["uniformity"])}
    assert {NOT_RUN, NOT_APPLICABLE} <= found
    untrained = next(line for line in texts if line["method"] == "none")
    assert (untrained["data"], untrained["learning_rate"]) == (NOT_APPLICABLE, NOT_APPLICABLE)


def test_the_best_development_score_per_group_gives_the_18_published_rows():
    best = best_of_groups(
        STUDY,
        group=lambda cell: (cell.max_tokens, cell.start, cell.data, cell.method),
        score=lambda cell: cell.dev,
    )
    found = {
        (cell.max_tokens, cell.start, cell.data, cell.method): (cell.learning_rate, cell.dev, cell.test)
        for cell in best
    }
    assert found == REDUCED


def test_the_reduced_korean_rows_are_those_of_the_published_similarities():
    """Rows of KorSTS there are these winners × 100: the same facts may not part."""
    there = sorted(
        (entry["values"]["KorSTS-dev"], entry["values"]["KorSTS-test"])
        for entry in ROWS
        if "learning rates the one with the best dev score; one seed" in entry.get("remark", "")
    )
    korean = sorted(
        (round(100 * dev, 2), round(100 * test, 2))
        for (_, start, *_), (_, dev, test) in REDUCED.items()
        if start != "bert-base"
    )
    assert there == korean and len(there) == 16


def inconsistent(tolerance: float) -> list[dict]:
    return [
        entry
        for entry in ROWS
        if "average" in entry and abs(sum(entry["values"].values()) / 7 - entry["average"]) > tolerance
    ]


def test_the_checker_of_averages_flags_exactly_the_register():
    assert inconsistent(0.0051) == [entry for entry in ROWS if "inconsistent" in entry]
    assert sorted(entry["average"] for entry in inconsistent(0.01)) == [74.62, 74.89, 76.14, 76.49]


def test_the_consistent_value_repairs_its_row():
    for entry in ROWS:
        if "inconsistent" in entry:
            column, consistent = entry["inconsistent"]["column"], entry["inconsistent"]["consistent"]
            row = {**entry["values"], "average": entry["average"], column: consistent}
            mean = sum(row[task] for task in SEVEN_TASKS) / 7
            assert abs(mean - row["average"]) <= 0.0051, entry
            assert f"{consistent:.2f}" in entry["remark"]


def test_rows_of_recipes_say_their_source_and_its_commit():
    for entry in ROWS:
        if entry["section"] in ("ConSERT", "SG-BERT", "SimCSE") and "average" in entry:
            assert entry["reference"], entry
    assert all(sweep["reference"].count("@") == 1 for sweep in SWEEPS.values())


def test_a_group_that_was_not_run_has_no_best_and_the_first_of_equals_wins():
    members = [("a", 1, 0.5), ("a", 2, 0.7), ("a", 3, 0.7), ("b", 1, math.nan)]
    assert best_of_groups(members, group=lambda m: m[0], score=lambda m: m[2]) == [("a", 2, 0.7)]
