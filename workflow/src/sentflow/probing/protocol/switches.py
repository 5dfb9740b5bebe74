"""The named differences between protocols: each is one defect of the published evaluator, kept or fixed.

Defects have numbers in the register of what is wrong with ulysses-camara/ulysses-senteval@f2a12c2; docs/protocols.md
tells each in a sentence. Standard library only: the Snakefile reads it.
"""

from collections.abc import Mapping
from dataclasses import dataclass, fields, replace
from typing import Any

SwitchValue = bool | str


@dataclass(frozen=True)
class Switches:
    """One choice per defect; the defaults are those of the published evaluator with its documented classifiers.

    Attributes
    ----------
    leak_hidden_dims
        A1: the hidden layer of F3 and F5 stays on for every task after them in the default order, as in every call of
        the published evaluator with a training argument. False: every task has its documented classifier.
    interval
        A2: the interval that the protocol calls its own. ``"repeatability"`` is the published bootstrap, which takes
        fold scores for independent; ``"generalisation"`` is Nadeau and Bengio's.
    reflect_bca
        A3: the bootstrap interval is mirrored around the mean. False: the proper BCa interval.
    degenerate_interval
        A4: ``"undefined"``: no limits where all folds are equal; ``"zero-width"``: both limits are the mean.
    clip_metric
        A5: the metric is cut below at 0 in every fold and in the search. False: it is not.
    warmup_floor
        A6: the warm-up lasts ⌊batches / 4⌋ steps, which may be none, and a training part below one batch is not trained
        on. False: at least one step, and a small part is one smaller batch.
    best_checkpoint
        A7: test the weights with the lowest evaluation loss. False: those of the last epoch.
    const_features
        A8: what becomes of columns that are constant on the training part. ``"divide"``: divided by 1e-12;
        ``"unscaled"``: centred, but left on their own scale.
    lazy_sep_layout
        A9: how an encoder that is fitted inside each fold sees questions with alternatives. ``"pair"``: the whole of
        text b as one text; ``"alternatives"``: each for itself, as other encoders.
    logit_in_unit_interval
        A10: two classes, all logits of a part in [0, 1]. ``"probability"``: they are compared with 0.5;
        ``"logit"``: with 0, as all others.
    curve_survivors
        A14: curves average over the folds that reached an epoch, however few. False: a curve ends where fewer than half
        of the folds are left.
    stratify_eval
        A15: every class has its share of the evaluation part. False: it is drawn regardless of classes.
    group_folds
        A16: rows of one document are all in the test part of a fold or all outside. False: documents are not looked at.
    """

    leak_hidden_dims: bool = False
    interval: str = "repeatability"
    reflect_bca: bool = True
    degenerate_interval: str = "undefined"
    clip_metric: bool = True
    warmup_floor: bool = True
    best_checkpoint: bool = False
    const_features: str = "divide"
    lazy_sep_layout: str = "pair"
    logit_in_unit_interval: str = "probability"
    curve_survivors: bool = True
    stratify_eval: bool = False
    group_folds: bool = False

    @classmethod
    def unlike_published(cls, changes: Mapping[str, SwitchValue]) -> "Switches":
        """The published switches with some set otherwise."""
        return replace(cls(), **changes)  # type: ignore[arg-type]

    def changes(self) -> dict[str, SwitchValue]:
        """The switches that are not as published, in their order."""
        published = Switches()
        return {
            field.name: getattr(self, field.name)
            for field in fields(self)
            if getattr(self, field.name) != getattr(published, field.name)
        }


def switch_text(changes: Mapping[str, SwitchValue]) -> str:
    """Changed switches as people read them: ``clip_metric off, interval generalisation``; empty for none."""
    words = {True: "on", False: "off"}
    return ", ".join(
        f"{name} {words[value] if isinstance(value, bool) else value}" for name, value in changes.items()
    )


# What each stage reads. The switch of the hidden layer decides a task's classifier, that of the curves the summary.
PROBE_SWITCHES = frozenset(
    {
        "best_checkpoint",
        "clip_metric",
        "const_features",
        "group_folds",
        "lazy_sep_layout",
        "logit_in_unit_interval",
        "stratify_eval",
        "warmup_floor",
    }
)


def not_comparable_text(changed: Mapping[str, Mapping[str, Any]]) -> str:
    """Changed settings as people read them: ``batch_size 64 (published: 128)``; empty for none."""
    return ", ".join(
        f"{name} {_plain(change['here'])} (published: {_plain(change['published'])})"
        for name, change in changed.items()
    )


def _plain(value: Any) -> str:
    if not isinstance(value, list | tuple):
        return str(value)
    return " / ".join(item if isinstance(item, str) else f"{item:g}" for item in value)
