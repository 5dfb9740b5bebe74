"""Pair sets of the catalog on the real files: what the descriptions of the data say of them."""

import csv
import io
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import yaml
from scipy.stats import spearmanr

from sentflow.downloads.mirrors import places
from sentflow.errors import DataError
from sentflow.similarity.shared_sentences import graph_of
from sentflow.stats.pair_graph import COMPONENTS, PAIRS, SENTENCES
from sentflow.texts.pair_files import raw_files_of
from sentflow.texts.pairs import PairTable
from sentflow.texts.prepare_pairs import PairSettings, prepare_pairs

pytestmark = pytest.mark.mirror
CATALOG = Path(__file__).parents[2] / "workflow/catalog"


@cache
def catalog(kind: str) -> dict[str, Any]:
    return yaml.safe_load((CATALOG / f"{kind}.yaml").read_text(encoding="utf-8"))


def entry(name: str) -> dict[str, Any]:
    """A pair set with what it is like."""
    own = dict(catalog("pair_sets")[name])
    if "like" not in own:
        return own
    base = entry(own.pop("like"))
    return {**base, **own, "reader": {**base["reader"], **own.get("reader", {})}}


REAL = [name for name in catalog("pair_sets") if not name.endswith("-sample")]


@pytest.fixture(scope="module")
def read(mirror) -> Callable[[str], PairTable]:
    """A pair set by name; checksums, numbers of pairs and the scale are checked on the way."""

    @cache
    def read_once(name: str) -> PairTable:
        found = entry(name)
        files = catalog("datasets")[found["dataset"]]["files"]
        paths = [places(files[file]["urls"], [str(mirror)])[0] for file in raw_files_of(found)]
        settings = PairSettings.from_settings({**found, "files": files}, pairs=name)
        return prepare_pairs(name, [Path(path) for path in paths], settings)

    return read_once


@pytest.mark.parametrize("name", REAL)
def test_pair_set_has_the_pairs_that_the_catalog_expects(read, name):
    table = read(name)
    assert len(table) == entry(name)["rows"]
    assert len({len(table.subset), len(table.text_b), len(table.score)}) == 1
    assert not any(text.endswith("\r") for text in table.texts())


@pytest.mark.parametrize("form", ["", "-senteval"])
@pytest.mark.parametrize(
    ("year", "ranges"),
    [
        ("STS12", [(0.75, 5), (0, 5), (1.5, 5), (0, 5), (0.25, 5)]),
        ("STS13", [(0, 4), (0, 5), (0, 5)]),
        ("STS14", [(0, 5)] * 6),
        ("STS15", [(0, 4.8), (0, 5), (0, 5), (0, 5), (0, 5)]),
        ("STS16", [(0, 5)] * 5),
    ],
)
def test_gold_of_each_sub_source_has_its_range(read, year, ranges, form):
    table = read(year + form)
    subset = np.array(table.subset)
    found = [table.score[subset == name] for name in table.info.subsets]
    assert [(scores.min(), scores.max()) for scores in found] == ranges


def test_gold_of_2016_is_whole_numbers(read):
    assert set(read("STS16").score) == {0, 1, 2, 3, 4, 5}


@pytest.mark.parametrize("year", ["STS12", "STS13", "STS14", "STS15", "STS16", "STSB-dev", "SICKR-test"])
def test_both_forms_hold_the_same_pairs_in_the_same_order(read, year):
    raw, senteval = read(year), read(f"{year}-senteval")
    assert raw.subset == senteval.subset
    np.testing.assert_array_equal(raw.score, senteval.score)

    def bare(text: str) -> str:
        return "".join(sign for sign in text.lower() if sign.isalnum())

    same = [bare(a) == bare(b) for a, b in zip(raw.text_a, senteval.text_a, strict=True)]
    assert np.mean(same) > 0.9


@pytest.mark.parametrize(
    ("split", "above", "at_least"), [("train", 1052, 1406), ("dev", 208, 264), ("test", 231, 338)]
)
@pytest.mark.parametrize("name", ["STSB-{}", "STSB-{}-senteval", "KorSTS-{}", "STSB-pt-{}", "STSB-ja-{}"])
def test_sts_benchmark_has_its_pairs_of_high_score_in_every_language(read, name, split, above, at_least):
    score = read(name.format(split)).score
    assert ((score > 4).sum(), (score >= 4).sum()) == (above, at_least)


def test_default_quoting_loses_rows_of_the_sts_benchmark(read, mirror):
    path = Path(places(catalog("datasets")["stsb"]["files"]["sts-dev.csv"]["urls"], [str(mirror)])[0])
    rows = list(csv.reader(io.StringIO(path.read_text(encoding="utf-8"), newline=""), delimiter="\t"))
    assert (len(rows), sum(len(row) > 4 and float(row[4]) > 4 for row in rows)) == (1470, 200)
    assert len(read("STSB-dev")) == 1500
    quoted = entry("STSB-dev")
    quoted["reader"] = {**quoted["reader"], "format": "csv", "delimiter": "\t"}
    with pytest.raises(DataError, match="sts-dev.csv"):
        prepare_pairs("STSB-dev", [path], PairSettings.from_settings(quoted, pairs="STSB-dev"))


def test_sts_benchmark_has_the_distinct_sentences_of_the_alignment_table(read):
    tables = [read(f"STSB-{split}") for split in ("train", "dev", "test")]
    assert [len(table.texts()) for table in tables[1:]] == [2910, 2552]
    assert len({text for table in tables for text in table.texts()}) == 15487
    assert [len(read(f"STSB-{split}-senteval").texts()) for split in ("dev", "test")] == [2909, 2551]


@pytest.mark.parametrize("form", ["", "-senteval"])
def test_half_of_the_training_part_is_test_material(read, form):
    known = {frozenset(pair) for pair in pairs_of(read(f"STSB-train{form}"))}
    shared = [
        sum(frozenset(pair) in known for pair in pairs_of(read(f"STS{year}{form}"))) for year in range(12, 17)
    ]
    assert shared == [1002, 597, 1861, 1102, 197]


def test_mteb_scores_all_three_parts_of_sick(read):
    parts = [read(f"SICKR-{split}") for split in ("train", "dev", "test")]
    whole = read("SICKR-mteb")
    assert [len(part) for part in parts] == [4500, 500, 4927]
    assert whole.text_a == [text for part in parts for text in part.text_a]


def test_tmup_has_363_paraphrases_and_its_words_can_be_joined(read):
    spaced, joined = read("TMUP"), read("TMUP-joined")
    assert ((spaced.score == 1).sum(), (spaced.score == 0).sum()) == (363, 292)
    assert all(" " in text for text in spaced.text_a)
    assert joined.text_b == [text.replace(" ", "") for text in spaced.text_b]
    assert not any(" " in text for text in joined.texts())


def test_questions_that_are_called_duplicates_are_the_others(read):
    for name, same in (("Korean-questions-train", 4750), ("Korean-questions-test", 359)):
        table = read(name)
        assert (table.score == 1).sum() == same
        overlap = np.array([jaccard(bigrams(a), bigrams(b)) for a, b in pairs_of(table)])
        assert overlap[table.score == 1].mean() > 2 * overlap[table.score == 0].mean()


def test_klue_has_rounded_scores_and_balanced_halves(read):
    score = read("KLUE-STS-dev").score
    assert ((score >= 3).sum(), (score < 3).sum()) == (220, 299)
    assert (score.min(), score.max()) == (0, 5)


def test_parakqc_uses_every_sentence_in_one_pair(read):
    table = read("paraKQC")
    assert len(table.text_a) + len(table.text_b) == 10000
    assert table.text_b[0] == "메일 중에 안읽은 것만 지울까? 다 지울까?"


# --- overlap of words, Spearman × 100: numbers that need no model, so that a wrong row or a wrong column shows


def pairs_of(table: PairTable) -> list[tuple[str, str]]:
    return list(zip(table.text_a, table.text_b, strict=True))


def bigrams(text: str) -> set[str]:
    joined = text.replace(" ", "")
    return {joined[k : k + 2] for k in range(len(joined) - 1)}


def words(text: str) -> set[str]:
    return set(text.split())


def jaccard(a: set[str], b: set[str]) -> float:
    return len(a & b) / len(a | b) if a | b else 0.0


@pytest.mark.parametrize(
    ("name", "signs", "lower", "expected"),
    [
        ("STS12-senteval", words, False, 43.02),
        ("STS13-senteval", words, False, 48.89),
        ("STS14-senteval", words, False, 51.18),
        ("STS15-senteval", words, False, 67.47),
        ("STS16-senteval", words, False, 57.48),
        ("STSB-dev-senteval", words, False, 62.97),
        ("STSB-test-senteval", words, False, 52.60),
        ("SICKR-test-senteval", words, False, 54.09),
        ("KorSTS-dev", words, False, 51.23),
        ("KorSTS-test", words, False, 43.63),
        ("KorSTS-dev", bigrams, False, 65.13),
        ("KorSTS-test", bigrams, False, 56.25),
        ("KLUE-STS-dev", words, False, 1.65),
        ("KLUE-STS-dev", bigrams, False, 23.17),
        ("JSTS-valid", bigrams, False, 66.06),
        ("ASSIN-br-test", words, True, 56.19),
        ("ASSIN-br-test", bigrams, True, 63.79),
        ("ASSIN-pt-test", words, True, 54.50),
        ("ASSIN-pt-test", bigrams, True, 62.65),
        ("ASSIN2-test", words, True, 54.20),
        ("ASSIN2-test", bigrams, True, 58.56),
        ("STSB-pt-test", words, True, 45.42),
        ("STSB-pt-test", bigrams, True, 62.70),
    ],
)
def test_overlap_of_signs_correlates_with_gold_as_described(read, name, signs, lower, expected):
    table = read(name)
    folded = [(a.lower(), b.lower()) if lower else (a, b) for a, b in pairs_of(table)]
    overlap = [jaccard(signs(a), signs(b)) for a, b in folded]
    assert 100 * spearmanr(overlap, table.score).statistic == pytest.approx(expected, abs=0.005)


@pytest.mark.parametrize(
    ("name", "subset", "n", "n_components"),
    [("STS12", "SMTeuroparl", 459, 27), ("STS12", "surprise.SMTnews", 399, 57)],
)
def test_translations_of_a_sentence_are_one_component(read, name, subset, n, n_components):
    table = read(name)
    rows = np.flatnonzero([own == subset for own in table.subset])
    component = graph_of([table]).of(rows).component
    assert (len(component), component.max() + 1) == (n, n_components)


@pytest.mark.parametrize(
    ("name", "kind"),
    [("STS12", COMPONENTS), ("SICKR-test", COMPONENTS), ("SICKR-mteb", SENTENCES), ("KLUE-STS-dev", PAIRS)],
)
def test_the_graph_decides_what_resamples_draw(read, name, kind):
    assert graph_of([read(name)]).units.kind == kind


def test_nearly_all_pairs_of_sick_share_a_sentence(read):
    graph = graph_of([read("SICKR-test")])
    n_pairs = np.bincount(np.concatenate([graph.first, graph.second]))
    shares = (n_pairs[graph.first] > 1) | (n_pairs[graph.second] > 1)
    assert shares.mean() == pytest.approx(0.98, abs=0.005)
