"""CI's tests run without network (.ci/offline), and this is what shows it."""

import errno
import os
import socket

import pytest

pytestmark = pytest.mark.skipif(
    "SENTFLOW_OFFLINE" not in os.environ, reason="not started by .ci/offline, so there may be a network"
)

# Of the networks that are kept for documentation, RFC 5737 and RFC 3849: nobody answers there
NOWHERE = [(socket.AF_INET, "192.0.2.1"), (socket.AF_INET6, "2001:db8::1")]


def test_the_loopback_interface_is_the_only_one():
    assert [name for _, name in socket.if_nameindex()] == ["lo"]


@pytest.mark.parametrize(("family", "address"), NOWHERE)
def test_no_route_leads_out(family, address):
    with socket.socket(family, socket.SOCK_DGRAM) as out, pytest.raises(OSError) as refused:
        out.connect((address, 443))  # of a datagram: the kernel looks for a route, and nothing is sent
    assert refused.value.errno in (errno.ENETUNREACH, errno.EADDRNOTAVAIL)


def test_servers_of_tests_are_reached():
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()


def test_addresses_are_found_as_if_there_were_a_network():
    """As SLURM asks: on a machine without any address of its own, not even 127.0.0.1 would be found."""
    assert socket.getaddrinfo("127.0.0.1", 443, type=socket.SOCK_STREAM, flags=socket.AI_ADDRCONFIG)
