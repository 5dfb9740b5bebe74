"""Every recipe, with and without options, goes on from its state on disk to the same weights."""

from importlib import import_module

import pytest
import tiny_training as tiny
import torch
from trainable import ROWS, WIDTH, trainable_encoder

from sentflow.training.draws import Draws
from sentflow.training.loop import Hooks, LeftEarly, train
from sentflow.training.options.apply import with_options
from sentflow.training.recipes.table import RECIPES
from sentflow.training.settings import TrainingSettings
from sentflow.training.state import StateFolder

DRAWS = Draws(3)
LORA = {"rank": 2, "alpha": 4, "dropout": 0.1}
OF_RECIPE = {
    "consert": {"dropout": None, "views": [{"name": "none"}, {"name": "shuffle"}]},
    "sg-bert": {"head_width": 16},
    "distillation": {"teacher": "other", "projection": 4},
    "ct": {"negatives": 1},
    "condenser": {"masking": "tokens"},  # the tokenizer of these tests has whole words alone
    "cocondenser": {"masking": "tokens"},
    "splade": {"start_terms": 5},
    "sparse-embed": {"start_terms": 5, "question_terms": 4, "document_terms": 6, "width": 3},
}
OF_MASKED_MODELS = ("splade", "sparse-embed")
TAUGHT = [{**row, "text_target": [number, 1, 2, 3]} for number, row in enumerate(ROWS)]
OF_FORM = {
    "triplets": [{**row, "other": "lei", "negative": f"{row['text']} não"} for row in ROWS],
    "pairs": [{**row, "other": f"{row['text']} saúde"} for row in ROWS],
    "spans": [{"text": f"{row['text']}\nlei não\nsaúde projeto lei"} for row in ROWS],
}


def settings(**options):
    return TrainingSettings(
        learning_rate=1e-3, steps=3, batch_size=3, max_tokens=12, chunk_tokens=24, clip=1.0, **options
    )


def trained(folder, state, recipe, training, *, leave=lambda: False):
    masked = recipe in OF_MASKED_MODELS
    encoder = tiny.encoder(folder / "masked", kind="masked-bert") if masked else trainable_encoder(folder)
    row = RECIPES[recipe]
    module, of_recipe = import_module(row.module), {**row.settings, **OF_RECIPE.get(recipe, {})}
    objective = with_options(
        lambda: module.build(encoder, of_recipe, DRAWS, max_tokens=12), encoder, training, DRAWS
    )
    rows = OF_FORM.get(row.data[0], TAUGHT)
    objective.begin(rows)
    train(objective, rows, training, DRAWS, StateFolder(state, key="one"), Hooks(leave=leave))
    return objective


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("bert")


@pytest.mark.parametrize(
    "option",
    [
        "plain",
        pytest.param("matryoshka", marks=pytest.mark.slow),
        pytest.param("lora", marks=pytest.mark.slow),
    ],
)
@pytest.mark.parametrize("recipe", RECIPES)
def test_a_training_that_was_left_ends_in_the_same_weights(folder, tmp_path, recipe, option):
    if option == "matryoshka" and not RECIPES[recipe].compares_vectors:
        pytest.skip("refused by the checks of a configuration: no vectors to truncate")
    if option == "lora":
        pytest.importorskip("peft", reason="peft is optional: envs/requirements-lora.txt")
    options = {"plain": {}, "matryoshka": {"matryoshka": {"dimensions": [WIDTH, 8]}}, "lora": {"lora": LORA}}
    training = settings(**options[option])
    whole = trained(folder, tmp_path / "whole", recipe, training).state_dict()
    torch.manual_seed(99)  # what another process would have
    for _ in range(2):
        with pytest.raises(LeftEarly):
            trained(folder, tmp_path / "left", recipe, training, leave=lambda: True)
    resumed = trained(folder, tmp_path / "left", recipe, training).state_dict()
    assert resumed.keys() == whole.keys()
    assert all(torch.equal(resumed[name], whole[name]) for name in whole)
