"""The evaluator for encoders that learn from texts."""

from typing import TYPE_CHECKING, Any

from sentflow.api.arguments import ArgumentError
from sentflow.api.checks import check_split, check_vectoriser
from sentflow.api.embedding import as_tensor, text_columns, transform_columns
from sentflow.api.evaluator import UlyssesSentEval
from sentflow.api.own_encoder import is_reference

if TYPE_CHECKING:
    import torch

__all__ = ["UlyssesSentEval", "UlyssesSentEvalLazy"]


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
        if is_reference(sentence_model):
            raise ArgumentError(
                "UlyssesSentEvalLazy takes a vectoriser of scikit-learn. Use UlyssesSentEval for a "
                "class of your own: "
                "it is lazy if the class has lazy = True."
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
                "A lazy encoder cannot embed all rows at once. Call embed for data_split='train', then "
                "for 'eval' and "
                "'test'."
            )
        alternatives = self._splits_alternatives(task)
        columns = text_columns(X_a, X_b, alternatives=alternatives)
        if data_split == "train":
            from sklearn.base import clone

            check_vectoriser(self.sentence_model)
            self._lazy_sentence_model = clone(self.sentence_model)
            self._lazy_sentence_model.fit([text for column in columns for text in column])
        return as_tensor(transform_columns(self._lazy_sentence_model, columns, alternatives=alternatives))

    def _check_embed(self) -> None:
        if type(self).embed is UlyssesSentEvalLazy.embed:
            check_vectoriser(self.sentence_model)
