"""What embeds again when code or libraries change: only encoders whose vectors that can change."""

import subprocess
import sys
from importlib import import_module

import pytest

from sentflow.encoders.kinds.settings import EncoderSettings
from sentflow.encoders.kinds.table import FITTED, KINDS, PAIRS, SPARSE, TERM_VECTORS, TRAINED, WEIGHING
from sentflow.graph.provenance import PLUMBING, code, imported_modules

COMMANDS = ("embed", "fetch_model", "probe_lazy")
# What all kinds have in common
SHARED = {"contract", "settings"}
PROGRAM = """
import sys
from sentflow.commands import embed, fetch_model
from sentflow.encoders.kinds.contract import Surroundings
from sentflow.encoders.load import encode_settings, load_encoder
from sentflow.encoders.manifest import Manifest
manifest = Manifest(**{manifest})
load_encoder(manifest, encode_settings(manifest, {{}}), Surroundings())
print(*[name for name in sys.modules if name.startswith("sentflow.")])
"""
MANIFESTS = {
    "api": """dict(kind="api", dimension=4, settings=dict(
        url="http://localhost:1/v1", model="m", dimension=4, request_dimension=False))""",
    "random": """dict(kind="random", dimension=4, settings=dict(dimension=4, seed=0))""",
}


def of_command(command: str, kind: str) -> set[str]:
    module = KINDS[kind].fetcher if command == "fetch_model" else KINDS[kind].module
    if not module:  # rules of its own make it
        return set()
    return imported_modules(f"sentflow.commands.{command}", module)


@pytest.mark.parametrize("name", KINDS)
def test_the_modules_of_a_kind_offer_what_the_contract_says(name):
    kind = KINDS[name]
    module = import_module(kind.module)
    assert name == TRAINED or callable(import_module(kind.fetcher).fetch)
    if kind.gives == FITTED:
        assert callable(module.load_fitted) and not hasattr(module, "load")
        return
    names = {PAIRS: "load_pairs", SPARSE: "load_sparse", TERM_VECTORS: "load_sparse"}
    load = getattr(module, names.get(kind.gives, "load"))
    assert callable(load) and issubclass(module.Settings, EncoderSettings)
    assert set(module.Settings().as_dict()) == set(kind.encode_keys)
    assert hasattr(module, "load_fitted") == (name == "custom")


@pytest.mark.parametrize("kind", MANIFESTS)
def test_an_encoder_runs_no_module_that_its_digest_leaves_out(kind):
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM.format(manifest=MANIFESTS[kind])],
        capture_output=True,
        text=True,
        check=True,
    )
    run = {name for name in done.stdout.split() if name.count(".") > 1 and not is_package(name)}
    counted = of_command("embed", kind) | of_command("fetch_model", kind)
    # what shows control characters counts where tables hold them; errors and the log only tell
    assert run - counted - set(PLUMBING) == {"sentflow.files.control_characters"}


def is_package(name: str) -> bool:
    return hasattr(import_module(name), "__path__")


@pytest.mark.parametrize("command", COMMANDS)
def test_a_command_by_itself_knows_no_kind(command):
    modules = imported_modules(f"sentflow.commands.{command}")
    own = {name for name in modules if name.startswith("sentflow.encoders.kinds.")}
    assert own <= {f"sentflow.encoders.kinds.{name}" for name in SHARED}
    assert "sentflow.encoders.kinds.table" not in modules  # else a new kind would embed everything again


@pytest.mark.parametrize("kind", KINDS)
def test_no_job_depends_on_the_checks_of_the_configuration(kind):
    for command in COMMANDS:
        assert not [
            name for name in of_command(command, kind) if ".checks." in name or ".graph.config" in name
        ]


def test_modules_of_one_kind_count_for_that_kind():
    command = {kind: "rerank" if KINDS[kind].gives == PAIRS else "embed" for kind in KINDS}
    of_kind = {kind: of_command(command[kind], kind) for kind in KINDS}
    for kind, modules in of_kind.items():
        others = {KINDS[other].module for other in KINDS} - {KINDS[kind].module}
        assert KINDS[kind].module in modules and not others & modules, kind
    assert "sentflow.encoders.kinds.neural.pooling" not in of_kind["api"]
    sparse = {kind for kind, modules in of_kind.items() if "sentflow.encoders.vectors.sparse" in modules}
    assert sparse == {*WEIGHING}  # imported by name, too
    digests = {kind: code("sentflow.commands.embed", KINDS[kind].module) for kind in KINDS}
    assert (
        len(set(digests.values())) == len(KINDS) - 2
    )  # one module for both kinds of transformers, and trained ones


def test_what_is_looked_up_when_a_model_is_fetched_does_not_count_for_others():
    assert "sentflow.encoders.fetch.hub" in of_command("fetch_model", "transformers")
    for kind in ("random", "api", "tfidf", "custom"):
        assert not [name for name in of_command("fetch_model", kind) if name.endswith((".hub", ".archive"))]
    for kind in KINDS:
        assert "sentflow.encoders.fetch.hub" not in of_command("embed", kind)


def test_a_paid_service_is_not_asked_again_for_a_library_that_computes_nothing_there():
    assert KINDS["api"].vector_libraries({}) == ()
    assert "torch" in KINDS["sentence-transformers"].vector_libraries({})
    assert "onnxruntime" in KINDS["transformers"].vector_libraries({"backend": "onnx"})
