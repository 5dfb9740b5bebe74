"""Which key may be sent where: what a configuration may name, and what its owner says beside it."""

import pytest

from sentflow.encoders.kinds.service_keys import is_key_variable, read_key
from sentflow.errors import ConfigError

KEY = "chave-do-lab-Zq81"


def key_for(url: str, hosts: str = "api.example.org", variable: str = "SENTFLOW_KEY_LAB") -> str:
    return read_key(
        variable, url, {"SENTFLOW_KEY_LAB": KEY + "\n", "SENTFLOW_HOST_LAB": hosts, "HF_TOKEN": KEY}
    )


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        ("HTTPS://API.example.org:443", "api.EXAMPLE.org"),
        ("https://api.example.org:8443/v1", "api.example.org:8443"),
        ("https://b.example.org/v1", "https://a.example.org b.example.org"),
        ("http://[::1]:8000/v1", "[::1]:8000"),
        ("http://gpu_server:8000/v1", "http://gpu_server:8000/"),
    ],
)
def test_a_key_goes_to_the_host_that_its_owner_names(url, hosts):
    assert key_for(url, hosts) == KEY


@pytest.mark.parametrize(
    ("url", "hosts"),
    [
        ("https://api.example.org.evil.example/v1", "api.example.org"),
        ("https://x.api.example.org/v1", "api.example.org"),
        ("https://api.example.org:8443/v1", "api.example.org"),
        ("http://127.0.0.1:9000/v1", "127.0.0.1:8000"),  # of another user of this machine, perhaps
        ("http://api.example.org/v1", "api.example.org"),  # unencrypted
        ("https://gpu_server:8000/v1", "http://gpu_server:8000"),
        # Two readers of an address may find two hosts in these
        ("https://evil.example\\@api.example.org/v1", "api.example.org"),
        ("https://api.example.org@evil.example/v1", "api.example.org"),
        ("https://api.example.org\n.evil.example", "api.example.org"),
        ("https://api.example.org", "*.example.org"),
    ],
)
def test_a_key_goes_nowhere_else(url, hosts):
    with pytest.raises(ConfigError, match="SENTFLOW_KEY_LAB") as error:
        key_for(url, hosts)
    assert KEY not in str(error.value)


@pytest.mark.parametrize(
    ("url", "export"),
    [
        ("https://api.example.org:8443/v1", "export SENTFLOW_HOST_LAB=api.example.org:8443"),
        ("http://gpu:8000/v1", "export SENTFLOW_HOST_LAB=http://gpu:8000"),
    ],
)
def test_a_key_without_a_host_is_told_with_what_to_write_and_that_is_right(url, export):
    with pytest.raises(ConfigError, match="SENTFLOW_KEY_LAB") as error:
        key_for(url, " ")
    assert str(error.value).endswith(f": {export}")
    assert key_for(url, export.partition("=")[2]) == KEY


@pytest.mark.parametrize(
    "variable", ["AWS_SECRET_ACCESS_KEY", "SENTFLOW_KEY_", "SENTFLOW_KEY_lab", "SENTFLOW_KEY_A\n"]
)
def test_another_variable_is_no_key_wherever_it_is_named(variable):
    assert not is_key_variable(variable)
    with pytest.raises(ConfigError, match="SENTFLOW_KEY_NAME"):
        key_for("https://api.example.org/v1", variable=variable)


@pytest.mark.parametrize("value", [None, "  ", "secret\nX-Evil: 1", "secret secret", "secrét56", "secre"])
def test_a_variable_without_a_key_is_told_and_its_value_is_not(value):
    environment = {} if value is None else {"SENTFLOW_KEY_LAB": value}
    with pytest.raises(ConfigError, match="SENTFLOW_KEY_LAB") as error:
        read_key("SENTFLOW_KEY_LAB", "https://api.example.org", environment)
    assert "secr" not in str(error.value)
