"""Start the loopback interface of a new network namespace; .ci/offline calls it.

Beside 127.0.0.1 it gets an address that is no loopback address: resolvers that ask for addresses "as configured" (those
of SLURM do) know none, not even 127.0.0.1, on a machine that has no other. No route leads from it to anywhere.
"""

import fcntl
import socket
import struct

SIOCSIFFLAGS, SIOCSIFADDR, SIOCSIFNETMASK, IFF_UP = 0x8914, 0x8916, 0x891C, 0x1
OWN = "198.51.100.1"  # kept for documentation, RFC 5737


def main() -> None:
    """Set flags and addresses."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as control:
        fcntl.ioctl(control, SIOCSIFFLAGS, struct.pack("16sH14x", b"lo", IFF_UP))
        for request, address in ((SIOCSIFADDR, OWN), (SIOCSIFNETMASK, "255.255.255.255")):
            value = struct.pack("16sHH4s8x", b"lo:1", socket.AF_INET, 0, socket.inet_aton(address))
            fcntl.ioctl(control, request, value)


if __name__ == "__main__":
    main()
