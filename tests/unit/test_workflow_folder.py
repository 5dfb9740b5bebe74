"""A copy of the package without the workflow says what is missing, whatever is asked of it."""

import subprocess
import sys
from pathlib import Path

import sentflow

ASK = """
import sys
sys.path.insert(0, sys.argv[1])
import sentflow
from sentflow.errors import ConfigError
for asked in (
    lambda: sentflow.probe_protocol("corrected"),
    lambda: sentflow.retrieve(["law"], ["law", "decree"]),
    lambda: sentflow.STSBEval(len),
    lambda: sentflow.UlyssesSentEval(len, tasks="T1B-sample"),
):
    try:
        asked()
    except ConfigError as error:
        print(error)
"""


def test_the_package_alone_says_what_to_install(tmp_path):
    package = tmp_path / "a/b/sentflow"
    package.parent.mkdir(parents=True)
    package.symlink_to(Path(sentflow.__path__[0]), target_is_directory=True)
    words = [sys.executable, "-c", ASK, str(package.parent)]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    said = done.stdout.splitlines()
    assert len(said) == 4
    for line in said:
        assert line.startswith("there is no ")
        assert line.endswith("Install it from the repository, which brings both: pip install FOLDER.")
