"""The evaluator for notebooks: names, arguments and return values of the published class, numbers of the pipeline.

Source of the interface: ulysses-camara/ulysses-senteval@f2a12c2.
"""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, cast

import numpy as np
from tqdm.auto import tqdm

from sentflow.api.arguments import ArgumentError, TrainArguments, instead
from sentflow.api.cache import cached_features
from sentflow.api.checks import cache_folder, check_encoder, check_name, check_split, expanded
from sentflow.api.data import load_task
from sentflow.api.embedding import as_tensor, encode_rows
from sentflow.api.folds import Probe, trained_folds
from sentflow.api.results import ResultFolder, TaskResult, task_result
from sentflow.api.sources import TaskRows
from sentflow.api.tasks import chosen_tasks, known_tasks
from sentflow.data.table import TaskTable
from sentflow.errors import DataError
from sentflow.probing.cross_validation import FeatureSource, FixedFeatures, smallest_training_part

if TYPE_CHECKING:
    import pandas as pd
    import torch


class UlyssesSentEval:
    """Evaluate a sentence encoder on the tasks of Ulysses SentEval.

    ``UlyssesSentEval(model).evaluate()`` trains the published probes on the frozen vectors of the 18 official tasks.
    Scores are those of the published evaluator, fold by fold, and of this project's pipeline.

    Parameters
    ----------
    sentence_model
        Of sentence-transformers, or anything with ``encode(texts)``; whatever `embed` can use, if a subclass has one
        of its own. It is not copied.

    tasks
        ``"all"`` for the 18 official tasks, a name, or several: any of the catalog, e.g. ``"T1A"`` (official data),
        ``"T1A-open"`` (public upstream data), ``"T1A-sample"`` (invented texts, made without network).
    data_dir_path
        Folder of the datasets. What is missing there is downloaded; what is there is verified on every use.
    cache_embed_key
        A name for the model under which its embeddings are kept; None keeps none. It also names the model in
        `results_dir`. Lazy encoders have no cache.
    cache_dir
        Folder of the cache: ``<cache_dir>/<cache_embed_key>/<task>.npy``.
    disable_multiprocessing
        Train in this process only.
    lazy_embedding
        Call `embed` inside every fold, for the split ``"train"``, then ``"eval"``, then ``"test"``, on a copy of this
        object. For encoders that learn from the texts; `UlyssesSentEvalLazy` has an `embed` for vectorisers.
    results_dir
        Folder in which every fold, its predictions, and the score of a task are written as soon as they are there,
        under the paths of the pipeline's ``results``. None writes nothing. (Not in the published class.)
    model_name
        The model's name in `results_dir`; `cache_embed_key` without it. (Not in the published class.)
    mirrors
        Folders or base addresses that are tried before a file's own addresses, as are those of the environment
        variable SENTFLOW_MIRROR. (Not in the published class.)
    config
        A YAML file, or what one would hold, with ``tasks:`` and ``datasets:`` of your own. (Not in the published
        class.)

    Raises
    ------
    ConfigError
        A task does not exist (then it is a `ValueError` too, as in the published class), or `config` is not in order.

    Notes
    -----
    Differences from the published class, all on purpose:

    - A task keeps its classifier whatever `kwargs_train` holds, unless it holds ``hidden_dims``. (The published class
      trained MLP probes on 13 of the 18 tasks as soon as the caller passed any training argument.)
    - Without CUDA, probes are trained on the processor; arguments of the caller are never changed.
    - Embeddings are used in float32, whatever `embed` returns.
    - Texts such as "NA" stay texts; the cache finds out vectors of another model under the same name.
    """

    def __init__(
        self,
        sentence_model: Any,
        *,
        tasks: str | Sequence[str] = "all",
        data_dir_path: str | Path = "./ulysses_senteval_datasets",
        cache_embed_key: str | None = None,
        cache_dir: str | Path = "./cache",
        disable_multiprocessing: bool = False,
        lazy_embedding: bool = False,
        results_dir: str | Path | None = None,
        model_name: str | None = None,
        mirrors: Sequence[str] = (),
        config: str | Path | Mapping[str, Any] | None = None,
    ) -> None:
        self._catalog = known_tasks(config)
        self.tasks = chosen_tasks(tasks, self._catalog.tasks)
        self.sentence_model = sentence_model
        self.data_dir_path = expanded(data_dir_path)
        self.disable_multiprocessing = disable_multiprocessing
        self.lazy_embedding = lazy_embedding
        self.mirrors = [mirrors] if isinstance(mirrors, str) else list(mirrors)
        self._lazy_sentence_model = sentence_model if lazy_embedding else None
        if cache_embed_key is not None and lazy_embedding:
            warnings.warn(
                "cache_embed_key is ignored: a lazy encoder has no cache.", UserWarning, stacklevel=2
            )
        cached = cache_embed_key is not None and not lazy_embedding
        self.cache_dir = cache_folder(cache_dir, str(cache_embed_key)) if cached else None
        self.results_dir = None if results_dir is None else expanded(results_dir)
        self.model_name = model_name if model_name is not None else cache_embed_key
        if self.results_dir is not None:
            check_name(self.model_name)

    def embed(
        self,
        X_a: list[str],  # noqa: N803  # published name
        X_b: list[str] | None,  # noqa: N803
        task: str,
        data_split: str,
        **kwargs: Any,
    ) -> "torch.Tensor":
        """Features of rows. Override it to embed in another way; it is part of the model under evaluation.

        With e = ``sentence_model.encode``: e(a) for single texts; e(a), e(b), |e(a) − e(b)|, e(a) · e(b) side by side
        for pairs; the question's and every alternative's vector side by side for F3 and F5.

        Parameters
        ----------
        X_a, X_b
            n texts each; `X_b` is None for single texts. Alternatives are joined by ``" [SEP] "``.
        task
            Name of the task.
        data_split
            ``"all"``; inside a fold (`lazy_embedding`) ``"train"``, ``"eval"`` or ``"test"``.
        **kwargs
            `kwargs_embed` of the caller; arguments of ``encode`` here.

        Returns
        -------
        Tensor
            (n, D) float32. An override may return any real tensor, array or sparse matrix of this shape.

        Raises
        ------
        ArgumentError
            There is no such split, or the model cannot encode.
        """
        check_split(data_split)
        check_encoder(self.sentence_model)
        if self.lazy_embedding:
            warnings.warn(
                "The embed of UlyssesSentEval does not learn from the training split. With lazy_embedding=True, "
                "override embed, or use UlyssesSentEvalLazy.",
                UserWarning,
                stacklevel=2,
            )
        layout = self._catalog.tasks.get(task, {}).get("layout")
        features = encode_rows(
            self.sentence_model,
            X_a,
            X_b,
            alternatives=layout == "alternatives",
            task=task,
            options=kwargs,
        )
        return as_tensor(features)

    def evaluate(
        self,
        *,
        kwargs_embed: Mapping[str, Any] | None = None,
        kwargs_train: Mapping[str, Any] | None = None,
        return_all_results: bool = False,
        ignore_cached: bool = False,
    ) -> "dict[str, dict[str, Any]] | tuple[dict[str, dict[str, Any]], pd.DataFrame]":
        """Evaluate the model on every task of this evaluator.

        The data of all tasks are brought and checked before the first text is embedded.

        Parameters
        ----------
        kwargs_embed
            Passed to `embed`, and by it to ``sentence_model.encode``.
        kwargs_train
            How probes are trained. None of these changes a number:

            - ``n_processes``: folds trained side by side; without it 5, or as many as the machine has processors, and
              1 on a CUDA device. 1 or less trains in this process. Scripts need no ``__main__`` guard.
            - ``device``: of torch; without it ``"cuda:0"`` where there is CUDA, else ``"cpu"`` (numbers of devices
              differ by rounding).
            - ``show_progress_bar``: True without it.

            These do, so that scores are no longer comparable with published ones (defaults in brackets):
            ``batch_size`` (128), ``hidden_dims`` (without it the task's own classifier; None or [] for logistic
            probes, [256] for one hidden layer of 256 units), ``eval_frac`` (0.2), ``n_repeats`` (10), ``k_fold`` (5),
            ``n_epochs`` (100), ``tenacity`` (5), ``early_stopping_rel_improv`` (0.0025), ``random_state`` (9847706).
        return_all_results
            Whether to return the unaggregated table too.
        ignore_cached
            Make embeddings anew although they are in the cache, and overwrite them there.

        Returns
        -------
        dict
            Task → the result of `evaluate_in_task`.
        DataFrame
            With `return_all_results` only. Columns task, kfold_repetition, kfold_partition, train_epoch (1-based;
            −1 for test), metric, value.

        Raises
        ------
        ConfigError, DataError
            An argument, the data of a task, or what `embed` returned is not in order.
        """
        self._check_embed()
        arguments = self._train_arguments(kwargs_train)
        for task in self.tasks:
            self._table(task, arguments)
        aggregated: dict[str, dict[str, Any]] = {}
        tables = []
        for task in self.tasks:
            both = self.evaluate_in_task(
                task,
                kwargs_embed=kwargs_embed,
                kwargs_train=kwargs_train,
                return_all_results=True,
                ignore_cached=ignore_cached,
            )
            aggregated[task], table = cast("tuple[dict[str, Any], pd.DataFrame]", both)
            table.insert(0, "task", task)
            tables.append(table)
        if not return_all_results:
            return aggregated
        import pandas as pd

        return aggregated, pd.concat(tables, ignore_index=True)

    def evaluate_in_task(
        self,
        task: str,
        *,
        kwargs_embed: Mapping[str, Any] | None = None,
        kwargs_train: Mapping[str, Any] | None = None,
        return_all_results: bool = False,
        ignore_cached: bool = False,
    ) -> "dict[str, Any] | tuple[dict[str, Any], pd.DataFrame]":
        """Evaluate the model on one task, which need not be one of this evaluator's `tasks`.

        Parameters
        ----------
        task
            Its name in the catalog.
        kwargs_embed, kwargs_train, return_all_results, ignore_cached
            See `evaluate`.

        Returns
        -------
        dict
            ``avg_Q``, ``std_Q``, ``ci99_low_Q`` and ``ci99_high_Q`` for each quantity Q: a float for ``loss_test``
            and ``metric_test``; one float64 per epoch, over the folds that reached it, for ``loss_per_epoch_train``,
            ``loss_per_epoch_eval`` and ``metric_per_epoch_eval``. The interval is the published bootstrap: it says
            what another shuffling of the same texts would give, and is too narrow for anything else. The files of
            `results_dir` hold an interval for claims beside it.
        DataFrame
            With `return_all_results` only; as in `evaluate`, without the column task.

        Raises
        ------
        ConfigError, DataError
            See `evaluate`.
        """
        self._check_embed()
        arguments = self._train_arguments(kwargs_train)
        table = self._table(task, arguments)
        source = self._source(table, dict(kwargs_embed or {}), ignore_cached=ignore_cached)
        result = self._train(table, source, arguments)
        return (result.aggregated, result.folds) if return_all_results else result.aggregated

    def _train(self, table: TaskTable, source: FeatureSource, arguments: TrainArguments) -> TaskResult:
        entry, protocol = self._catalog.tasks[table.info.task], arguments.protocol
        probe = Probe(
            metric=entry["metric"],
            n_classes=len(table.info.classes),
            hidden=arguments.hidden(entry["classifier"]),
            protocol=protocol,
            device=arguments.device,
        )
        files = self._files(probe, arguments)
        folds = []
        with tqdm(
            total=protocol.repetitions * protocol.folds,
            desc=f"Task: {table.info.task:<4}",
            unit="partition",
            disable=not arguments.show_progress_bar,
        ) as bar:
            for fold in trained_folds(source, table.labels, probe, n_processes=arguments.n_processes):
                folds.append(fold)
                if files is not None:
                    files.write_fold(table.info.task, fold)
                bar.update()
        result = task_result(folds, n_folds=protocol.folds, seed=protocol.seed)
        if files is not None:
            files.write_score(table, folds, result)
        return result

    def _table(self, task: str, arguments: TrainArguments) -> TaskTable:
        """The rows of a task, brought and checked."""
        if task not in self._catalog.tasks:
            raise ArgumentError(f"there is no task {task!r}. {instead(str(task), self._catalog.tasks)}")
        table = load_task(
            task,
            self._catalog,
            folder=Path(self.data_dir_path),
            folds=arguments.protocol.folds,
            mirrors=self.mirrors,
        )
        counts = np.bincount(table.labels)
        n_rows = smallest_training_part(len(counts) * int(counts.min()), arguments.protocol)
        if n_rows < arguments.protocol.batch_size:
            raise DataError(
                f"{task}: a fold trains on {n_rows} rows, fewer than one batch of {arguments.protocol.batch_size}. "
                "Write a smaller kwargs_train['batch_size'] or ['eval_frac']."
            )
        return table

    def _source(
        self, table: TaskTable, kwargs_embed: dict[str, Any], *, ignore_cached: bool
    ) -> FeatureSource:
        """The features of a task: embedded now, or inside every fold."""
        rows = TaskRows(self, table, kwargs_embed)
        if self.lazy_embedding:
            return rows
        if self.cache_dir is None:
            return FixedFeatures(rows.embed_now(np.arange(len(table))))
        folder, task = Path(self.cache_dir), table.info.task
        return FixedFeatures(
            cached_features(folder, task, rows.keys, rows.embed_now, ignore_cached=ignore_cached)
        )

    def _files(self, probe: Probe, arguments: TrainArguments) -> ResultFolder | None:
        if self.results_dir is None:
            return None
        settings = {
            "protocol": "published",
            "repetitions": probe.protocol.repetitions,
            "folds": probe.protocol.folds,
            "seed": probe.protocol.seed,
            "metric": probe.metric,
            "classifier": "logistic" if probe.hidden is None else "mlp",
        }
        if changed := arguments.changed():
            settings["changed"] = changed
        return ResultFolder(Path(self.results_dir), str(self.model_name), settings)

    def _train_arguments(self, kwargs_train: Mapping[str, Any] | None) -> TrainArguments:
        return TrainArguments.parse(kwargs_train, one_process=self.disable_multiprocessing)

    def _check_embed(self) -> None:
        """Refuse a model that the class's own `embed` cannot use, before anything is downloaded."""
        if type(self).embed is UlyssesSentEval.embed:
            check_encoder(self.sentence_model)
