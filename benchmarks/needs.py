"""What every benchmark runs by: where something that it needs is missing, it says so in a line and ends."""

import subprocess
import sys
from collections.abc import Callable

from sentflow.errors import ConfigError, DataError

MISSING = 3
"""Exit status of a benchmark that lacks something."""


def run(main: Callable[[], None]) -> None:
    """Call the function of a benchmark, which may need a package, a file, or a program that needs them."""
    try:
        main()
    except ModuleNotFoundError as error:
        said = f"the package {error.name}; envs/ has lists of packages"
    except FileNotFoundError as error:
        said = str(error.filename or error)
    except DataError as error:  # no download
        said = str(error)
    except ConfigError as error:
        if not isinstance(error.__cause__, ImportError):
            raise
        said = str(error)
    except subprocess.CalledProcessError as error:
        if error.returncode != MISSING:
            raise
        raise SystemExit(MISSING) from None  # it has said what
    else:
        return
    print(f"Missing: {said}", file=sys.stderr)
    raise SystemExit(MISSING)
