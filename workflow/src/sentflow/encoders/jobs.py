"""Jobs of encoders: a model is fetched, texts are embedded."""

import os
import sys
from importlib import import_module

from sentflow.files.limits import USUAL, Limits, use_limits
from sentflow.jobs.job import In, Json, Out, Resource, Wildcard, job
from sentflow.jobs.machine import prepare_environment


@job("huggingface-hub")
def fetch_model(
    *,
    model: Wildcard,
    settings: Json,
    snapshot: In | None = None,
    mirrors: Resource[tuple[str, ...]] = (),
    limits: Resource[Limits] = USUAL,
    manifest: Out,
    model_files: Out | None = None,
) -> None:
    """A model from hub, folder, package or archive → verified files, and the manifest that describes them.

    A snapshot of a training is only described.
    """
    from sentflow.downloads.mirrors import mirrors_in_use
    from sentflow.encoders.manifest import manifest_of_archive, unpacked_folder, write_manifest
    from sentflow.files.archives.pack import pack
    from sentflow.flow import paths

    use_limits(limits)
    if not sys.stderr.isatty():
        os.environ["HF_HUB_DISABLE_PROGRESS_BARS"] = "1"  # a log file is no place for bars
    used = mirrors_in_use(mirrors, os.environ)
    if snapshot:
        write_manifest(manifest, manifest_of_archive(snapshot, settings))
        return
    fetch = import_module("sentflow.encoders.fetch")  # named by the rule for encoders with files
    cache = paths.cache_beside(manifest, paths.MANIFEST)
    found = fetch.fetch_model(model, settings, cache, mirrors=used)
    if model_files:
        pack(unpacked_folder(found.files, cache), found.files, model_files)
    write_manifest(manifest, found)


@job("numpy")
def embed(
    *,
    manifest: In,
    model_files: In | None = None,
    texts: In,
    collection: Wildcard,
    settings: Json,
    task: str = "",
    code: str = "",
    connection: Resource[Json] = None,
    device: Resource[Json] = None,
    call_seconds: Resource[int] = 0,
    limits: Resource[Limits] = USUAL,
    kept: Resource[str] = "",
    threads: int = 1,
    embeddings: Out,
    info: Out,
) -> None:
    """The texts of a collection → vectors, once per model.

    Settings: how texts are encoded, by kind. Device: one, or a list; none for the best that there is. With the digest
    of its code, vectors are used that an earlier run with the same digest kept under the name `kept`.
    """
    from sentflow.config.model import refuse_wrong
    from sentflow.encoders.kind import Context
    from sentflow.encoders.manifest import read_manifest
    from sentflow.encoders.settings import KINDS
    from sentflow.encoders.vectors.embed import embed_collection
    from sentflow.encoders.vectors.storage import model_of
    from sentflow.flow.paths import EMBEDDINGS_INFO, cache_beside
    from sentflow.texts.collection import read_collection

    use_limits(limits)
    prepare_environment(threads)
    described = read_manifest(manifest)
    model = model_of(manifest)
    cache = cache_beside(info, EMBEDDINGS_INFO) / "vectors" / model
    context = Context(
        model_files=model_files,
        threads=threads,
        connection=connection or {},
        devices=tuple(device) if isinstance(device, list) else () if device is None else (device,),
        timeout_seconds=call_seconds or None,
        task=task or None,
    )
    embed_collection(
        read_collection(texts),
        described,
        refuse_wrong(KINDS[described.kind].encoding, settings, where="settings"),
        context,
        about={"model": model, "collection": collection},
        code=code,
        kept=cache / f"{kept or collection}.kept",
        shards=cache / f"{collection}.shards",
        embeddings=embeddings,
        info=info,
    )
