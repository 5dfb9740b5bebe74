"""Loops of training, compiled by numba: steps of AdamW, epochs of logistic probes, layers of an MLP probe; shuffles."""

import ctypes
import hashlib
import os
import re
from collections.abc import Callable
from contextlib import suppress
from functools import cache, cached_property, partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
from llvmlite import binding as llvm

from sentflow.errors import DataError
from sentflow.files.atomic import atomic

F = TypeVar("F", bound=Callable[..., Any])

# Sums may be reordered and products fused with them, as BLAS does; infinities and NaN keep their meaning.
_OPTIONS: dict[str, Any] = {"error_model": "numpy", "fastmath": {"reassoc", "contract", "nsz"}}
_NO_SVML = "NUMBA_DISABLE_INTEL_SVML"
_RESULT = ctypes.addressof(_WORD := ctypes.c_int64())  # where numba's functions write None, or an error
_LOOPS: list["Loop"] = []
_INLINED: list[Callable[..., Any]] = []


class Loop:
    """A function that numba compiles once for a processor; its machine code is kept, and runs without numba.

    To import numba and to have it read what it compiled takes longer than most probes. `signature`: as numba has it,
    of arrays and float32 numbers. The function must not make arrays.
    """

    def __init__(self, function: Callable[..., None], signature: str) -> None:
        self._function, self._signature = function, signature
        kinds = re.findall(r"([a-z]\d)(\[[:,]*(1?)\])?", signature.partition("(")[2])
        self._kinds = [
            (np.dtype(kind), dimensions.count(":") - len(whole) if dimensions else 0, bool(whole))
            for kind, dimensions, whole in kinds
        ]
        _LOOPS.append(self)

    def __call__(self, *arguments: Any) -> None:
        self.bound(*arguments)()

    def bound(self, *arguments: Any) -> Callable[[], Any]:
        """What runs the loop on these arrays, as often as it is called, with what is then in them."""
        words = [_RESULT, _RESULT]
        for value, (kind, dimensions, whole) in zip(arguments, self._kinds, strict=True):
            if not dimensions:
                words.append(int(np.float32(value).view(np.uint32)))
                continue
            if (value.dtype, value.ndim) != (kind, dimensions) or not (value.flags.c_contiguous or not whole):
                raise TypeError(
                    f"{self._function.__name__} is for {self._signature}, not {value.dtype}{value.shape}"
                )
            words += [0, 0, value.size, value.itemsize, value.ctypes.data, *value.shape, *value.strides]
        block = (ctypes.c_int64 * len(words))(*words)
        run = partial(self.native, block)
        run.arrays = arguments  # type: ignore[attr-defined]  # which must live as long
        return run

    @cached_property
    def native(self) -> Callable[..., Any]:
        """The machine code: compiled, or read where an earlier process compiled it."""
        files = [folder / f"{self._function.__name__}.o" for folder in _cache_folders()]
        content = b""
        for file in files:
            with suppress(OSError):
                content = content or file.read_bytes()
        if not content:
            content = self._compile()
            for file in files:
                with suppress(DataError), atomic(file) as part:
                    part.write_bytes(content)
                    break
        engine = _engine()
        engine.add_object_file(llvm.ObjectFileRef.from_data(content))
        engine.finalize_object()
        address = engine.get_function_address(f"run_{self._function.__name__}")
        return ctypes.CFUNCTYPE(None, ctypes.c_void_p)(address)

    def _compile(self) -> bytes:
        # Kept code runs without numba, which alone finds Intel's library of vector functions
        os.environ[_NO_SVML] = "1"
        import numba

        _compile_inlined()
        options = {"_nrt": False, "no_cpython_wrapper": True, "no_cfunc_wrapper": True, **_OPTIONS}
        (compiled,) = numba.njit(self._signature, **options)(self._function).overloads.values()
        module = llvm.parse_assembly(compiled.library.get_llvm_str())
        module.link_in(llvm.parse_assembly(self._entry(compiled.fndesc.llvm_func_name)))
        code: bytes = compiled.library.codegen._tm.emit_object(module)
        return code

    def _entry(self, name: str) -> str:
        """A function that reads the arguments of numba's function from a block of words: ctypes takes long for many."""
        kinds = ["ptr", "ptr"]
        for _, dimensions, _ in self._kinds:
            kinds += (
                ["ptr", "ptr", "i64", "i64", "ptr", *["i64"] * 2 * dimensions] if dimensions else ["float"]
            )
        lines = [
            f"%p{i} = getelementptr i64, ptr %words, i64 {i}\n%v{i} = load {kind}, ptr %p{i}"
            for i, kind in enumerate(kinds)
        ]
        values = ", ".join(f"{kind} %v{i}" for i, kind in enumerate(kinds))
        return (
            f'declare i32 @"{name}"({", ".join(kinds)})\n'
            f"define void @run_{self._function.__name__}(ptr %words) {{\n"
            + "\n".join([*lines, f'%status = call i32 @"{name}"({values})', "ret void", "}"])
        )


def compiled(signature: str) -> Callable[[Callable[..., None]], Loop]:
    """Make a loop of a function, see `Loop`."""
    return partial(Loop, signature=signature)


def compile_all() -> None:
    """Compile every loop, so that no job need."""
    for loop in _LOOPS:
        _ = loop.native


def inlined(function: F) -> F:
    """Compile as a part of the loops that call it."""
    _INLINED.append(function)
    return function


@cache
def _compile_inlined() -> None:
    import numba

    for function in _INLINED:
        # Without force a loop may call the copy that another one brought, with other bits
        function.__globals__[function.__name__] = numba.njit(forceinline=True, **_OPTIONS)(function)


@cache
def _engine() -> Any:
    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(jit=True)
    return llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)


@cache
def _cache_folders() -> tuple[Path, ...]:
    """Beside this file, or where that cannot be written at home; one per processor and state of all loops."""
    here = Path(__file__)
    states = [llvm.get_host_cpu_features().flatten(), version("numba"), version("llvmlite")]
    set_of_numba = {name: one for name, one in os.environ.items() if name.startswith("NUMBA_")}
    states += sorted(f"{name}={one}" for name, one in set_of_numba.items() if name != _NO_SVML)
    digest = hashlib.sha256(here.read_bytes() + "\n".join(states).encode()).hexdigest()
    named = os.environ.get("NUMBA_CACHE_DIR")
    # Not that of a path, which raises where there is no home
    home = os.path.expanduser("~")  # noqa: PTH111
    caches = [named] if named else [here.parent / "__pycache__", Path(home, ".cache", "sentflow")]
    return tuple(Path(cache, f"{llvm.get_host_cpu_name()}-{digest[:16]}") for cache in caches)


NO_MULTIPLICITY = np.empty((0, 0), np.float32)  # every parameter is one weight


@inlined
def clip_factor(gradient: np.ndarray, multiplicity: np.ndarray, max_norm: np.float32) -> np.float32:
    """Factor that brings the norm of a (K, P) gradient down to the largest one.

    With a multiplicity (K, P), sums over equal weights become the gradient of each of them; (0, 0) means ones.
    """
    squares = np.float32(0)
    if multiplicity.size == 0:
        for k in range(gradient.shape[0]):
            for j in range(gradient.shape[1]):
                squares += gradient[k, j] * gradient[k, j]
    else:
        for k in range(gradient.shape[0]):
            for j in range(gradient.shape[1]):
                gradient[k, j] /= multiplicity[k, j]
                squares += gradient[k, j] * gradient[k, j] * multiplicity[k, j]
    return clip_of(squares, max_norm)


@inlined
def clip_of(squares: np.float32, max_norm: np.float32) -> np.float32:
    """The factor for a gradient of this squared norm, as torch.nn.utils.clip_grad_norm_ takes it."""
    return min(max_norm / (np.sqrt(squares) + np.float32(1e-6)), np.float32(1))


@inlined
def moved(
    weight: np.float32, first: np.float32, second: np.float32, slope: np.float32, scalars: np.ndarray
) -> tuple[np.float32, np.float32, np.float32]:
    """One weight and its moments, without their factors 1 − β, after a step; scalars as of `Schedule.scalars`."""
    keep, epsilon, minus_rate, beta1, beta2 = scalars[0], scalars[1], scalars[2], scalars[3], scalars[4]
    first = first * beta1 + slope
    second = second * beta2 + slope * slope
    return weight * keep + first / (np.sqrt(second) + epsilon) * minus_rate, first, second


@inlined
def move(
    weights: np.ndarray,
    gradient: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    clip: np.float32,
    scalars: np.ndarray,
) -> None:
    """Move (K, P) weights by their clipped gradient, see `moved`."""
    for k in range(weights.shape[0]):
        for j in range(weights.shape[1]):
            weights[k, j], first[k, j], second[k, j] = moved(
                weights[k, j], first[k, j], second[k, j], gradient[k, j] * clip, scalars
            )


@inlined
def write_residual(logits: np.ndarray, label: int, i: int, residual: np.ndarray) -> None:
    """Column i of (K, B) from that of the logits (K, B): (σ(z) − y) / B, or (softmax(z) − onehot) / B."""
    n_outputs, n = logits.shape
    if n_outputs == 1:
        share = np.float32(1) / (np.float32(1) + np.exp(-logits[0, i]))
        residual[0, i] = (share - np.float32(label)) / np.float32(n)
        return
    highest = logits[0, i]
    for k in range(1, n_outputs):
        highest = max(highest, logits[k, i])
    total = np.float32(0)
    for k in range(n_outputs):
        residual[k, i] = np.exp(logits[k, i] - highest)
        total += residual[k, i]
    for k in range(n_outputs):
        share = residual[k, i] / total
        residual[k, i] = (share - np.float32(k == label)) / np.float32(n)


@compiled("void(u4[:,:], i8[:,::1])")
def shuffle(words: np.ndarray, orders: np.ndarray) -> None:
    """Write (epochs, n) int64 orders from (epochs, n − 1) words: position i swaps with i + word mod (n − i)."""
    epochs, n = orders.shape
    for epoch in range(epochs):
        order = orders[epoch]
        for i in range(n):
            order[i] = i
        for i in range(n - 1):
            partner = i + np.int64(words[epoch, i] % np.uint32(n - i))
            order[i], order[partner] = order[partner], order[i]


# Rows that are multiplied together: enough that reads of several rows are under way at a time.
_TOGETHER = 4


@inlined
def _multiply_four(
    features: np.ndarray, rows: np.ndarray, start: int, weights: np.ndarray, logits: np.ndarray
) -> None:
    one, two, three, four = rows[start], rows[start + 1], rows[start + 2], rows[start + 3]
    for k in range(len(weights)):
        a = b = c = d = np.float32(0)
        for j in range(weights.shape[1]):
            weight = weights[k, j]
            a += features[one, j] * weight
            b += features[two, j] * weight
            c += features[three, j] * weight
            d += features[four, j] * weight
        logits[k, start], logits[k, start + 1], logits[k, start + 2], logits[k, start + 3] = a, b, c, d


@inlined
def _add_four(
    features: np.ndarray, rows: np.ndarray, start: int, residual: np.ndarray, gradient: np.ndarray
) -> None:
    one, two, three, four = rows[start], rows[start + 1], rows[start + 2], rows[start + 3]
    for k in range(len(gradient)):
        a, b = residual[k, start], residual[k, start + 1]
        c, d = residual[k, start + 2], residual[k, start + 3]
        for j in range(gradient.shape[1]):
            gradient[k, j] += (a * features[one, j] + b * features[two, j]) + (
                c * features[three, j] + d * features[four, j]
            )


@inlined
def _multiply_one(
    features: np.ndarray, rows: np.ndarray, i: int, weights: np.ndarray, logits: np.ndarray
) -> None:
    row = rows[i]
    for k in range(len(weights)):
        logit = np.float32(0)
        for j in range(weights.shape[1]):
            logit += features[row, j] * weights[k, j]
        logits[k, i] = logit


@inlined
def _add_one(
    features: np.ndarray, rows: np.ndarray, i: int, residual: np.ndarray, gradient: np.ndarray
) -> None:
    row = rows[i]
    for k in range(len(gradient)):
        share = residual[k, i]
        for j in range(gradient.shape[1]):
            gradient[k, j] += share * features[row, j]


@compiled(
    "void(f4[:,::1], i8[::1], i8[:,:,::1], f4[:,:,::1], f4[:,:,::1], f4[:,:,::1], f4[:,:,::1], f4,"
    " f4[:,::1], f4[:,::1], f4[:,::1], f4[:,:,:,::1])"
)
def train_epoch(
    features: np.ndarray,
    labels: np.ndarray,
    rows: np.ndarray,
    weights: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    scalars: np.ndarray,
    max_norm: np.float32,
    multiplicity: np.ndarray,
    gradient: np.ndarray,
    residual: np.ndarray,
    logits: np.ndarray,
) -> None:
    """Train S probes on their batches, one probe after the other.

    `features`: (n, P) float32. `labels`: (n,) int64. `rows`: (S, batches, B) int64 row numbers. `weights`, `first`,
    `second`: (S, K, P) float32, changed in place: K outputs, and the moments of AdamW as `move` keeps them. `scalars`:
    (batches, S, 5) float32, see `Schedule.scalars`. `multiplicity`: (K, P) float32: weights that each parameter stands
    for; (0, 0) where each is one. `gradient`, `residual`: (K, P) and (K, B) float32, to work in. `logits`: (S, batches,
    K, B) float32, written: before each step.
    """
    n_batches, n = rows.shape[1:]
    whole = n - n % _TOGETHER
    for probe in range(len(rows)):
        for step in range(n_batches):
            gradient[:] = np.float32(0)
            own = rows[probe, step]
            for start in range(0, whole, _TOGETHER):
                _multiply_four(features, own, start, weights[probe], logits[probe, step])
                for i in range(start, start + _TOGETHER):
                    write_residual(logits[probe, step], labels[own[i]], i, residual)
                _add_four(features, own, start, residual, gradient)
            for i in range(whole, n):
                _multiply_one(features, own, i, weights[probe], logits[probe, step])
                write_residual(logits[probe, step], labels[own[i]], i, residual)
                _add_one(features, own, i, residual, gradient)
            clip = clip_factor(gradient, multiplicity, max_norm)
            move(weights[probe], gradient, first[probe], second[probe], clip, scalars[step, probe])


MOMENTUM = 0.1  # torch.nn.BatchNorm1d's defaults
EPSILON = 1e-5


@inlined
def _standardise(values: np.ndarray) -> tuple[np.float32, np.float32]:
    """Take the mean from (B,) values; gives it and the biased variance."""
    n = np.float32(len(values))
    total = np.float32(0)
    for i in range(len(values)):
        total += values[i]
    mean = total / n
    squares = np.float32(0)
    for i in range(len(values)):
        values[i] -= mean
        squares += values[i] * values[i]
    return mean, squares / n


@inlined
def _back(
    normed: np.ndarray,
    active: np.ndarray,
    residual: np.ndarray,
    weights: np.ndarray,
    h: int,
    g_scale: np.ndarray,
    g_shift: np.ndarray,
    g_weights: np.ndarray,
) -> None:
    """From the outputs back to the batch norm of unit h; its derivative (B,) is written over `active`."""
    n_outputs, n = residual.shape
    for k in range(n_outputs):
        total = np.float32(0)
        for i in range(n):
            total += residual[k, i] * active[i]
        g_weights[k, h] = total
    by_scale = by_shift = np.float32(0)
    for i in range(n):
        back = np.float32(0)
        for k in range(n_outputs):
            back += residual[k, i] * weights[k, h]
        active[i] = back if active[i] > np.float32(0) else np.float32(0)
        by_scale += active[i] * normed[i]
        by_shift += active[i]
    g_scale[h], g_shift[h] = by_scale, by_shift


@compiled(
    "void(f4[:,::1], i8[::1], f4[::1], f4[::1], f4[:,::1], f4[::1], f4[::1], f4[::1], f4[:,::1], f4[::1],"
    " f4[::1], f4[::1], f4[:,::1], f4[::1], f4[:,::1], f4[:,::1])"
)
def forward_and_back(
    hidden: np.ndarray,
    labels: np.ndarray,
    scale: np.ndarray,
    shift: np.ndarray,
    weights: np.ndarray,
    bias: np.ndarray,
    g_scale: np.ndarray,
    g_shift: np.ndarray,
    g_weights: np.ndarray,
    g_bias: np.ndarray,
    running_mean: np.ndarray,
    running_variance: np.ndarray,
    active: np.ndarray,
    inverse_std: np.ndarray,
    residual: np.ndarray,
    logits: np.ndarray,
) -> None:
    """Batch norm, ReLU, output layer, loss, and back.

    `hidden`: (H, B) float32 values of the hidden units; the derivative of the loss by them is written over them.
    `labels`: (B,) int64 of the rows of the batch. `scale`, `shift`, `weights`, `bias`: (H,), (H,), (K, H) and (K,)
    float32 parameters; `g_…` are written: the derivative by each. `running_mean`, `running_variance`: (H,) float32 of
    the batch norm, moved towards those of the batch. `active`, `inverse_std`, `residual`: (H, B), (H,) and (K, B)
    float32, to work in. `logits`: (K, B) float32, written.
    """
    n_hidden, n = hidden.shape
    n_outputs = len(weights)
    for k in range(n_outputs):
        for i in range(n):
            logits[k, i] = bias[k]
    for h in range(n_hidden):
        mean, variance = _standardise(hidden[h])
        inverse_std[h] = np.float32(1) / np.sqrt(variance + np.float32(EPSILON))
        running_mean[h] += np.float32(MOMENTUM) * (mean - running_mean[h])
        unbiased = variance * (np.float32(n) / np.float32(n - 1))
        running_variance[h] += np.float32(MOMENTUM) * (unbiased - running_variance[h])
        for i in range(n):
            hidden[h, i] *= inverse_std[h]
            active[h, i] = max(hidden[h, i] * scale[h] + shift[h], np.float32(0))
        for k in range(n_outputs):
            for i in range(n):
                logits[k, i] += weights[k, h] * active[h, i]
    for i in range(n):
        write_residual(logits, labels[i], i, residual)
    for k in range(n_outputs):
        total = np.float32(0)
        for i in range(n):
            total += residual[k, i]
        g_bias[k] = total
    for h in range(n_hidden):
        _back(hidden[h], active[h], residual, weights, h, g_scale, g_shift, g_weights)
        # Ioffe and Szegedy 2015, section 3: derivative of batch normalisation by its input
        factor = scale[h] * inverse_std[h]
        mean_shift, mean_scale = g_shift[h] / np.float32(n), g_scale[h] / np.float32(n)
        for i in range(n):
            hidden[h, i] = (active[h, i] - mean_shift - hidden[h, i] * mean_scale) * factor


@compiled("void(f4[:,::1], f4[:,::1], f4[:,::1], f4[:,::1], f4[:,::1], f4, f4[::1])")
def clip_and_move(
    weights: np.ndarray,
    gradient: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    multiplicity: np.ndarray,
    max_norm: np.float32,
    scalars: np.ndarray,
) -> None:
    """A whole step, see `clip_factor` and `move`."""
    move(weights, gradient, first, second, clip_factor(gradient, multiplicity, max_norm), scalars)


@compiled(
    "void(f4[::1], i8[::1], i8[::1], f4[::1], i8[::1], i8[:,:,::1], f4[:,:,::1], f4[:,:,::1], f4[:,:,::1],"
    " f4[:,:,::1], f4, f4[:,::1], f4[:,::1], f4[:,::1], f4[:,:,:,::1])"
)
def train_sparse_epoch(
    values: np.ndarray,
    columns: np.ndarray,
    starts: np.ndarray,
    shift: np.ndarray,
    labels: np.ndarray,
    rows: np.ndarray,
    weights: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    scalars: np.ndarray,
    max_norm: np.float32,
    multiplicity: np.ndarray,
    gradient: np.ndarray,
    residual: np.ndarray,
    logits: np.ndarray,
) -> None:
    """Train S logistic probes on their batches; what is no entry of the features is as in `train_epoch`.

    `values`, `columns`, `starts`: (E,) float32, (E,) int64 and (n + 1,) int64. `shift`: (D,) float32.
    """
    n_batches, n = rows.shape[1:]
    n_outputs, width = weights.shape[1:]
    for probe in range(len(rows)):
        own = weights[probe]
        for step in range(n_batches):
            batch, out = rows[probe, step], logits[probe, step]
            for k in range(n_outputs):
                level = np.float32(0)
                for j in range(width):
                    level += shift[j] * own[k, j]
                for i in range(n):
                    logit = -level
                    for entry in range(starts[batch[i]], starts[batch[i] + 1]):
                        logit += values[entry] * own[k, columns[entry]]
                    out[k, i] = logit
            for i in range(n):
                write_residual(out, labels[batch[i]], i, residual)
            for k in range(n_outputs):
                total = np.float32(0)
                for i in range(n):
                    total += residual[k, i]
                for j in range(width):
                    gradient[k, j] = -total * shift[j]
                for i in range(n):
                    for entry in range(starts[batch[i]], starts[batch[i] + 1]):
                        gradient[k, columns[entry]] += residual[k, i] * values[entry]
            clip = clip_factor(gradient, multiplicity, max_norm)
            move(own, gradient, first[probe], second[probe], clip, scalars[step, probe])


@compiled("void(f4[::1], i8[::1], i8[::1], i8[::1], f4[:,::1], f4[::1], f4[::1], f4[:,::1])")
def multiply_rows(
    values: np.ndarray,
    columns: np.ndarray,
    starts: np.ndarray,
    rows: np.ndarray,
    weights: np.ndarray,
    level: np.ndarray,
    sums: np.ndarray,
    out: np.ndarray,
) -> None:
    """Products of some rows (B,) with (D, H) weights, less a level (H,), written to (H, B); `sums`: (H,) to work in."""
    for i in range(len(rows)):
        sums[:] = np.float32(0)
        for entry in range(starts[rows[i]], starts[rows[i] + 1]):
            value, column = values[entry], columns[entry]
            for h in range(len(sums)):
                sums[h] += value * weights[column, h]
        for h in range(len(sums)):
            out[h, i] = sums[h] - level[h]


@compiled("void(f4[::1], i8[::1], i8[::1], i8[::1], f4[:,::1], f4[::1], f4[:,::1], b1[::1])")
def add_rows(
    values: np.ndarray,
    columns: np.ndarray,
    starts: np.ndarray,
    rows: np.ndarray,
    factors: np.ndarray,
    own: np.ndarray,
    out: np.ndarray,
    met: np.ndarray,
) -> None:
    """Sum of the rows (B,), each times its factors (H, B), written to the columns of (D, H) that `met` (D,) marks.

    `own`: (H,) to work in.
    """
    met[:] = False
    for i in range(len(rows)):
        for h in range(len(own)):
            own[h] = factors[h, i]
        for entry in range(starts[rows[i]], starts[rows[i] + 1]):
            value, column = values[entry], columns[entry]
            if not met[column]:
                met[column] = True
                for h in range(len(own)):
                    out[column, h] = value * own[h]
            else:
                for h in range(len(own)):
                    out[column, h] += value * own[h]


@compiled(
    "void(f4[:,::1], f4[:,::1], f4[:,::1], f4[:,::1], b1[::1], f4[::1], f4[:,::1], f4[:,::1], f4[:,::1], f4[:,::1],"
    " f4[::1], f4[::1], f4[::1], f4, f4[::1])"
)
def clip_and_move_columns(
    weights: np.ndarray,
    gradient: np.ndarray,
    first: np.ndarray,
    second: np.ndarray,
    met: np.ndarray,
    multiplicity: np.ndarray,
    others: np.ndarray,
    others_gradient: np.ndarray,
    others_first: np.ndarray,
    others_second: np.ndarray,
    shift: np.ndarray,
    level: np.ndarray,
    none: np.ndarray,
    max_norm: np.float32,
    scalars: np.ndarray,
) -> None:
    """A whole step, as `clip_and_move` takes it, of a first layer of which most columns have no gradient.

    `weights`, `gradient`, `first`, `second`: (D, H) float32. `met`: (D,) bool: where the gradient is not 0; other lines
    of it are not read. `multiplicity`: (D,) float32: how many equal weights each stands for. `others`, …: (1, P)
    float32 of the later layers. `shift`, `level`: (D,) and (H,) float32: shift times the moved weights is written to
    `level`. `none`: (H,) float32 zeros.
    """
    n_hidden = weights.shape[1]
    squares = np.float32(0)
    for j in range(others_gradient.shape[1]):
        squares += others_gradient[0, j] * others_gradient[0, j]
    for column in range(len(weights)):
        if met[column]:
            own = np.float32(0)
            for h in range(n_hidden):
                gradient[column, h] /= multiplicity[column]
                own += gradient[column, h] * gradient[column, h]
            squares += own * multiplicity[column]
    clip = clip_of(squares, max_norm)
    move(others, others_gradient, others_first, others_second, clip, scalars)
    level[:] = np.float32(0)
    for column in range(len(weights)):
        slopes = gradient[column] if met[column] else none
        for h in range(n_hidden):
            weights[column, h], first[column, h], second[column, h] = moved(
                weights[column, h], first[column, h], second[column, h], slopes[h] * clip, scalars
            )
            level[h] += shift[column] * weights[column, h]
