"""From an encoder in memory to a folder that sentence-transformers reads as it is."""

import os
import shutil
from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType

import torch
from safetensors.torch import save_file
from sentence_transformers import SentenceTransformer
from sentence_transformers.sentence_transformer.modules import Pooling

from sentflow.encoders.kinds.neural.pooling import LayerPooling
from sentflow.errors import DataError
from sentflow.files.atomic import not_written
from sentflow.jobs.lifeline import refuse_orphan
from sentflow.training.prediction_heads import HEADS


def save_encoder(
    encoder: SentenceTransformer, folder: Path, heads: Mapping[str, torch.Tensor] = MappingProxyType({})
) -> None:
    """Write an encoder: safetensors, configuration, tokenizer; whole or not at all.

    Parameters
    ----------
    encoder
        As it is used.
    folder
        Of it.
    heads
        See `sentflow.training.contract.Objective.heads`; without any, there is no file of them.

    A pooling over several layers is a setting of an entry and not of a folder: the mean over tokens is written instead.

    Raises
    ------
    DataError
        It cannot be written, say because the disk is full.
    """
    part = folder.with_name(f".{folder.name}.{os.getpid()}.part")
    shutil.rmtree(part, ignore_errors=True)
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
    try:
        part.mkdir(parents=True)
        saved.save(str(part), create_model_card=False, safe_serialization=True)
        if heads:
            save_file({name: value.detach().cpu().clone() for name, value in heads.items()}, part / HEADS)
        refuse_orphan()
        shutil.rmtree(folder, ignore_errors=True)
        part.rename(folder)
    except OSError as error:
        raise DataError(not_written(folder, error)) from error
    finally:
        shutil.rmtree(part, ignore_errors=True)
