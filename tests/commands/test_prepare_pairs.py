import json
from pathlib import Path

import pytest
import yaml

from sentflow.commands import collect, generate, prepare_pairs
from sentflow.errors import DataError
from sentflow.files.io import file_sha256, read_json
from sentflow.texts.collection import read_texts
from sentflow.texts.pairs import read_pairs

ENTRY = {
    "title": "Two sub-sources",
    "data_version": "test",
    "language": "pt",
    "scale": [0, 5],
    "reader": {
        "format": "semeval",
        "subsets": ["news", "forum"],
        "input": "STS.input.{subset}.txt",
        "gold": "STS.gs.{subset}.txt",
    },
}


def write_raw(folder: Path, gold: str = "4.5\n\n0\n") -> list[str]:
    files = {
        "STS.input.news.txt": 'São "Paulo\tb\nx\ty\nb\tSão "Paulo\n',
        "STS.gs.news.txt": gold,
        "STS.input.forum.txt": "c\tb\tsource\tsource\n",
        "STS.gs.forum.txt": "1.25",
    }
    for name, text in files.items():
        (folder / name).write_bytes(text.encode())
    return [str(folder / name) for name in files]


def run(folder: Path, *, gold: str = "4.5\n\n0\n", checks: dict | None = None) -> Path:
    output = folder / "pairs/X.parquet"
    words = ["--pairs", "X", "--raw", *write_raw(folder, gold), "--settings", json.dumps(ENTRY)]
    prepare_pairs.main([*words, "--checks", json.dumps(checks or {}), "--output", str(output)])
    return output


def test_scored_pairs_are_kept_sub_source_after_sub_source(tmp_path):
    output = run(tmp_path, checks={"rows": 3, "subset_rows": {"news": 2, "forum": 1}})
    table = read_pairs(output)
    assert table.subset == ["news", "news", "forum"]
    assert table.text_a == ['São "Paulo', "b", "c"]
    assert table.text_b == ["b", 'São "Paulo', "b"]
    assert table.score.tolist() == [4.5, 0.0, 1.25]  # the blank line was not scored, 0 was
    assert (table.info.pairs, table.info.scale, table.info.subsets) == ("X", (0.0, 5.0), ["news", "forum"])
    assert read_json(output.with_suffix(".json"))["sha256"] == file_sha256(output)


def test_sentences_of_two_sets_are_collected_once(tmp_path):
    table = str(run(tmp_path))
    output = tmp_path / "texts.parquet"
    assert collect.main(["--tables", table, table, "--output", str(output)]) == 0
    assert read_texts(output) == ['São "Paulo', "b", "c"]
    assert read_json(tmp_path / "texts.json")["sha256"] == file_sha256(output)


def test_other_numbers_than_the_catalog_expects_are_told_together_and_leave_no_table(tmp_path):
    checks = {"rows": 4, "subset_rows": {"news": 3, "forum": 1}}
    message = r"3 scored pairs, expected 4.*\n.*news: 2, forum: 1, expected news: 3, forum: 1"
    with pytest.raises(DataError, match=message):
        run(tmp_path, checks=checks)
    assert not (tmp_path / "pairs").exists()


def test_raw_file_that_was_changed_after_its_download_is_refused(tmp_path):
    file = {"urls": ["https://a.br/STS.gs.news.txt"], "sha256": "0" * 64}
    with pytest.raises(DataError, match="STS.gs.news.txt is not the file of the catalog"):
        run(tmp_path, checks={"files": {"STS.gs.news.txt": file}})


def test_table_that_is_none_ends_without_sentences(tmp_path):
    (tmp_path / "A.parquet").write_bytes(b"cut")
    with pytest.raises(DataError, match="A.parquet is not a readable table of texts"):
        collect.main(["--tables", str(tmp_path / "A.parquet"), "--output", str(tmp_path / "t")])
    assert not (tmp_path / "t").exists()


def test_every_sample_pair_set_is_generated_and_prepared(tmp_path):
    catalog = Path(__file__).parents[2] / "workflow/catalog/pair_sets.yaml"
    entries = yaml.safe_load(catalog.read_text(encoding="utf-8"))
    for name in (name for name in entries if name.endswith("-sample")):
        entry, raw = entries[name], tmp_path / entries[name]["reader"]["files"][0]
        generate.main(["--task", raw.stem, "--seed", "1", "--output", str(raw)])
        output = tmp_path / f"{name}.parquet"
        words = ["--pairs", name, "--raw", str(raw), "--settings", json.dumps(entry)]
        prepare_pairs.main([*words, "--checks", json.dumps(entry), "--output", str(output)])
        table = read_pairs(output)
        assert table.info.subsets == list(entry.get("subset_rows", {"": 0}))
