"""Protocols of probes: entries of the catalog."""

from typing import Annotated, Literal

from pydantic import Field

from sentflow.config.model import (
    Count,
    Distinct,
    Folds,
    Int,
    Maybe,
    Number,
    Repetitions,
    Seed,
    Settings,
    Text,
    Title,
)


class Switches(Settings):
    """Which defects of the published evaluator are kept. What is not named is as published."""

    leak_hidden_dims: Maybe[bool] = None
    """A1: the hidden layer of F3 and F5 stays on for the 13 tasks after them; published: off."""
    interval: Maybe[Literal["repeatability", "generalisation"]] = None
    """A2: the interval that the protocol calls its own, repeatability (published) or generalisation."""
    reflect_bca: Maybe[bool] = None
    """A3: the bootstrap interval is mirrored around the mean; published: on."""
    degenerate_interval: Maybe[Literal["undefined", "zero-width"]] = None
    """A4: the interval where all folds are equal, undefined (published) or zero-width."""
    clip_metric: Maybe[bool] = None
    """A5: the metric is cut below at 0 in every fold and in the search; published: on."""
    warmup_floor: Maybe[bool] = None
    """A6: the warm-up may round down to no step, and parts below one batch are refused; published: on. Off: at least
    one step, and a small part is one smaller batch.
    """
    best_checkpoint: Maybe[bool] = None
    """A7: the weights with the lowest evaluation loss are tested, not the last; published: off."""
    const_features: Maybe[Literal["divide", "unscaled"]] = None
    """A8: columns that are constant on the training part: divide by 1e-12 (published), or leave unscaled."""
    lazy_sep_layout: Maybe[Literal["pair", "alternatives"]] = None
    """A9: how an encoder that is fitted inside each fold sees questions with alternatives, pair (published: the
    whole of text b as one text) or alternatives (each for itself).
    """
    logit_in_unit_interval: Maybe[Literal["probability", "logit"]] = None
    """A10: two classes, all logits of a part in [0, 1]: they are compared with 0.5 as a probability (published), or
    with 0 as a logit.
    """
    curve_survivors: Maybe[bool] = None
    """A14: curves average over the folds that are left, however few; published: on. Off: they end where fewer than
    half are left.
    """
    stratify_eval: Maybe[bool] = None
    """A15: every class has its share of the evaluation part; published: off."""
    group_folds: Maybe[bool] = None
    """A16: rows of one document are never in two folds; published: off."""


class Training(Settings):
    """Settings of training, published values where they are not named. Other values make results not comparable."""

    classifier: Maybe[Literal["logistic", "mlp", "regularised"]] = None
    """The probe of every task: logistic, mlp, or regularised (logistic regression to its optimum, penalty and scaling
    chosen on the evaluation part); each task's own if left out.
    """
    penalties: Maybe[Distinct[Annotated[Number, Field(gt=0)]]] = Field(None, min_length=1)
    """Regularised probes: penalties λ to try, the strongest first, for rows of a mean squared length of 1."""
    scalings: Maybe[Distinct[Literal["one", "columns"]]] = Field(None, min_length=1)
    """Regularised probes: scalings to try, one number for all columns, or each column by its deviation."""
    repetitions: Maybe[Repetitions] = None
    """Instead of probe.repetitions."""
    folds: Maybe[Folds] = None
    """Instead of probe.folds."""
    seed: Maybe[Seed] = None
    """Instead of probe.seed."""
    evaluation_share: Maybe[Number] = Field(None, gt=0, lt=1)
    """Share of the rows outside the test part that chooses setting and epoch; 0.2 as published."""
    batch_size: Maybe[Int] = Field(None, ge=2)
    """Rows of a training step; 128 as published."""
    learning_rates: Maybe[Distinct[Annotated[Number, Field(gt=0)]]] = Field(None, min_length=1)
    """Learning rates of the grid; 0.0005, 0.001, 0.002 as published."""
    beta1s: Maybe[Distinct[Annotated[Number, Field(ge=0, lt=1)]]] = Field(None, min_length=1)
    """First momentum factors of the grid; 0.8, 0.9 as published."""
    beta2s: Maybe[Distinct[Annotated[Number, Field(ge=0, lt=1)]]] = Field(None, min_length=1)
    """Second momentum factors of the grid; 0.99, 0.999 as published."""
    search_epochs: Maybe[Count] = None
    """Epochs of a training of the search; 8 as published."""
    max_epochs: Maybe[Count] = None
    """Most epochs of the final training; 100 as published."""
    patience: Maybe[Int] = Field(None, ge=0)
    """Epochs without improvement after which it ends; 5 as published."""
    min_improvement: Maybe[Number] = Field(None, ge=0)
    """Share of the best loss that counts as improvement; 0.0025 as published."""
    weight_decay: Maybe[Number] = Field(None, ge=0)
    """Of AdamW; 0.01 as published."""
    epsilon: Maybe[Number] = Field(None, gt=0)
    """Of AdamW's denominator; 1e-8 as published (in YAML write 1.0e-8)."""
    max_gradient_norm: Maybe[Number] = Field(None, gt=0)
    """Norm to which gradients are clipped; 1 as published."""
    warmup_start: Maybe[Number] = Field(None, gt=0, le=1)
    """First factor of the learning rate; 0.05 as published."""
    hidden_width: Maybe[Count] = None
    """Hidden units of an MLP; 256 as published."""


class Protocol(Settings):
    """How probes are trained, tested and summed up, as differences from the published evaluator (docs/protocols.md)."""

    like: Maybe[Text] = None
    """Name of another protocol whose switches and training are taken; keys written here are merged over them."""
    title: Title
    description: Maybe[Text] = None
    """What it is for, for the report."""
    switches: Switches = Switches()
    training: Training = Training()
