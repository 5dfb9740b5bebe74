from pathlib import Path

import pytest

from sentflow.downloads.mirrors import mirrors_in_use, names_in_mirror, places
from sentflow.errors import ConfigError

RAW = "https://raw.githubusercontent.com/ana/dados/0a1b/pasta/f.csv"
CLOUD = "https://cloud.example.br/s/X1/download/tarefa.zip"


def test_address_that_would_leave_the_mirror_is_refused():
    with pytest.raises(ConfigError, match=r"'\.\.' in its path"):
        names_in_mirror("https://host.br/a/%2e%2e/%2e%2e/etc/passwd")


def test_mirrors_come_first_and_the_order_of_addresses_is_kept():
    assert places([CLOUD, RAW], ["/espelho", "https://m.br/dados/"]) == [
        Path("/espelho/cloud.example.br/s/X1/download/tarefa.zip"),
        Path("/espelho/github/ana/dados/0a1b/pasta/f.csv"),
        "https://m.br/dados/cloud.example.br/s/X1/download/tarefa.zip",
        "https://m.br/dados/github/ana/dados/0a1b/pasta/f.csv",
        CLOUD,
        RAW,
    ]


def test_a_file_without_a_public_address_is_in_mirrors_only():
    address = "mirror://derived/Leis/corpus.json"
    assert names_in_mirror(address) == ["derived/Leis/corpus.json"]
    assert places([address], ["/espelho", "https://m.br"]) == [
        Path("/espelho/derived/Leis/corpus.json"),
        "https://m.br/derived/Leis/corpus.json",
    ]
    assert places([address], []) == []


def test_mirrors_of_the_environment_come_after_those_of_the_config_each_once():
    environment = {"SENTFLOW_MIRROR": " /espelho\thttps://m.br:8080/d  /outro "}
    assert mirrors_in_use(["/outro"], environment) == ["/outro", "/espelho", "https://m.br:8080/d"]
    assert mirrors_in_use([], {}) == []
