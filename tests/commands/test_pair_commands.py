"""clean_pairs, combine_pairs and export_pairs: from tables of training data to a data set with a card."""

import json

import pyarrow.parquet as pq
import pytest

from sentflow.commands import clean_pairs, combine_pairs, export_pairs
from sentflow.errors import DataError
from sentflow.files.io import read_json, refuse_changed
from sentflow.training.data.table import TrainingData, read_training_data, write_training_data

BILLS = [
    "Dispõe sobre a saúde bucal nas escolas da rede municipal.",
    "Cria o programa de transporte gratuito para estudantes do campo.",
    "Altera o horário da coleta de lixo nos bairros do centro.",
    "Institui a semana da leitura em todas as bibliotecas públicas.",
]
ABOUT = [
    "Obriga os dentistas do município a examinar cada aluno uma vez por ano letivo.",
    "Os ônibus passarão de manhã e à tarde nas estradas rurais, sem custo para as famílias.",
    "Os caminhões só circulam depois das vinte e duas horas, para não parar o trânsito.",
    "Haverá encontros com escritores, oficinas e empréstimo de livros sem prazo.",
]


@pytest.fixture
def run(tmp_path):
    """Write two relations and a test, run all three commands, and give the folder."""

    def relation(name, texts, others):
        path = tmp_path / f"{name}.parquet"
        write_training_data(path, TrainingData(name, "pairs", {"text": texts, "other": others}), {})
        return path

    tests = tmp_path / "test.parquet"
    write_training_data(tests, TrainingData("seen", "texts", {"text": [ABOUT[0]]}), {})
    bills = relation(
        "bills",
        [*BILLS, "Quem organiza a semana da leitura?"],
        [*ABOUT, "A biblioteca central, pelo endereço a@b.gov.br"],
    )
    again = relation(
        "again", [ABOUT[2], "Uma pergunta do cidadão?"], [BILLS[2], "Uma resposta da prefeitura."]
    )
    settings = json.dumps({"tests": [["task", "seen"]], "language": "pt"})
    cleaned = []
    for path in (bills, again):
        cleaned.append(tmp_path / "cleaned" / path.name)
        clean_pairs.main(
            [
                "--relation",
                str(path),
                "--tests",
                str(tests),
                "--settings",
                settings,
                "--output",
                str(cleaned[-1]),
            ]
        )

    def combine(checks="{}"):
        combine_pairs.main(
            [
                "--data",
                "both",
                "--relations",
                *map(str, cleaned),
                "--settings",
                '{"near": 0.9}',
                "--checks",
                checks,
            ]
            + ["--output", str(tmp_path / "both.parquet")]
        )
        return tmp_path

    return combine


def test_what_is_left_of_two_relations_and_why_the_rest_is_not(run):
    folder = run()
    data = read_training_data(folder / "both.parquet")
    assert data.columns["other"] == [
        *ABOUT[1:],
        "A biblioteca central, pelo endereço [E-MAIL]",
        "Uma resposta da prefeitura.",
    ]
    facts = read_json(folder / "both.json")
    bills, again = facts["relations"]
    assert (bills["read"], bills["held_out"], bills["rows"]) == (5, 1, 4)
    assert bills["tests"] == [["task", "seen", 1]]
    assert (again["read"], again["copies"], again["rows"]) == (2, 1, 1)
    assert facts["rows"] == 5
    refuse_changed(folder / "both.parquet")


def test_another_number_of_rows_than_expected_is_refused(run):
    with pytest.raises(DataError, match="training_data.both: 5 rows, expected 9."):
        run('{"rows": 9}')


def test_the_export_has_all_rows_in_shards_and_says_where_they_are_from(run):
    folder = run()
    about = {
        "title": "Both relations",
        "language": "pt",
        "near": 0.9,
        "shards": 3,
        "relations": {"bills": "Summary and explanation", "again": "Others"},
        "datasets": {
            "bills": [{"title": "Bills of a city", "licence": "CC0", "citation": "none"}],
            "again": [{"title": "Bills of a city", "licence": "CC0", "citation": "none"}],
        },
    }
    export_pairs.main(
        [
            "--data",
            str(folder / "both.parquet"),
            "--settings",
            json.dumps(about),
            "--output",
            str(folder / "data"),
        ]
        + ["--card", str(folder / "README.md")]
    )
    shards = sorted((folder / "data").iterdir())
    assert [path.name for path in shards] == [f"train-0000{place}-of-00003.parquet" for place in range(3)]
    tables = [pq.read_table(path) for path in shards]
    assert [table.num_rows for table in tables] == [1, 2, 2]
    rows = [text for table in tables for text in table.column("other").to_pylist()]
    assert rows == read_training_data(folder / "both.parquet").columns["other"]
    assert tables[0].column_names == ["text", "other", "relation"]
    card = (folder / "README.md").read_text(encoding="utf-8")
    assert "| Summary and explanation (`bills`) | 5 | 0 | 0 | 1 | 0 | 0 | 4 |" in card
    assert "| **all** | 7 | 0 | 0 | 1 | 1 | 0 | 5 |" in card
    assert "- task seen: 1 pairs left out" in card
    assert "`[E-MAIL]` 1 times" in card
    assert "- Bills of a city (`bills`, `again`). Licence: CC0." in card
    assert "size_categories: [n<1K]" in card


def test_a_relation_of_which_nothing_is_left_is_refused(tmp_path):
    path = tmp_path / "equal.parquet"
    write_training_data(path, TrainingData("equal", "pairs", {"text": ["Lei"], "other": ["lei."]}), {})
    told = "training_data.equal: no pair is left: 0 of 1 pairs stay; left out: 1 of two equal texts"
    with pytest.raises(DataError, match=told):
        clean_pairs.main(
            [
                "--relation",
                str(path),
                "--settings",
                '{"tests": [], "language": null}',
                "--output",
                str(tmp_path / "x.parquet"),
            ]
        )
    assert not (tmp_path / "x.parquet").exists()
