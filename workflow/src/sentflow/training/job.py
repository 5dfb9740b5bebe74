"""One training as a job: start, data and settings → the encoder at each snapshot, history and record."""

import logging
import os
import resource
import shutil
import sys
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import torch
from sentence_transformers import SentenceTransformer
from tokenizers import Tokenizer
from tokenizers.models import BPE, WordPiece
from tokenizers.trainers import WordPieceTrainer
from transformers import AutoConfig, AutoModel, AutoTokenizer
from transformers.utils import logging as transformers_logging

from sentflow.config.model import Settings
from sentflow.encoders.manifest import Manifest, checked_folder, read_manifest
from sentflow.encoders.neural.load import OFFLINE, devices_for, load_model, text_config_of
from sentflow.encoders.neural.tokenizer import tokenizer_arguments
from sentflow.encoders.safety import has_table, model_files, usable_tokens
from sentflow.encoders.settings import SPLADE, VectorSettings
from sentflow.errors import ConfigError
from sentflow.files.archives.pack import pack
from sentflow.files.io import file_sha256, read_json
from sentflow.files.storage import Storage
from sentflow.jobs.machine import processor_name
from sentflow.texts.lookup import read_vectors
from sentflow.texts.segmentation import segmented
from sentflow.training.contract import Objective, Row, build_objective, save_folder, target_of
from sentflow.training.data.table import TEXT_COLUMNS, check_rows, read_training_data
from sentflow.training.draws import Draws
from sentflow.training.gradients import Processes
from sentflow.training.leave import Watch
from sentflow.training.loop import Progress, StateFolder, Trainer, split
from sentflow.training.record import RANDOM_WEIGHTS, Data, Made, Record, Start, Teacher
from sentflow.training.settings import DROP, StartOfTraining, TrainingRun, TrainingSettings
from sentflow.training.snapshots import archive_name

logger = logging.getLogger(__name__)


@dataclass(frozen=True)
class Job:
    """What is trained, from what, on what; and from `state` on where, which changes nothing of the result."""

    settings: TrainingRun  # of the training
    start: Path  # manifest of the encoder that the training starts from
    data: Path  # table of the rows
    code: str  # digest of the code
    versions: Mapping[str, str]  # of the libraries that can change the result
    state: Path  # folder of its states and snapshots, see `sentflow.training.cache`
    # teacher: texts, their vectors and description, see `sentflow.texts.lookup.read_vectors`; empty without one
    teacher: Sequence[Path] = ()
    devices: tuple[str | None, ...] = (None,)  # one for each process that trains; None is the best there is
    threads: int = 1  # of the processor; another number may change the last bits of the weights
    save_seconds: float = 300.0  # between two states on disk
    start_files: Path | None = None  # archive with the files of the start, if it has one
    storage: Storage | None = None  # of the run, for copies of the state

    def run(self) -> tuple[Record, Made, Progress]:
        """Train, from the last state of the same job if there is one."""
        torch.set_num_threads(self.threads)
        transformers_logging.disable_progress_bar()
        watch = Watch(self.save_seconds)
        if torch.cuda.is_available():
            torch.cuda.reset_peak_memory_stats()
        settings, training = self.settings, self.settings.training
        draws = Draws(settings.seed)
        table = read_training_data(self.data)
        check_rows(table, training.batch_size)
        rows, held_out = split(self._segmented(self._taught(table.rows())), training, draws)
        training = _comparing(training, rows, settings.least_rows)
        manifest = read_manifest(self.start)
        named = self.devices[int(os.environ.get("LOCAL_RANK", "0"))]  # as torchrun numbers processes
        (device,) = devices_for([named] if named else [])
        processes = Processes(device)
        objective = self._objective(manifest, rows, training, draws, device)
        objective.begin(rows)
        state = StateFolder(self.state, self.storage)
        watch.listen()
        trainer = Trainer(
            objective,
            rows,
            training,
            draws,
            held_out=held_out,
            processes=processes,
            snapshot=lambda step: _save_snapshot(objective, state.snapshots / archive_name(step)),
            watch=watch,
        )
        logger.info(
            "%d rows, %d steps of %d rows, on %s; %d further rows are held out",
            *(len(rows), trainer.total, training.batch_size, device, len(held_out)),
        )
        progress = trainer.run(state)
        tokens = int(sum(row["tokens"] for row in progress.history))
        record = Record(
            model=settings.model,
            recipe=settings.recipe,
            recipe_settings=_every_setting(settings.settings),
            training=_every_setting(training),
            seed=settings.seed,
            pooling=settings.pooling,
            start=_start(settings.start, manifest),
            data=Data(
                name=settings.data,
                sha256=file_sha256(self.data),
                rows=len(table),
                form=settings.form,
                held_out=len(held_out),
            ),
            teacher=_teacher(self.teacher),
            code=self.code,
            versions=self.versions,
            steps=progress.step,
            tokens=tokens,
        )
        on_cuda = torch.device(device).type == "cuda"
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss  # KiB; bytes on macOS
        made = Made(
            resumed_at=tuple(progress.resumed),
            copies=tuple(state.copies(progress)),
            device=torch.device(device).type,
            device_name=torch.cuda.get_device_name(device) if on_cuda else processor_name(),
            precision=training.precision,
            threads=self.threads,
            seconds=round(progress.seconds, 3),
            tokens_per_second=round(tokens / progress.seconds, 1),
            memory_mb=round(peak / (2**20 if sys.platform == "darwin" else 2**10), 1),
            device_memory_mb=round(torch.cuda.max_memory_allocated(device) / 2**20, 1) if on_cuda else None,
        )
        return record, made, progress

    def _taught(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The rows with the teacher's vectors of their texts."""
        if not self.teacher:
            return rows
        found = read_vectors(*self.teacher)
        for column in (key for key in TEXT_COLUMNS if key in rows[0]):
            places = found.rows.of([row[column] for row in rows], whose=f"the training data {self.data}")
            for row, place in zip(rows, places, strict=True):
                row[target_of(column)] = found.vectors[place]
        return rows

    def _segmented(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """The rows with words marked in their texts, as the encoder reads texts in use; each text is cut once."""
        how = self.settings.segment
        if how is None:
            return rows
        texts = list(dict.fromkeys(value for row in rows for value in row.values() if isinstance(value, str)))
        logger.info("%d texts are segmented: %s", len(texts), how)
        found = dict(zip(texts, segmented(texts, how), strict=True))
        return [
            {key: found[value] if isinstance(value, str) else value for key, value in row.items()}
            for row in rows
        ]

    def _objective(
        self,
        manifest: Manifest,
        rows: Sequence[Row],
        training: TrainingSettings,
        draws: Draws,
        device: str,
    ) -> Objective:
        settings = self.settings
        encoder = load_start(manifest, self.start_files, settings, rows, device)
        check_max_tokens(encoder, training.max_tokens)
        with draws.of("heads").seeded():
            return build_objective(settings.recipe, encoder, settings.settings, training, draws)


def _comparing(training: TrainingSettings, rows: Sequence[Row], least: int) -> TrainingSettings:
    """The settings, without a last batch whose rows have no others and no negatives of their own to compare with."""
    left = len(rows) % training.batch_size
    if training.last_batch == DROP or not 0 < left < least or "negative" in rows[0]:
        return training
    logger.info(
        "last_batch: drop, for the last batch of an epoch would have %d of at least %d rows", left, least
    )
    return training.model_copy(update={"last_batch": DROP})


def _save_snapshot(objective: Objective, archive: Path) -> None:
    folder = archive.with_suffix(".files")
    save_folder(folder, lambda part: objective.write(objective.exported(), part))
    pack(folder, model_files(folder, allow_pickle=False), archive)
    shutil.rmtree(folder)


def _start(start: StartOfTraining, manifest: Manifest) -> Start:
    kind, source = manifest.kind, manifest.source
    if start.configuration is not None:
        kind, source = RANDOM_WEIGHTS, {key: value for key, value in start.as_dict().items() if key != "name"}
    return Start(
        name=start.name,
        kind=kind,
        source=source,
        revision=manifest.revision,
        files_sha256=manifest.files_sha256,
    )


def _teacher(files: Sequence[Path]) -> Teacher | None:
    if not files:
        return None
    _, _, info = files
    told = read_json(info)
    return Teacher(name=told["model"], files_sha256=told["files_sha256"], vectors_sha256=told["sha256"])


def _every_setting(settings: Settings) -> dict[str, Any]:
    return {**dict.fromkeys(type(settings).model_fields), **settings.as_dict()}


# --- where a training starts -----------------------------------------------------------------------------------------

_SPECIAL = ("bos", "eos", "unk", "sep", "pad", "cls", "mask")
_PLAIN = ("transformers", SPLADE)  # of whose folders the transformer alone is taken


def learnt_tokenizer(like: Any, size: int, texts: Sequence[str]) -> Any:
    """A tokenizer that normalises and splits texts as another one does, with a vocabulary that is learnt from texts.

    `size`: tokens at most, special ones included. Equal texts give equal ids, in any process and order. Raises
    ConfigError: its vocabulary is of another kind than WordPiece or byte pairs, or `size` is smaller than the
    characters of the texts.
    """
    backend = getattr(like, "backend_tokenizer", None)
    if not isinstance(backend, Tokenizer) or not isinstance(backend.model, WordPiece | BPE):
        raise ConfigError(
            f"start.tokenizer: a vocabulary can be learnt for tokenizers of WordPiece or byte pairs that the "
            f"library tokenizers computes, and that of the start is a {type(like).__name__}. Take the "
            "configuration of another encoder, or leave tokenizer out."
        )
    if isinstance(backend.model, BPE):
        made = like.train_new_from_iterator([texts], vocab_size=size, show_progress=False)
    else:
        made = like.train_new_from_iterator([[]], vocab_size=0, show_progress=False)
        old = made.backend_tokenizer.model
        made.backend_tokenizer.model = WordPiece(
            vocab=_word_pieces(backend, made.get_vocab(), size, texts),
            unk_token=old.unk_token,
            continuing_subword_prefix=old.continuing_subword_prefix,
            max_input_chars_per_word=old.max_input_chars_per_word,
        )
    if len(made) > size:
        raise ConfigError(
            f"start.tokenizer.size: {size} is fewer than the {len(made)} characters and special tokens that the texts "
            f"need. Write more than {len(made)}."
        )
    logger.info("%d of at most %d tokens are learnt from %d texts", len(made), size, len(texts))
    return made


def _word_pieces(
    backend: Tokenizer, special: Mapping[str, int], size: int, texts: Sequence[str]
) -> dict[str, int]:
    """Piece → id. The trainer numbers characters inside words at random, so they are given, sorted, as special."""

    def trained(size: int, first: Sequence[str]) -> dict[str, int]:
        learner = Tokenizer(WordPiece(unk_token=backend.model.unk_token))
        learner.normalizer, learner.pre_tokenizer = backend.normalizer, backend.pre_tokenizer
        trainer = WordPieceTrainer(
            vocab_size=size,
            special_tokens=list(first),
            continuing_subword_prefix=backend.model.continuing_subword_prefix,
            show_progress=False,
        )
        learner.train_from_iterator(texts, trainer)
        return learner.get_vocab()

    first = sorted(special, key=lambda piece: special[piece])
    characters = sorted(trained(0, first).keys() - special.keys())
    return trained(size, [*first, *characters])


def load_start(
    manifest: Manifest, model_files: Path | None, settings: TrainingRun, rows: Sequence[Row], device: str
) -> SentenceTransformer:
    """The encoder before the first step, in training mode, in float32.

    With a configuration, its weights are drawn, and its vocabulary is perhaps learnt from the rows.
    """
    folder = checked_folder(manifest, model_files)
    pooling = VectorSettings.model_validate({"pooling": settings.pooling})
    # A pooler that the files lack is drawn, and saved with the encoder, though nothing reads it
    with tempfile.TemporaryDirectory() as made, Draws(settings.seed).of("start").seeded():
        if settings.start.configuration is None:
            plain = manifest.kind in _PLAIN
            model = load_model(folder, pooling, device, manifest.settings, plain=plain)
        else:
            arguments = tokenizer_arguments(manifest.settings)
            _write_random_weights(Path(made), folder, settings, rows, arguments)
            model = load_model(Path(made), pooling, device, {}, plain=True)
    for parameter in model.parameters():
        parameter.requires_grad_(True)
    return model.train()


def check_max_tokens(encoder: SentenceTransformer, max_tokens: int) -> None:
    """Refuse texts that are longer than the table of positions of an encoder; others have no such limit."""
    config = text_config_of(encoder)
    positions = usable_tokens(config) if has_table(config) else None
    if positions is not None and max_tokens > positions:
        raise ConfigError(
            f"training.max_tokens: {max_tokens} is more than the {positions} positions that the start has. Write "
            f"{positions} or less."
        )


def _write_random_weights(
    made: Path, folder: Path, settings: TrainingRun, rows: Sequence[Row], arguments: Mapping[str, str]
) -> None:
    inner = folder / "0_Transformer" if (folder / "0_Transformer").is_dir() else folder
    start, configuration = settings.start, settings.start.configuration or {}
    tokenizer = AutoTokenizer.from_pretrained(str(inner), **OFFLINE, **arguments)
    if start.tokenizer is not None:
        texts = [row[key] for row in rows for key in TEXT_COLUMNS if key in row]
        tokenizer = learnt_tokenizer(tokenizer, start.tokenizer.size, texts)
    try:
        config = AutoConfig.from_pretrained(str(inner), **OFFLINE)
        for key in configuration:
            if not hasattr(config, key):
                raise ConfigError(
                    f"start.configuration.{key}: a {config.model_type} has no such key. Write keys of its config.json."
                )
        config.update(dict(configuration))
        if start.tokenizer is not None:
            config.vocab_size = len(tokenizer)
            for key in (f"{name}_token_id" for name in _SPECIAL):
                if getattr(config, key, None) is not None and getattr(tokenizer, key) is not None:
                    setattr(config, key, getattr(tokenizer, key))
        with Draws(settings.seed).of("start").seeded():
            AutoModel.from_config(config).save_pretrained(made)
    except (TypeError, ValueError) as error:
        raise ConfigError(f"start.configuration: no model can be made of it ({error}).") from error
    tokenizer.save_pretrained(made)
