"""What embeds again when code or libraries change: only encoders whose vectors that can change."""

import subprocess
import sys
from importlib.util import find_spec

import pytest

from sentflow.encoders.dependencies import KINDS_OF_MODULE, modules_of_others, vector_libraries
from sentflow.encoders.entries import FETCH_KEYS
from sentflow.graph.provenance import code, imported_modules

# Imported with the checks of a configuration, which no kind calls when it encodes
CHECKS = {f"sentflow.encoders.{name}" for name in ("custom_class", "entry_checks", "scikit_learn_list")}
COMMANDS = ("embed", "embed_task", "fetch_model")
MANIFESTS = {
    "api": """dict(kind="api", dimension=4, settings=dict(
        url="http://localhost:1/v1", model="m", dimension=4, request_dimension=False))""",
    "random": """dict(kind="random", dimension=4, settings=dict(dimension=4, seed=0))""",
}
PROGRAM = """
import sys
from pathlib import Path
from sentflow.encoders.load import load_encoder
from sentflow.encoders.manifest import Manifest
from sentflow.encoders.settings_by_kind import settings_of_kind
manifest = Manifest(**{manifest})
load_encoder(manifest, settings_of_kind(manifest.kind, "{{}}"), manifest_folder=Path("."))
print(*[name for name in sys.modules if name.startswith("sentflow.")])
"""


def test_the_listed_modules_exist_and_are_those_of_the_commands():
    imported = set().union(*(imported_modules(f"sentflow.commands.{name}") for name in COMMANDS))
    assert set(KINDS_OF_MODULE) <= imported
    assert all(find_spec(name) for name in KINDS_OF_MODULE)
    assert set().union(*KINDS_OF_MODULE.values()) <= set(FETCH_KEYS)


@pytest.mark.parametrize("kind", MANIFESTS)
def test_an_encoder_runs_no_module_that_its_digest_leaves_out(kind):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(manifest=MANIFESTS[kind])],
        capture_output=True,
        text=True,
        check=True,
    )
    left_out = modules_of_others(kind) - CHECKS
    assert left_out & set(done.stdout.split()) == set()


@pytest.mark.parametrize("command", COMMANDS[:2])
def test_modules_of_one_kind_count_for_that_kind(command):
    of_kind = {
        kind: imported_modules(f"sentflow.commands.{command}", without=modules_of_others(kind))
        for kind in FETCH_KEYS
    }
    assert "sentflow.encoders.kinds.api" in of_kind["api"]
    assert "sentflow.encoders.kinds.neural.encoder" in of_kind["sentence-transformers"]
    assert "sentflow.encoders.kinds.neural.encoder" not in of_kind["api"]
    assert (
        "sentflow.encoders.kinds.neural.pooling" not in of_kind["api"]
    )  # what only another kind's module imports
    digests = {
        kind: code(f"sentflow.commands.{command}", without=modules_of_others(kind)) for kind in of_kind
    }
    assert digests["api"] != digests["random"] != digests["sentence-transformers"]


def test_a_paid_service_is_not_asked_again_for_a_library_that_computes_nothing_there():
    assert vector_libraries("api", {}) == ()
    assert "torch" in vector_libraries("sentence-transformers", {})
    assert "onnxruntime" in vector_libraries("transformers", {"backend": "onnx"})
    assert all(vector_libraries(kind, {}) is not None for kind in FETCH_KEYS)
