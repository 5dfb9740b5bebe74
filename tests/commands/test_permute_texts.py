import json

import pytest

from sentflow.commands.permute_texts import main
from sentflow.errors import ConfigError
from sentflow.geometry.permuted_texts import read_permuted
from sentflow.texts.collection import read_texts, write_texts

TEXTS = [f"number {number} of a few short texts" for number in range(20)]


def run(folder, settings: dict) -> None:
    write_texts(folder / "texts.parquet", TEXTS)
    words = ["--texts", str(folder / "texts.parquet"), "--output", str(folder / "permuted.parquet")]
    assert main([*words, "--settings", json.dumps(settings)]) == 0


def test_permuted_texts_can_be_embedded_and_traced_to_their_originals(tmp_path):
    run(tmp_path, {"n": 8, "seed": 5})
    found = read_permuted(tmp_path / "permuted.parquet")
    assert len(found.texts) == 8
    assert read_texts(tmp_path / "permuted.parquet") == found.texts  # what the rule embed reads
    assert set(found.originals) <= set(TEXTS)
    assert (tmp_path / "permuted.json").is_file()  # the digest
    first = (tmp_path / "permuted.parquet").read_bytes()
    run(tmp_path, {"n": 8, "seed": 5})
    assert (tmp_path / "permuted.parquet").read_bytes() == first


def test_no_text_is_no_sample(tmp_path):
    with pytest.raises(ConfigError, match="n is 0"):
        run(tmp_path, {"n": 0, "seed": 5})
