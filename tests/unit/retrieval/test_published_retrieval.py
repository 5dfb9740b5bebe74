"""Published tables of sparse retrievers: well formed, with their doubts, beside ours where questions are the same."""

from pathlib import Path

import pytest
import yaml

from sentflow.families.retrieval.published import published_of
from sentflow.graph.config.schema import load_schema, schema_problems

WORKFLOW = Path(__file__).parents[3] / "workflow"
TABLES = yaml.safe_load((WORKFLOW / "catalog/published_retrieval.yaml").read_text(encoding="utf-8"))
SETS = yaml.safe_load((WORKFLOW / "catalog/question_sets.yaml").read_text(encoding="utf-8"))


def test_published_tables_are_well_formed():
    assert schema_problems(TABLES, load_schema(WORKFLOW, "published_retrieval"), where="") == []
    for table in TABLES.values():
        columns = table["columns"]
        named = [name for column in columns.values() for name in column.get("mean_of", [])]
        named += [name for row in table["rows"] for name in (*row["values"], *row.get("doubts", {}))]
        assert set(named) == set(columns)
        for row in table["rows"]:
            assert set(row.get("doubts", {})) <= set(row["values"])


def test_printed_means_are_those_of_their_cells():
    found = {}
    for table in TABLES.values():
        for name, column in table["columns"].items():
            for row in table["rows"] if "mean_of" in column else []:
                found[row["system"]] = sum(row["values"][one] for one in column["mean_of"]) / len(
                    column["mean_of"]
                )
                assert len(column["mean_of"]) == 13
                # printed with one digit
                assert found[row["system"]] == pytest.approx(row["values"][name], abs=0.05 + 1e-9)
    assert {name: round(mean, 2) for name, mean in found.items()} == {
        "BM25": 44.02,
        "ColBERTv2": 49.95,
        "SPLADE++": 50.55,
        "SparseEmbed L, 64 values per term": 50.86,
    }


def test_what_two_sources_say_of_the_same_thing_agrees_or_is_in_doubt():
    """The same system and measure in two tables, where the source ran or copied it rather than built it anew."""
    seen = {}
    for table in TABLES.values():
        for row in table["rows"]:
            for name, value in row["values"].items():
                column = table["columns"][name]
                if row["origin"] != "re-implemented" and name not in row.get("doubts", {}):
                    key = (row["system"], column["collection"], column["measure"])
                    seen.setdefault(key, set()).add(value / column["scale"])
    different = {key for key, values in seen.items() if len(values) > 1}
    # two programs for BM25 and two ways to cut words: the tables say so
    assert {system for system, *_ in different} == {"BM25"}


def test_the_register_of_doubts():
    doubts = [
        (row["system"], column, row["values"][column])
        for table in TABLES.values()
        for row in table["rows"]
        for column in row.get("doubts", {})
    ]
    assert doubts == [
        ("SparseEmbed L, 16 values per term", "TERMS", 0.74),
        ("SparseEmbed L, 32 values per term", "TERMS", 4.46),
        ("SPLADE++ EnsembleDistil", "RR@10", 38.3),
        ("SPLADE-mini", "RR@10", 34.1),
        ("SPLADE-tiny", "RR@10", 30.9),
    ]


def test_cells_of_a_question_set_follow_what_its_entry_says():
    name = "scifact-validation"
    found = published_of({name: SETS[name], "npl": SETS["npl"]}, WORKFLOW)
    assert {value["questions"] for value in found} == {name}
    own = SETS[name]["published"]
    assert [value["system"] for value in found[: len(own)]] == [value["system"] for value in own]
    values = {(value["system"], value["source"]): value for value in found[len(own) :]}
    paper, replication = "SparseEmbed (Kong et al. 2023), table 2", "neural-cherche, README"
    assert values["SparseEmbed L, 64 values per term, λ 0.004, 0.005", paper]["value"] == 0.706
    assert values["BM25", paper]["remark"].startswith("Copied by the source")
    assert values["BM25, characters 3 to 5", replication]["value"] == 0.69
    assert values["SparseEmbed", replication]["remark"].startswith(
        "A re-implementation by the source. Another model"
    )
    assert "Another model" not in values["TF-IDF", replication]["remark"]
    assert {value["measure"] for value in values.values()} == {"nDCG@10"}
    allowed = set(load_schema(WORKFLOW, "question_sets")["$defs"]["published"]["properties"])
    assert {key for value in found for key in value} <= {*allowed, "questions"}


def test_columns_name_question_sets_that_exist():
    named = {column.get("question_set") for table in TABLES.values() for column in table["columns"].values()}
    assert named - {None} <= set(SETS)
    assert published_of({}, WORKFLOW) == []
