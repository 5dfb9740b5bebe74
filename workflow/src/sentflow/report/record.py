"""What an experiment was made of: its configuration, and the versions that made it."""

import platform
import shutil
import subprocess
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import yaml

from sentflow.jobs.machine import instructions, library_version, processor_name

LIBRARIES = (
    *("sentflow", "snakemake", "numpy", "scipy", "scikit-learn", "torch", "sentence-transformers"),
    *("transformers", "tokenizers", "safetensors", "pandas", "py3langid", "pyarrow", "bm25s", "ir-measures"),
    *("pytrec-eval-terrier", "PyStemmer", "underthesea", "matplotlib", "jinja2"),
)
_SECONDS_FOR_GIT = 20


def config_text(config: Mapping[str, Any]) -> str:
    """The configuration as YAML with sorted keys, so that equal configurations give equal bytes."""
    return yaml.safe_dump(dict(config), sort_keys=True, allow_unicode=True, width=100)


def versions() -> dict[str, Any]:
    """Versions of Python, of the libraries, of the system and its processor, and of the code if git has it."""
    return {
        "python": platform.python_version(),
        "platform": f"{platform.system()} {platform.release()} {platform.machine()}",
        "processor": " ".join(filter(None, [processor_name(), instructions()])),
        "libraries": {name: library_version(name) for name in LIBRARIES},
        "git": git_state(Path(__file__)),
    }


def git_state(file: Path) -> dict[str, Any] | None:
    """Commit of the repository that tracks `file`, and whether tracked files differ from it.

    None where git or the repository is missing, where there is no commit yet, or where the file is only
    *inside* a repository (an installed package in a project's environment) but not part of it.
    """
    if shutil.which("git") is None or _git(file, "ls-files", "--error-unmatch", file.name) is None:
        return None
    commit = _git(file, "rev-parse", "--verify", "HEAD")
    if commit is None:
        return None
    changes = _git(file, "status", "--porcelain", "--untracked-files=no")
    return {"commit": commit, "dirty": changes != ""}


def _git(file: Path, *arguments: str) -> str | None:
    try:
        done = subprocess.run(
            ["git", "-C", str(file.resolve().parent), *arguments],
            capture_output=True,
            text=True,
            timeout=_SECONDS_FOR_GIT,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return None
    return done.stdout.strip() if done.returncode == 0 else None
