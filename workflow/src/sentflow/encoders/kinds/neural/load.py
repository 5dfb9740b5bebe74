"""Kinds ``sentence-transformers`` and ``transformers``: from the folder of a model to an encoder.

The first has the modules that the folder names, the second the transformer in the folder itself with a pooling of the
entry's choice.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any

from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Transformer
from transformers.utils import logging as transformers_logging

from sentflow.encoders.fetch.descriptions import describe, describe_plain
from sentflow.encoders.kinds.contract import Surroundings
from sentflow.encoders.kinds.neural.devices import check_devices, default_devices
from sentflow.encoders.kinds.neural.encoder import SentenceTransformerEncoder
from sentflow.encoders.kinds.neural.pooling import make_pooling, replace_pooling
from sentflow.encoders.kinds.neural.processor import tell_of_slow_bfloat16
from sentflow.encoders.kinds.neural.ready import (
    check_first_token,
    check_padding,
    dtype_of,
    loading_arguments,
    make_ready,
)
from sentflow.encoders.kinds.neural.settings import TORCH, Settings
from sentflow.encoders.kinds.neural.tokenizer import tokenizer_arguments
from sentflow.encoders.kinds.neural.weights import check_weights, loading
from sentflow.encoders.manifest import Manifest, checked_folder
from sentflow.encoders.roles import TEXT

NO_ARGUMENTS: Mapping[str, str] = MappingProxyType({})


def load(manifest: Manifest, settings: Settings, around: Surroundings) -> SentenceTransformerEncoder:
    return load_folder(
        checked_folder(manifest, around.manifest_folder),
        settings,
        threads=around.threads,
        allow_pickle=bool(manifest.settings["allow_pickle"]),
        plain=manifest.kind == "transformers",
        tokenizer=tokenizer_arguments(manifest.settings),
        devices=around.devices,
        role=around.role,
        task=around.task,
    )


def load_folder(
    folder: Path,
    settings: Settings,
    *,
    threads: int,
    allow_pickle: bool,
    plain: bool = False,
    tokenizer: Mapping[str, str] = NO_ARGUMENTS,
    devices: Sequence[str] = (),
    role: str = TEXT,
    task: str | None = None,
) -> SentenceTransformerEncoder:
    """Load the model of a folder. `devices`: empty is a CUDA device if there is one, else the processor."""
    transformers_logging.disable_progress_bar()
    devices = devices or default_devices(settings.backend)
    check_devices(devices, backend=settings.backend)
    # Once more: files that the manifest does not name may have come into the folder since
    (describe_plain if plain else describe)(folder, allow_pickle=allow_pickle)
    tell_of_slow_bfloat16(settings.dtype, devices)
    models = [
        load_model(
            folder,
            settings,
            device,
            threads=threads,
            allow_pickle=allow_pickle,
            plain=plain,
            tokenizer=tokenizer,
        )
        for device in devices
    ]
    return SentenceTransformerEncoder(
        models[0], settings, threads=threads, role=role, task=task, copies=models[1:]
    )


def load_model(
    folder: Path,
    settings: Settings,
    device: str,
    *,
    allow_pickle: bool,
    plain: bool,
    threads: int = 1,
    tokenizer: Mapping[str, str] = NO_ARGUMENTS,
) -> SentenceTransformer:
    """The model of a folder with everything that the settings change in it, ready on a device.

    Parameters and errors are those of `load_folder`, which asks for what may be taken from the folder before; torch
    computes with the threads of the process.
    """
    model_kwargs = loading_arguments(dtype_of(settings.dtype), allow_pickle=allow_pickle)
    if settings.backend != TORCH:
        model_kwargs["attn_implementation"] = "eager"  # fused attention has no counterpart to export to
    model = _checked_model(folder, model_kwargs, tokenizer, settings, device, plain=plain)
    make_ready(model, settings, dtype=model_kwargs["dtype"])
    if settings.backend != TORCH:
        from sentflow.encoders.kinds.neural.backends import use_backend

        use_backend(model, settings.backend, threads=threads)
    return model


def _checked_model(
    folder: Path,
    model_kwargs: dict[str, Any],
    tokenizer: Mapping[str, str],
    settings: Settings,
    device: str,
    *,
    plain: bool,
) -> SentenceTransformer:
    """The model of a folder, all of whose weights are those of its files."""
    with loading(folder):
        if plain:
            model = _plain_model(folder, model_kwargs, tokenizer, settings.pooling or "mean", device)
        else:
            model = SentenceTransformer(
                str(folder),
                device=device,
                trust_remote_code=False,
                local_files_only=True,
                model_kwargs=model_kwargs,
                processor_kwargs=dict(tokenizer),
            )
        check_weights(model, folder, model_kwargs, plain=plain)
    check_padding(model, folder)
    if settings.pooling is not None and not plain:
        replace_pooling(model, settings.pooling)
    check_first_token(model, folder)
    return model


def _plain_model(
    folder: Path, model_kwargs: dict[str, Any], tokenizer: Mapping[str, str], pooling: str, device: str
) -> SentenceTransformer:
    offline = {"local_files_only": True, "trust_remote_code": False}
    transformer = Transformer(
        str(folder),
        model_kwargs={**model_kwargs, **offline},
        processor_kwargs={**tokenizer, **offline},
        config_kwargs=offline,
    )
    if transformer.tokenizer is not None and transformer.tokenizer.pad_token is None:
        # The token itself is never read: padding is masked
        transformer.tokenizer.pad_token = transformer.tokenizer.eos_token or transformer.tokenizer.unk_token
    module = make_pooling(transformer, pooling, include_prompt=True)
    return SentenceTransformer(modules=[transformer, module], device=device)
