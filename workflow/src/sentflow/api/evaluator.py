"""The evaluator for notebooks: names, arguments and return values of the published class, numbers of the pipeline.

Source of the interface: ulysses-camara/ulysses-senteval@f2a12c2.
"""

import logging
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from tqdm.auto import tqdm

from sentflow.api import embedding
from sentflow.api.arguments import (
    ArgumentError,
    TrainArguments,
    cache_folder,
    check_encoder,
    check_name,
    check_split,
    check_vectoriser,
    expanded,
    train_arguments,
)
from sentflow.api.data import chosen_tasks, known_tasks, load_task, named_protocol, protocols_of
from sentflow.api.folds import trained_folds
from sentflow.api.results import ResultFolder, TaskScores, TasksScores, aggregate
from sentflow.compare.scores import score_row
from sentflow.compare.settings import ModelTitle, TaskTitle, Titles
from sentflow.probing.catalog import about_protocol, changed_settings, job_settings
from sentflow.probing.draws import task_plans
from sentflow.probing.fold import FoldInfo, ProbeDesign
from sentflow.probing.scores import about_score, kept_documents
from sentflow.probing.settings import PUBLISHED_NAME, not_comparable_text
from sentflow.probing.training import FeatureSource, FixedFeatures
from sentflow.texts.checks import few_rows, n_balanced
from sentflow.texts.table import TaskTable

if TYPE_CHECKING:
    import pandas as pd
    import torch


logger = logging.getLogger(__name__)


class UlyssesSentEval:
    """Evaluate a sentence encoder on the tasks of Ulysses SentEval.

    ``UlyssesSentEval(model).evaluate()`` trains the published probes on the frozen vectors of the 18 official tasks.
    Scores are those of the published evaluator, fold by fold, and of this project's pipeline.

    Parameters
    ----------
    sentence_model
        Of sentence-transformers, or anything with ``encode(texts)``; whatever `embed` can use, if a subclass has one
        of its own. It is not copied. Or the path of a model of sentence-transformers, its name in the catalog, or
        ``"owner/name@commit"`` of the Hugging Face hub, which is kept in `cache_dir`. Or
        ``"path/to/file.py:ClassName"``, a class as for ``custom:`` of the pipeline, with ``encode`` or ``embed``, lazy
        if it says so.
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
        A YAML file, or what one would hold, with ``tasks:``, ``datasets:`` and ``protocols:`` of your own. (Not in the
        published class.)
    protocol
        How probes are trained, tested and summed up: a name of the catalog or of `config`, e.g. ``"corrected"``, or an
        entry of your own, e.g. ``{"like": "corrected", "switches": {"clip_metric": True}}``. A task whose entry names a
        protocol takes that one, and tasks of your own take ``"corrected"`` where this is ``"published"``. (Not in the
        published class.)
    encoder_arguments
        Of the class that `sentence_model` names. (Not in the published class.)

    Raises
    ------
    ConfigError
        A task or protocol does not exist (then it is a `ValueError` too, as in the published class), or `config` is not
        in order.

    Notes
    -----
    Differences from the published class, all on purpose:

    - A task keeps its classifier whatever `kwargs_train` holds, unless it holds ``hidden_dims``. (The published class
      trained MLP probes on 13 of the 18 tasks as soon as the caller passed any training argument.)
    - Probes are trained on the processor, also where there is CUDA; arguments of the caller are never changed.
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
        protocol: str | Mapping[str, Any] = PUBLISHED_NAME,
        encoder_arguments: Mapping[str, Any] | None = None,
    ) -> None:
        self._catalog = known_tasks(config)
        self.tasks = chosen_tasks(tasks, self._catalog["tasks"])
        self.protocol = named_protocol(protocol, config)
        self._protocols = protocols_of(self._catalog["tasks"], self.protocol, config)
        self._warned: set[str] = set()
        self._few_rows: set[str] = set()  # tasks that were told to have them
        if embedding.is_reference(sentence_model):
            sentence_model = embedding.OwnEncoder(sentence_model, encoder_arguments or {})
            if lazy_embedding and not sentence_model.lazy:
                raise ArgumentError(
                    "lazy_embedding=True, but the class is not lazy. Write lazy = True in the class, or leave "
                    "lazy_embedding out."
                )
            lazy_embedding = sentence_model.lazy
        elif encoder_arguments is not None:
            raise ArgumentError(
                "encoder_arguments are those of a class that sentence_model names as "
                "'path/to/file.py:ClassName'. Leave them out."
            )
        elif isinstance(sentence_model, str | Path):
            sentence_model = embedding.named_model(
                sentence_model, Path(expanded(cache_dir)) / "models", mirrors
            )
        self.sentence_model = sentence_model
        self.data_dir_path = expanded(data_dir_path)
        self.disable_multiprocessing = disable_multiprocessing
        self.lazy_embedding = lazy_embedding
        self.mirrors = mirrors
        self._lazy_sentence_model: Any = sentence_model if lazy_embedding else None
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
        if isinstance(own := self.sentence_model, embedding.OwnEncoder):
            if kwargs:
                raise ArgumentError(
                    f"kwargs_embed holds {', '.join(kwargs)}, but a class of your own gets its arguments when "
                    "it is created. Write encoder_arguments."
                )
            splits = self._splits_alternatives(task, lazy=own.lazy)
            features = own.features(X_a, X_b, task=task, data_split=data_split, alternatives=splits)
            return embedding.as_tensor(features)
        check_encoder(self.sentence_model)
        if self.lazy_embedding:
            warnings.warn(
                "The embed of UlyssesSentEval does not learn from the training split. With "
                "lazy_embedding=True, override embed, or use UlyssesSentEvalLazy.",
                UserWarning,
                stacklevel=2,
            )
        features = embedding.encode_rows(
            self.sentence_model,
            X_a,
            X_b,
            alternatives=self._splits_alternatives(task, lazy=False),
            task=task,
            options=kwargs,
        )
        return embedding.as_tensor(features)

    def evaluate(
        self,
        *,
        kwargs_embed: Mapping[str, Any] | None = None,
        kwargs_train: Mapping[str, Any] | None = None,
        return_all_results: bool = False,
        ignore_cached: bool = False,
    ) -> "TasksScores | tuple[TasksScores, pd.DataFrame]":
        """Evaluate the model on every task of this evaluator.

        The data of all tasks are brought and checked before the first text is embedded.

        Parameters
        ----------
        kwargs_embed
            Passed to `embed`, and by it to ``sentence_model.encode``.
        kwargs_train
            How probes are trained. None of these changes a number:

            - ``n_processes``: folds trained side by side; without it 5, or as many as the machine has processors. 1 or
              less trains in this process. Scripts need no ``__main__`` guard.
            - ``device``: has no effect, for probes are trained on the processor.
            - ``show_progress_bar``: True without it.

            These do, over the settings of the protocol, so that scores are no longer comparable with published ones,
            which a warning in the log and the files say (published values in brackets):
            ``batch_size`` (128), ``hidden_dims`` (without it the task's own classifier; None or [] for logistic
            probes, [256] for one hidden layer of 256 units), ``eval_frac`` (0.2), ``n_repeats`` (10), ``k_fold`` (5),
            ``n_epochs`` (100), ``tenacity`` (5), ``early_stopping_rel_improv`` (0.0025), ``random_state`` (9847706).
        return_all_results
            Whether to return the unaggregated table too.
        ignore_cached
            Make embeddings anew although they are in the cache, and overwrite them there.

        Returns
        -------
        TasksScores
            A dictionary, task → the result of `evaluate_in_task`, with `frame()` and `plot()`.
        DataFrame
            With `return_all_results` only. Columns task, kfold_repetition, kfold_partition, train_epoch (1-based;
            −1 for test), metric, value.

        Raises
        ------
        ConfigError, DataError
            An argument, the data of a task, or what `embed` returned is not in order.
        """
        self._check_embed()
        self._warn_of_few_rows(self.tasks, kwargs_train)
        evaluated = {
            task: self._evaluated(task, kwargs_embed, kwargs_train, ignore_cached=ignore_cached)
            for task in self.tasks
        }
        aggregated = TasksScores({task: scores for task, (scores, _) in evaluated.items()})
        if not return_all_results:
            return aggregated
        import pandas as pd

        tables = []
        for task, (_, table) in evaluated.items():
            table.insert(0, "task", task)
            tables.append(table)
        return aggregated, pd.concat(tables, ignore_index=True)

    def evaluate_in_task(
        self,
        task: str,
        *,
        kwargs_embed: Mapping[str, Any] | None = None,
        kwargs_train: Mapping[str, Any] | None = None,
        return_all_results: bool = False,
        ignore_cached: bool = False,
    ) -> "TaskScores | tuple[TaskScores, pd.DataFrame]":
        """Evaluate the model on one task, which need not be one of this evaluator's `tasks`.

        Parameters
        ----------
        task
            Its name in the catalog.
        kwargs_embed, kwargs_train, return_all_results, ignore_cached
            See `evaluate`.

        Returns
        -------
        TaskScores
            A dictionary, with `frame()` and `plot()`: ``avg_Q``, ``std_Q``, ``ci99_low_Q`` and ``ci99_high_Q`` for
            each quantity Q: a float for ``loss_test``
            and ``metric_test``; one float64 per epoch, over the folds that reached it, for ``loss_per_epoch_train``,
            ``loss_per_epoch_eval`` and ``metric_per_epoch_eval``. The interval is the published bootstrap: it says
            what another shuffling of the same texts would give, and is too narrow for anything else. The files of
            `results_dir` hold an interval for claims beside it, and so does the result, as
            ``generalisation_low_metric_test`` and ``…_high_…``, under a protocol that calls it its own. Under a
            protocol without the switch ``curve_survivors``, arrays end where fewer than half of the folds are left.
        DataFrame
            With `return_all_results` only; as in `evaluate`, without the column task.

        Raises
        ------
        ConfigError, DataError
            See `evaluate`.
        """
        self._check_embed()
        self._warn_of_few_rows([task], kwargs_train)
        scores, folds = self._evaluated(task, kwargs_embed, kwargs_train, ignore_cached=ignore_cached)
        return (scores, folds) if return_all_results else scores

    def _evaluated(
        self,
        task: str,
        kwargs_embed: Mapping[str, Any] | None,
        kwargs_train: Mapping[str, Any] | None,
        *,
        ignore_cached: bool,
    ) -> "tuple[TaskScores, pd.DataFrame]":
        arguments = self._train_arguments(kwargs_train, task)
        table = self._table(task, arguments)
        source = self._source(table, dict(kwargs_embed or {}), ignore_cached=ignore_cached)
        entry, protocol = self._catalog["tasks"][task], arguments.protocol
        settings = job_settings(protocol, entry, lazy=self.lazy_embedding)
        design = ProbeDesign.of(settings, len(table.info.classes))
        text = not_comparable_text(changed_settings(protocol, entry))
        if text and text not in self._warned:  # once per set of changes, not for every task
            self._warned.add(text)
            logger.warning("scores are not comparable with published ones: %s", text)
        files = None
        if self.results_dir is not None:
            files = ResultFolder(Path(self.results_dir), str(self.model_name), settings=settings)
        plans = task_plans(table, design.protocol)
        results = trained_folds(source, table.labels, plans, design, n_processes=arguments.n_processes)
        folds = []
        with tqdm(
            total=protocol.repetitions * protocol.folds,
            desc=f"Task: {task:<4}",
            unit="partition",
            disable=not arguments.show_progress_bar,
        ) as bar:
            for fold in results:
                folds.append(fold)
                if files is not None:
                    files.write_fold(task, fold)
                bar.update()
        aggregated, rows, numbers = aggregate(folds, protocol, kept_documents(table, settings))
        name = self.model_name if self.model_name is not None else type(self.sentence_model).__name__
        infos = [FoldInfo.of(fold, settings) for fold in folds]
        about = about_score(
            table, infos, model=name, probe=settings, protocol=about_protocol(protocol, entry)
        )
        record = {**about, **numbers}
        if files is not None:
            files.write_score(task, record, rows)
        titles = Titles(
            tasks={task: TaskTitle(title=entry["title"], family=entry["family"])},
            models={name: ModelTitle(title=name, control=False)},
        )
        return TaskScores(aggregated, score_row(record, titles)), rows

    def _warn_of_few_rows(self, tasks: Sequence[str], kwargs_train: Mapping[str, Any] | None) -> None:
        """Bring and check the rows of tasks, and name those with too few in one warning, a task only once."""
        told = {}
        for task in tasks:
            arguments = self._train_arguments(kwargs_train, task)
            counts = np.unique(self._table(task, arguments).labels, return_counts=True)[1].tolist()
            needs = arguments.protocol.needs()
            text = few_rows(counts, protocol=arguments.protocol.name, **needs)
            if text and task not in self._few_rows:
                told[task] = n_balanced(counts), text
        self._few_rows.update(told)
        if told:
            smallest = min(told, key=lambda task: told[task][0])
            logger.warning("too few rows: %s. In %s %s", ", ".join(told), smallest, told[smallest][1])

    def _table(self, task: str, arguments: TrainArguments) -> TaskTable:
        """The rows of a task, brought and checked."""
        folder = Path(self.data_dir_path)
        return load_task(
            task, self._catalog, folder=folder, protocol=arguments.protocol, mirrors=self.mirrors
        )

    def _source(
        self, table: TaskTable, kwargs_embed: dict[str, Any], *, ignore_cached: bool
    ) -> FeatureSource:
        """The features of a task: embedded now, or inside every fold."""
        rows = embedding.TaskRows(self, table, kwargs_embed)
        if self.lazy_embedding:
            return rows
        if self.cache_dir is None:
            return FixedFeatures(rows.embed_now(np.arange(len(table))))
        folder, task, embed = Path(self.cache_dir), table.info.task, rows.embed_now
        return FixedFeatures(
            embedding.cached_features(folder, task, rows.keys, embed, ignore_cached=ignore_cached)
        )

    def _train_arguments(self, kwargs_train: Mapping[str, Any] | None, task: str) -> TrainArguments:
        protocol = self._protocols.get(task, self.protocol)
        return train_arguments(kwargs_train, protocol=protocol, one_process=self.disable_multiprocessing)

    def _splits_alternatives(self, task: str, *, lazy: bool) -> bool:
        """Whether each alternative of a task is a text of its own; inside a fold the protocol says so."""
        layout = self._protocols.get(task, self.protocol).switches.lazy_sep_layout
        has_some = self._catalog["tasks"].get(task, {}).get("layout") == "alternatives"
        return has_some and (not lazy or layout == "alternatives")

    def _check_embed(self) -> None:
        """Refuse a model that the class's own `embed` cannot use, before anything is downloaded."""
        own_embed = type(self).embed is UlyssesSentEval.embed
        if own_embed and not isinstance(self.sentence_model, embedding.OwnEncoder):
            check_encoder(self.sentence_model)


class UlyssesSentEvalLazy(UlyssesSentEval):
    """`UlyssesSentEval` for vectorisers of scikit-learn, such as TF-IDF, fitted on the training part of every fold.

    Parameters
    ----------
    sentence_model
        With ``fit`` and ``transform``. It is cloned for every fold and stays as it is.
    **kwargs
        See `UlyssesSentEval`; `lazy_embedding` is True.
    """

    def __init__(self, sentence_model: Any, **kwargs: Any) -> None:
        if not kwargs.pop("lazy_embedding", True):
            raise ArgumentError(
                "UlyssesSentEvalLazy is always lazy. Leave lazy_embedding out, or use UlyssesSentEval."
            )
        if embedding.is_reference(sentence_model):
            raise ArgumentError(
                "UlyssesSentEvalLazy takes a vectoriser of scikit-learn. Use UlyssesSentEval for a class "
                "of your own: it is lazy if the class has lazy = True."
            )
        super().__init__(sentence_model, **kwargs, lazy_embedding=True)

    def embed(
        self,
        X_a: list[str],  # noqa: N803  # published name
        X_b: list[str] | None,  # noqa: N803
        task: str,
        data_split: str,
        **kwargs: Any,  # noqa: ARG002
    ) -> "torch.Tensor":
        """Features of rows; on the split ``"train"`` a clone of the vectoriser is fitted first, on texts a and b.

        Single texts and pairs as in `UlyssesSentEval.embed`. F3 and F5 are pairs here, with the whole of text b, as in
        the published class; each alternative is a text where the protocol says so (switch ``lazy_sep_layout``).

        Raises
        ------
        ArgumentError
            The split is ``"all"`` or does not exist, or the model cannot be fitted.
        """
        check_split(data_split)
        if data_split == "all":
            raise ArgumentError(
                "A lazy encoder cannot embed all rows at once. Call embed for data_split='train', then for "
                "'eval' and 'test'."
            )
        alternatives = self._splits_alternatives(task, lazy=True)
        columns = embedding.text_columns(X_a, X_b, alternatives=alternatives)
        if data_split == "train":
            from sklearn.base import clone

            check_vectoriser(self.sentence_model)
            self._lazy_sentence_model = clone(self.sentence_model)
            self._lazy_sentence_model.fit([text for column in columns for text in column])
        transform = self._lazy_sentence_model.transform
        return embedding.as_tensor(
            embedding.features_of_columns(columns, transform, alternatives=alternatives)
        )

    def _check_embed(self) -> None:
        if type(self).embed is UlyssesSentEvalLazy.embed:
            check_vectoriser(self.sentence_model)
