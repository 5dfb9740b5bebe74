"""The table of limits, and how a configuration changes it."""

import re
from argparse import ArgumentParser
from dataclasses import asdict
from pathlib import Path

import pytest
import yaml

from sentflow.errors import ConfigError
from sentflow.files.limits import GIB, MIB, Limits, add_limits, limited, limits, use_limits

REPOSITORY = Path(__file__).parents[3]


def test_every_limit_is_a_key_of_the_configuration_and_stands_in_the_documentation():
    usual = asdict(Limits())
    schema = yaml.safe_load((REPOSITORY / "workflow/schemas/config.schema.yaml").read_text(encoding="utf-8"))
    assert list(schema["properties"]["limits"]["properties"]) == list(usual)
    page = (REPOSITORY / "docs/data.md").read_text(encoding="utf-8")
    rows = dict(re.findall(r"^\| `(\w+_\w+)` \| .* \| ([\d,]+)(?: \(.*\))? \|$", page, flags=re.MULTILINE))
    assert {key: int(value.replace(",", "")) for key, value in rows.items()} == usual


@pytest.mark.parametrize(
    "settings", [{"bytes": 1}, {"answer_bytes": 0}, {"answer_bytes": "1"}, {"answer_bytes": True}]
)
def test_what_is_no_limit_is_refused(settings):
    with pytest.raises(
        ConfigError, match=r"^limits\.(bytes: there is no such|answer_bytes: .* is not a valid limit)"
    ):
        Limits.from_settings(settings)


def test_the_argument_of_a_command_holds_until_the_next():
    parser = ArgumentParser()
    add_limits(parser)
    with limited():
        use_limits(parser.parse_args(["--limits", '{"archive_members": 3}']))
        assert limits() == Limits(archive_members=3)
        use_limits(parser.parse_args([]))
        assert limits() == Limits()


def test_small_files_may_unpack_to_ten_mebibytes_and_none_to_more_than_the_limit():
    usual = Limits()
    assert [usual.unpacked_from(n) for n in (0, 1000, MIB, GIB)] == [10 * MIB, 10 * MIB, 200 * MIB, 8 * GIB]


def test_an_answer_may_be_as_large_as_its_vectors_indented():
    usual = Limits()
    assert 64 * 1536 * 30 < usual.answer_of(64, 1536) < 10 * MIB
    assert usual.answer_of(10**6, 4096) == usual.answer_bytes
