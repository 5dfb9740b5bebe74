from pathlib import Path

import pytest

from sentflow.downloads.mirrors import is_remote, local_path, mirrors_in_use, names_in_mirror, places
from sentflow.errors import ConfigError

RAW = "https://raw.githubusercontent.com/ana/dados/0a1b/pasta/f.csv"
CLOUD = "https://cloud.example.br/s/X1/download/tarefa.zip"
DRIVE = "https://drive.example.com/uc?id=1aB&export=download"


def test_raw_github_file_lies_under_owner_name_commit():
    assert names_in_mirror(RAW) == ["github/ana/dados/0a1b/pasta/f.csv"]


def test_any_other_file_lies_under_host_and_path():
    assert names_in_mirror(CLOUD) == ["cloud.example.br/s/X1/download/tarefa.zip"]


def test_query_is_part_of_the_name_and_then_left_out():
    assert names_in_mirror(DRIVE) == ["drive.example.com/uc?id=1aB&export=download", "drive.example.com/uc"]


def test_port_and_user_are_not_part_of_the_name_and_quoting_is_undone():
    assert names_in_mirror("http://u:p@host.br:8080/a%C3%A7%C3%A3o%20x.csv") == ["host.br/ação x.csv"]


def test_address_that_would_leave_the_mirror_is_refused():
    with pytest.raises(ConfigError, match=r"'\.\.' in its path"):
        names_in_mirror("https://host.br/a/%2e%2e/%2e%2e/etc/passwd")


def test_address_without_host_is_refused():
    with pytest.raises(ConfigError, match="no host"):
        names_in_mirror("https:///x.csv")


def test_mirrors_come_first_and_the_order_of_addresses_is_kept():
    assert places([CLOUD, RAW], ["/espelho", "https://m.br/dados/"]) == [
        Path("/espelho/cloud.example.br/s/X1/download/tarefa.zip"),
        Path("/espelho/github/ana/dados/0a1b/pasta/f.csv"),
        "https://m.br/dados/cloud.example.br/s/X1/download/tarefa.zip",
        "https://m.br/dados/github/ana/dados/0a1b/pasta/f.csv",
        CLOUD,
        RAW,
    ]


def test_query_is_quoted_in_the_address_of_a_mirror():
    first, second, _ = places([DRIVE], ["https://m.br"])
    assert first == "https://m.br/drive.example.com/uc%3Fid%3D1aB%26export%3Ddownload"
    assert second == "https://m.br/drive.example.com/uc"


def test_local_files_need_no_mirror():
    assert places(["meus/dados.csv", "file:///dados/a%20b.csv"], ["/espelho"]) == [
        Path("meus/dados.csv"),
        Path("/dados/a b.csv"),
    ]


def test_a_file_without_a_public_address_is_in_mirrors_only():
    address = "mirror://derived/Leis/corpus.json"
    assert names_in_mirror(address) == ["derived/Leis/corpus.json"]
    assert places([address], ["/espelho", "https://m.br"]) == [
        Path("/espelho/derived/Leis/corpus.json"),
        "https://m.br/derived/Leis/corpus.json",
    ]
    assert places([address], []) == []


def test_home_folder_is_expanded():
    assert local_path("~/x.csv") == Path.home() / "x.csv"


def test_unknown_scheme_is_refused_with_the_schemes_that_exist():
    with pytest.raises(
        ConfigError, match="s3://b/x.csv: write an address that starts with http://, https:// or file://"
    ):
        is_remote("s3://b/x.csv")


def test_mirrors_of_the_environment_come_after_those_of_the_config_each_once():
    environment = {"SENTFLOW_MIRROR": " /espelho\thttps://m.br:8080/d  /outro "}
    assert mirrors_in_use(["/outro"], environment) == ["/outro", "/espelho", "https://m.br:8080/d"]
    assert mirrors_in_use([], {}) == []
