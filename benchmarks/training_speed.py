"""Our training beside sentence-transformers' trainer: python benchmarks/training_speed.py --texts FILE

One recipe: unsupervised SimCSE with temperature 0.05, which there is MultipleNegativesRankingLoss with scale 20 on
(text, text), AdamW, a linear schedule and gradients clipped to norm 1, from all-MiniLM-L6-v2, one thread. Each program
is a process of its own and waits for its turn, so that both take some steps and then the other does; the first turn is
not counted. Printed are CPU seconds per step, medians over turns, and the peak of memory. The trainer needs the
packages accelerate and datasets (envs/requirements-lora.txt, envs/requirements-exports.txt).
"""

import argparse
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import needs
from embedding_speed import lines_of, model_folder

OURS, THEIRS = "sentflow", "sentence-transformers"
PRECISIONS = ("float32", "bfloat16-autocast")
RATE = 3e-5
TEMPERATURE = 0.05
MANY = 10_000  # steps that a schedule is planned for; no turn gets there


def main() -> None:
    """Print one line per batch size, length and precision."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--texts", type=Path, required=True, help="one text per line")
    parser.add_argument("--batches", type=int, nargs="+", default=[32, 64])
    parser.add_argument("--lengths", type=int, nargs="+", default=[32, 128], help="in tokens")
    parser.add_argument("--precisions", nargs="+", default=PRECISIONS, choices=PRECISIONS)
    parser.add_argument("--turns", type=int, default=5)
    parser.add_argument("--steps", type=int, default=4, help="of a turn")
    parser.add_argument("--as", dest="program", choices=(OURS, THEIRS), help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.program:
        train = {OURS: train_ours, THEIRS: train_theirs}[arguments.program]
        with tempfile.TemporaryDirectory() as folder:
            train(arguments, lines_of(arguments.texts), Path(folder))
        return
    print(f"| batch | tokens | precision | {OURS} | {THEIRS} | times as fast | memory, MB | ratio |")
    print("|--:|--:|---|--:|--:|--:|--:|--:|", flush=True)
    for batch in arguments.batches:
        for length in arguments.lengths:
            for precision in arguments.precisions:
                compare(arguments, batch, length, precision)


def compare(arguments: argparse.Namespace, batch: int, length: int, precision: str) -> None:
    """Print the line of one setting."""
    words = [
        *(sys.executable, __file__, "--texts", str(arguments.texts), "--steps", str(arguments.steps)),
        *("--batches", str(batch), "--lengths", str(length), "--precisions", precision),
    ]
    programs = {name: Program([*words, "--as", name]) for name in (OURS, THEIRS)}
    turns: dict[str, list[float]] = {name: [] for name in programs}
    memory = dict.fromkeys(programs, 0.0)
    for turn in range(arguments.turns + 1):
        for name, program in programs.items():
            seconds, memory[name] = program.turn()
            if turn:
                turns[name].append(seconds / arguments.steps)
    for program in programs.values():
        program.end()
    ours, theirs = (statistics.median(turns[name]) for name in (OURS, THEIRS))
    ratios = [there / here for here, there in zip(turns[OURS], turns[THEIRS], strict=True)]
    print(
        f"| {batch} | {length} | {precision} | {ours:.2f} | {theirs:.2f} | {theirs / ours:.2f} ({min(ratios):.2f} to "
        f"{max(ratios):.2f}) | {memory[OURS]:.0f}, {memory[THEIRS]:.0f} | {memory[OURS] / memory[THEIRS]:.2f} |",
        flush=True,
    )


class Program:
    """A training in a process of its own, which goes on when it is told."""

    def __init__(self, words: list[str]) -> None:
        self._process = subprocess.Popen(words, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def turn(self) -> tuple[float, float]:
        """CPU seconds of a turn, and the peak of memory so far in MB."""
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        with suppress(BrokenPipeError):  # it has ended, and said why
            self._process.stdin.write("go on\n")
            self._process.stdin.flush()
        while not (line := self._process.stdout.readline()).startswith("turn "):
            if not line:
                raise subprocess.CalledProcessError(self._process.wait(), self._process.args)
        _, seconds, memory = line.split()
        return float(seconds), float(memory)

    def end(self) -> None:
        """End the process."""
        self._process.kill()
        self._process.wait()


class Turns:
    """What a training calls after every step: it waits for the next turn.

    Parameters
    ----------
    steps
        Of a turn.
    """

    def __init__(self, steps: int) -> None:
        self._steps, self._done, self._start = steps, 0, 0.0

    def begin(self) -> None:
        """Wait for a turn."""
        if not sys.stdin.readline():
            sys.exit()
        self._start = time.process_time()

    def step(self) -> None:
        """Count a step; after the last of a turn, tell what it took."""
        self._done += 1
        if self._done % self._steps == 0:
            seconds = time.process_time() - self._start
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"turn {seconds} {memory}", flush=True)
            self.begin()


def train_ours(arguments: argparse.Namespace, texts: list[str], folder: Path) -> None:
    """The loop of sentflow, until nobody asks for another turn."""
    import torch

    from sentflow.encoders.neural.load import load_model
    from sentflow.encoders.settings import VectorSettings
    from sentflow.training.contract import build_objective
    from sentflow.training.draws import Draws
    from sentflow.training.leave import Watch
    from sentflow.training.loop import StateFolder, Trainer
    from sentflow.training.recipes.settings import SimCSE
    from sentflow.training.settings import TrainingSettings

    torch.set_num_threads(1)
    encoder = load_model(model_folder(), VectorSettings(), "cpu", {}, plain=False)
    settings = TrainingSettings(
        learning_rate=RATE,
        steps=MANY,
        batch_size=arguments.batches[0],
        max_tokens=arguments.lengths[0],
        precision=arguments.precisions[0],
    )
    draws = Draws(1)
    recipe = SimCSE(temperature=TEMPERATURE, head="none")
    objective = build_objective("simcse", encoder.train().requires_grad_(True), recipe, settings, draws)
    turns = Turns(arguments.steps)
    rows = [{"text": text} for text in texts]
    turns.begin()
    watch = Watch()
    watch.log = lambda _total, _row: turns.step()  # type: ignore[method-assign]
    Trainer(objective, rows, settings, draws, watch=watch).run(StateFolder(folder))


def train_theirs(arguments: argparse.Namespace, texts: list[str], folder: Path) -> None:
    """The trainer of sentence-transformers, until nobody asks for another turn."""
    import torch
    from datasets import Dataset
    from sentence_transformers import (
        SentenceTransformer,
        SentenceTransformerTrainer,
        SentenceTransformerTrainingArguments,
    )
    from sentence_transformers.sentence_transformer.losses import MultipleNegativesRankingLoss
    from transformers import TrainerCallback

    turns = Turns(arguments.steps)

    class Waits(TrainerCallback):  # type: ignore[misc]
        def on_train_begin(self, *_: Any, **__: Any) -> None:
            turns.begin()

        def on_step_end(self, *_: Any, **__: Any) -> None:
            turns.step()

    torch.set_num_threads(1)
    model = SentenceTransformer(str(model_folder()), device="cpu", local_files_only=True)
    model.max_seq_length = arguments.lengths[0]
    settings = SentenceTransformerTrainingArguments(
        output_dir=str(folder),
        use_cpu=True,
        max_steps=MANY,
        per_device_train_batch_size=arguments.batches[0],
        learning_rate=RATE,
        bf16=arguments.precisions[0] != "float32",
        disable_tqdm=True,
        logging_strategy="no",
        save_strategy="no",
        report_to=[],
        seed=1,
    )
    SentenceTransformerTrainer(
        model=model,
        args=settings,
        train_dataset=Dataset.from_dict({"anchor": texts, "positive": texts}),
        loss=MultipleNegativesRankingLoss(model, scale=1 / TEMPERATURE),
        callbacks=[Waits()],
    ).train()


if __name__ == "__main__":
    needs.run(main)
