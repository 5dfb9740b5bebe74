"""From an encoder in memory to a folder that sentence-transformers reads as it is."""

import os
import shutil
from collections.abc import Callable, Mapping
from pathlib import Path

import torch
from safetensors.torch import save_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling

from sentflow.encoders.neural.load import LayerPooling
from sentflow.errors import DataError
from sentflow.files.atomic import not_written
from sentflow.jobs.lifeline import refuse_orphan
from sentflow.training.prediction_heads import HEADS


def save_encoder(folder: Path, write: Callable[[Path], None]) -> None:
    """Let `write` fill the folder of an encoder; it is there whole or not at all."""
    part = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    shutil.rmtree(part, ignore_errors=True)
    try:
        part.mkdir(parents=True)
        write(part)
        refuse_orphan()
        shutil.rmtree(folder, ignore_errors=True)
        part.rename(folder)
    except OSError as error:
        raise DataError(not_written(folder, error)) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)


def write_dense(encoder: SentenceTransformer, folder: Path) -> None:
    """Write an encoder that gives one vector of each text: safetensors, configuration, tokenizer.

    A pooling over several layers is a setting of an entry and not of a folder: the mean over tokens is written instead.
    """
    modules = [
        Pooling(module.get_embedding_dimension(), "mean") if isinstance(module, LayerPooling) else module
        for module in encoder.children()
    ]
    saved = SentenceTransformer(
        modules=modules,
        device=str(encoder.device),
        prompts=encoder.prompts,
        default_prompt_name=encoder.default_prompt_name,
        similarity_fn_name=encoder.similarity_fn_name,
    )
    saved.save(str(folder), create_model_card=False, safe_serialization=True)


def write_heads(heads: Mapping[str, torch.Tensor], folder: Path) -> None:
    """Write `sentflow.training.contract.Objective.heads` beside the weights of an encoder; nothing without any."""
    if heads:
        save_file({name: value.detach().cpu().clone() for name, value in heads.items()}, folder / HEADS)
