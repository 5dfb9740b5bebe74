"""Settings and limits: what is read as ever, and what has no end."""

import json

import pytest
import yaml
import yte

from sentflow.cli.configuration import read_configuration
from sentflow.errors import ConfigError
from sentflow.files.limits import GIB, MIB, SETTINGS_BYTES, Limits, limited
from sentflow.files.settings_files import check_size, read_settings


def test_a_part_of_itself_is_refused():
    itself = {}
    itself["a"] = itself
    with pytest.raises(ConfigError, match="contains itself"):
        check_size(itself, where="config")


def test_honest_files_are_read_as_ever(tmp_path):
    text = "a: &a {x: 1, y: [1, 2]}\nb: {<<: *a, x: 2}\nc: *a\nd: 2020-01-01\ne: null\n"
    file = tmp_path / "a.yaml"
    file.write_text(text, encoding="utf-8")
    assert read_settings(file) == yaml.safe_load(text)
    file.write_text("# nothing\n", encoding="utf-8")
    assert read_settings(file) is None
    many = {"published": [{"task": "T1A", "model": "x", "value": 0.5, "source": "table 3"}] * 5000}
    file.write_text(json.dumps(many), encoding="utf-8")
    assert read_settings(file) == many


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ("a: {b: c?}", "line 1, column 9: .*quotes"),
        ("a:\n\tb: c", "line 2, column 1: a tab. Write spaces"),
        ("a: [1,\t2]", "line 1, column 7: a tab"),
    ],
)
def test_what_snakemake_refuses_is_refused_with_its_place(tmp_path, text, place):
    with pytest.raises(yaml.YAMLError):
        yte.process_yaml(text, require_use_yte=True)
    file = tmp_path / "a.yaml"
    file.write_text(text, encoding="utf-8")
    with pytest.raises(ConfigError, match=rf"a\.yaml is not YAML: {place}"):
        read_settings(file)


def test_aliases_without_end_are_refused(tmp_path):
    file = tmp_path / "a.yaml"
    levels = [f"a{level}: &a{level} [{', '.join([f'*a{level - 1}'] * 10)}]" for level in range(1, 11)]
    file.write_text("\n".join(["a0: &a0 [lol]", *levels]), encoding="utf-8")
    with pytest.raises(ConfigError, match=rf"a\.yaml: with aliases .* more than {SETTINGS_BYTES} characters"):
        read_configuration([file])


def test_what_is_no_limit_is_refused():
    for settings in ({"bytes": 1}, {"answer_bytes": 0}, {"answer_bytes": "1"}, {"answer_bytes": True}):
        with pytest.raises(ConfigError, match=rf"^limits\.{next(iter(settings))}: "), limited(**settings):
            pass


def test_small_files_may_unpack_to_ten_mebibytes_and_none_to_more_than_the_limit():
    usual = Limits()
    assert [usual.unpacked_from(n) for n in (0, 1000, MIB, GIB)] == [10 * MIB, 10 * MIB, 200 * MIB, 8 * GIB]
