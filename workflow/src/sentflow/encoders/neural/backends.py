"""Transformers computed by ONNX Runtime or OpenVINO: exported here, from the weights that the manifest names.

Files in these formats that come with a model are never read: nobody checks that they hold the same weights.
The backends of sentence-transformers 6.2 need optimum-onnx or optimum-intel, whose newest releases (0.1.0 and 2.2.0)
refuse transformers 5.23.
"""

import importlib.util
import logging
import tempfile
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import torch
from numpy.typing import NDArray
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Transformer

from sentflow.encoders.settings import BACKEND_LIBRARIES, ONNX_INT8, OPENVINO
from sentflow.errors import ConfigError

logger = logging.getLogger(__name__)

# Arrays by name → (k, tokens, width) float32. May be called by several threads at a time.
Runner = Callable[[Mapping[str, NDArray[np.int64]]], NDArray[np.float32]]

_OUTPUT = "last_hidden_state"
# Rounding of another order of operations; a wrong export is off by the size of the values themselves.
_EXPORT_TOLERANCE = 1e-3


def use_backend(model: SentenceTransformer, backend: str, *, threads: int) -> None:
    """Let ``"onnx"``, ``"onnx-int8"`` or ``"openvino"`` compute the transformer of a float32 model on the processor."""
    if missing := missing_libraries(backend):
        raise ConfigError(
            f"backend: {backend} needs {', '.join(missing)}, not installed in this environment. Run "
            f"pip install -r {requirements(backend)}, or write backend: torch."
        )
    transformer = model[0]
    if not isinstance(transformer, Transformer):
        raise ConfigError(
            f"backend: {backend} computes transformers, but the model begins with "
            f"{type(transformer).__name__}. Write backend: torch."
        )
    network = transformer.auto_model
    features = transformer.preprocess(["a"])
    names = [name for name in ("input_ids", "attention_mask", "token_type_ids") if name in features]
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "model.onnx"
        _export(network, names, path, backend=backend)
        if backend == ONNX_INT8:
            from onnxruntime.quantization import QuantType, quantize_dynamic

            whole, path = path, path.with_name("int8.onnx")
            quantize_dynamic(whole, path, weight_type=QuantType.QInt8, per_channel=True)
        runner = _openvino_runner(path, threads) if backend == OPENVINO else _onnx_runner(path)
        # weights may lie in a second file, beside the graph
        n_bytes = sum(file.stat().st_size for file in path.parent.glob(f"{path.name}*"))
    if backend != ONNX_INT8:  # whose rounding is meant
        _check_equal(network, runner, names, backend=backend)
    transformer.model = ExportedTransformer(runner, names, config=network.config, n_bytes=n_bytes)
    logger.info("the transformer is computed by %s, exported to %.1f MB", backend, n_bytes / 1e6)


def missing_libraries(backend: str) -> list[str]:
    """Libraries of a backend that are not installed here."""
    return [name for name in BACKEND_LIBRARIES[backend] if importlib.util.find_spec(name) is None]


def requirements(backend: str) -> str:
    """The file of pins for a backend that is an extra."""
    return f"envs/requirements-{'openvino' if backend == OPENVINO else 'onnx'}.txt"


class ExportedTransformer(torch.nn.Module):
    """Stands where the network of a transformer module was; its exported files have `n_bytes`."""

    def __init__(self, runner: Runner, names: Sequence[str], *, config: Any, n_bytes: int) -> None:
        super().__init__()
        self.config = config
        self.n_bytes = n_bytes
        self._runner = runner
        self._names = tuple(names)

    def forward(self, **features: Any) -> dict[str, torch.Tensor]:
        """``last_hidden_state``, (k, tokens, width) float32, as transformers names it."""
        arrays = {name: features[name].cpu().numpy() for name in self._names}
        return {_OUTPUT: torch.from_numpy(self._runner(arrays))}


class _LastHiddenState(torch.nn.Module):
    """A network with positional inputs and one output: what can be exported."""

    def __init__(self, network: torch.nn.Module, names: Sequence[str]) -> None:
        super().__init__()
        self._network = network
        self._names = tuple(names)

    def forward(self, *inputs: torch.Tensor) -> torch.Tensor:
        values = dict(zip(self._names, inputs, strict=True))
        hidden: torch.Tensor = self._network(**values, return_dict=True)[_OUTPUT]
        return hidden


def _example(network: Any, names: Sequence[str], *, texts: int, tokens: int) -> dict[str, torch.Tensor]:
    """Inputs of texts of unlike lengths, so that padding takes part."""
    ids = torch.arange(texts * tokens).reshape(texts, tokens) % network.config.vocab_size
    mask = (torch.arange(tokens) < torch.arange(tokens, tokens - texts, -1).clamp(min=1)[:, None]).long()
    values = {"input_ids": ids, "attention_mask": mask, "token_type_ids": torch.zeros_like(ids)}
    return {name: values[name] for name in names}


@torch.no_grad()
def _export(network: Any, names: Sequence[str], path: Path, *, backend: str) -> None:
    example = _example(network, names, texts=3, tokens=9)
    axes = dict.fromkeys((0, 1), torch.export.Dim.DYNAMIC)
    try:
        torch.onnx.export(
            _LastHiddenState(network, names).eval(),
            tuple(example.values()),
            path,
            input_names=list(names),
            output_names=[_OUTPUT],
            dynamic_shapes=(tuple(axes for _ in names),),
            dynamo=True,
            verbose=False,
        )
    # The exporter raises errors of several libraries, whatever a network does that it cannot follow
    except Exception as error:  # noqa: BLE001
        raise ConfigError(
            f"backend: the model cannot be exported for {backend} ({type(error).__name__}: "
            f"{str(error).strip().splitlines()[0]}). Write backend: torch."
        ) from error


def _onnx_runner(path: Path) -> Runner:
    import onnxruntime

    # One thread per call: the caller has several calls at a time, as with torch
    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(path, options, providers=["CPUExecutionProvider"])

    def run(arrays: Mapping[str, NDArray[np.int64]]) -> NDArray[np.float32]:
        return np.asarray(session.run([_OUTPUT], dict(arrays))[0])

    return run


def _openvino_runner(path: Path, threads: int) -> Runner:
    import openvino

    core = openvino.Core()
    # bfloat16 would be chosen in silence where the processor has it
    hints = {"INFERENCE_PRECISION_HINT": "f32", "NUM_STREAMS": threads, "INFERENCE_NUM_THREADS": threads}
    compiled = core.compile_model(core.read_model(path), "CPU", hints)
    of_thread = threading.local()

    def run(arrays: Mapping[str, NDArray[np.int64]]) -> NDArray[np.float32]:
        if not hasattr(of_thread, "request"):
            of_thread.request = compiled.create_infer_request()
        # Copied: the next call of this thread writes into the same memory
        return np.array(of_thread.request.infer(dict(arrays))[0], dtype=np.float32)

    return run


@torch.no_grad()
def _check_equal(network: Any, runner: Runner, names: Sequence[str], *, backend: str) -> None:
    """Compare with torch on another shape than the exported one, where a constant taken for a shape shows."""
    example = _example(network, names, texts=2, tokens=13)
    expected = network(**example, return_dict=True)[_OUTPUT].numpy()
    found = runner({name: value.numpy() for name, value in example.items()})
    there = example["attention_mask"].numpy().astype(bool)  # padding may differ: it is never read
    difference = float(np.abs(found[there] - expected[there]).max())
    if not difference <= _EXPORT_TOLERANCE * max(1.0, float(np.abs(expected[there]).max())):
        raise ConfigError(
            f"backend: {backend} differs from torch by up to {difference:.2g} in the values of the last "
            "layer: the export of this model is wrong. Write backend: torch."
        )
