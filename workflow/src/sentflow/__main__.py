"""``python -m sentflow`` is the command ``sentflow``."""

from sentflow.cli.app import main

main()
