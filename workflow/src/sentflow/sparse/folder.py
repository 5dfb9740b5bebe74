"""A SparseEmbed in a folder, and back.

The folder is that of the masked language model which reads documents, as transformers saves it (configuration,
tokenizer, safetensors), so that SPLADE reads its weights of terms, too. Beside it are ``sparse_embed.json``, see
`sentflow.sparse.folder_description`, and ``sparse_embed.safetensors`` with what a masked language model has no place
for: ``projections.document.*``; where there are two heads, ``projections.query.*`` and ``heads.query.*``, the latter
without a decoder that is tied.
"""

from pathlib import Path

import torch
from safetensors.torch import load_file, save_file
from transformers import AutoModelForMaskedLM, AutoTokenizer

from sentflow.encoders.neural.load import OFFLINE, check_network, loading
from sentflow.encoders.safety import damaged
from sentflow.errors import DataError
from sentflow.files.io import write_json
from sentflow.sparse.folder_description import DESCRIPTION, SHARED, TENSORS, TWO, FolderDescription
from sentflow.sparse.heads import is_tied, with_head
from sentflow.sparse.model import DOCUMENT, QUERY, SparsEmbed

_NAMED = 3


def save_sparse_embed(model: SparsEmbed, folder: Path | str) -> None:
    """Write a model into a folder, made where it is not there; files of an earlier one are replaced.

    Neither its state of training nor `chunk_size`, which changes no number, is kept.
    """
    folder = Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    # Written last: a folder without it is refused, so that none is half old and half new
    (folder / DESCRIPTION).unlink(missing_ok=True)
    with_head(model.encoder, model.head(DOCUMENT)).save_pretrained(folder)
    model.tokenizer.save_pretrained(folder)
    own = {name: tensor.cpu().contiguous() for name, tensor in _own_tensors(model).items()}
    save_file(own, folder / TENSORS)
    projection = model.projections[DOCUMENT]
    description = FolderDescription(
        k_query=model.k[QUERY],
        k_documents=model.k[DOCUMENT],
        embedding_size=model.embedding_size,
        heads=TWO if model.two_heads else SHARED,
        tied=is_tied(model.encoder, model.head(DOCUMENT)),
        projection_bias=projection.bias is not None,
        max_tokens=model.max_tokens,
    )
    write_json(folder / DESCRIPTION, description.model_dump())


def load_sparse_embed(
    folder: Path | str, device: str | torch.device | None = None, *, max_tokens: int | None = None
) -> SparsEmbed:
    """The model that `save_sparse_embed` wrote, in float32 and without dropout; no code of the folder runs.

    `device`: the processor without it. `max_tokens`: as the folder says without it. Raises ConfigError: the folder is
    none of a SparseEmbed, of another version, or it has fewer positions.
    """
    folder = Path(folder)
    said = FolderDescription.read(folder)
    with loading(folder):
        masked, report = AutoModelForMaskedLM.from_pretrained(
            folder,
            dtype=torch.float32,
            use_safetensors=True,
            ignore_mismatched_sizes=True,
            output_loading_info=True,
            **OFFLINE,
        )
        tokenizer = AutoTokenizer.from_pretrained(folder, **OFFLINE)
    check_network(report, pooler_is_used=False, is_encoder=False, folder=folder)
    options = said.model_dump(exclude={"format"}) | {"max_tokens": max_tokens or said.max_tokens}
    model = SparsEmbed(masked, tokenizer, device, **options)
    _take(model, folder / TENSORS)
    return model.eval()


def _own_tensors(model: SparsEmbed) -> dict[str, torch.Tensor]:
    """Name → tensor of the model, the same memory, of what the masked language model has no place for."""
    parts: dict[str, torch.nn.Module] = {f"projections.{DOCUMENT}": model.projections[DOCUMENT]}
    if model.two_heads:
        parts |= {f"projections.{QUERY}": model.projections[QUERY], f"heads.{QUERY}": model.head(QUERY)}
    found = {
        f"{part}.{name}": tensor
        for part, module in parts.items()
        for name, tensor in module.state_dict().items()
    }
    if is_tied(model.encoder, model.head(DOCUMENT)):
        found.pop(f"heads.{QUERY}.decoder.weight", None)
    return found


def _take(model: SparsEmbed, path: Path) -> None:
    """Copy the tensors of a file into a model; DataError where they are not those of the model."""
    own = _own_tensors(model)
    try:
        found = load_file(path)
    except Exception as error:  # noqa: BLE001  # safetensors raises its own and those of the system
        raise DataError(damaged(path, str(error))) from error
    shapes, expected = ({name: tuple(one.shape) for name, one in some.items()} for some in (found, own))
    if shapes != expected:
        names = sorted(name for name in shapes.keys() | expected if shapes.get(name) != expected.get(name))
        shown = "; ".join(
            f"{name} is {shapes.get(name, 'missing')}, expected {expected.get(name, 'nowhere')}"
            for name in names[:_NAMED]
        )
        raise DataError(damaged(path, f"{len(names)} tensors are not those of the model: {shown}"))
    with torch.no_grad():
        for name, tensor in own.items():
            tensor.copy_(found[name])
