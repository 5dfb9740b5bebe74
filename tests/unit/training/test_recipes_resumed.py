"""Every recipe: its losses step by step, the gradient of its cache, and that it goes on to the same weights."""

import pytest
import tiny_training as tiny
import torch
from trainable import ROWS, WIDTH, trainable_encoder

from sentflow.training.contract import build_objective, target_of
from sentflow.training.draws import Draws
from sentflow.training.gradients import Passes
from sentflow.training.leave import Watch
from sentflow.training.loop import LeftEarly, StateFolder, Trainer
from sentflow.training.recipes.settings import RECIPES
from sentflow.training.settings import TrainingSettings

DRAWS = Draws(3)
LORA = {"lora": {"rank": 2, "alpha": 4, "dropout": 0.1}}
MATRYOSHKA = {"matryoshka": {"dimensions": [WIDTH, 8]}}
SPARSE_EMBED = {"start_terms": 5, "question_terms": 4, "document_terms": 6, "width": 3}
RELEASED = {"masking": "tokens", "defects": ["language-model-twice"]}
CUTOFFS = [{"name": "token-cutoff", "rate": 0.4}, {"name": "dropout", "rate": 0.3}]
NOISE = [{"name": "adversarial", "norm": 1.0}, {"name": "none"}]
PERMUTED = {"permute": ["tokenizer", "whitespace"], "mlm_weight": 0.1}
KEPT = {"permute": ["tokenizer-inside"], "head": "kept", "dropout": 0}
JOINT = {"objective": "joint", "views": NOISE, "none_view": "shared"}
OPT1 = {"head_width": 16, "loss": "opt1", "view_pooling": "max"}
OPT2 = {"head_width": None, "loss": "opt2", "defects": ["guide-dropout"]}
BY_SIMILARITY = {"teacher": "other", "loss": "similarity"}
PROMPTED = {"question_tokens": 4, "document_prompt": "não "}
CONTRASTIVE = {"loss": "contrastive", "margin": 1.9}
KL = {"ranking": "kl", "teacher": "other", "question_terms": 3}
OF_LABELS = {**SPARSE_EMBED, "ranking": "labels"}

TEXTS = [{**row, "text_target": [number, 1, 2, 3]} for number, row in enumerate(ROWS)]
TRIPLETS = [{**row, "other": f"{row['text']} saúde", "negative": f"{row['text']} não"} for row in ROWS]
LABELLED = [{**row, "label": number % 2} for number, row in enumerate(TRIPLETS)]
SPANS = [{"text": f"{row['text']}\nlei não\nsaúde projeto lei"} for row in ROWS]
TAUGHT = [
    {
        **row,
        **{target_of(key): [number, 1.0, place] for place, key in enumerate(("text", "other", "negative"))},
    }
    for number, row in enumerate(TRIPLETS)
]

# Case: the recipe, its settings, its rows, and what the first three steps lost when they were first right
CASES = {
    "simcse": ("simcse", {}, TRIPLETS, [7.4741, 3.3441, 10.67]),
    "simcse-permuted": ("simcse", PERMUTED, TEXTS, [2.0953, 2.5991, 8.1342]),
    "simcse-kept": ("simcse", KEPT, TEXTS, [0.20278, 2.404, 0.51551]),
    "consert": ("consert", {}, TEXTS, [0.65521, 0.51811, 1.074]),
    "consert-cutoff": ("consert", {"views": CUTOFFS}, TEXTS, [1.3294, 0.4081, 1.0744]),
    "consert-adversarial": ("consert", JOINT, LABELLED, [2.0838, 1.3996, 2.1861]),
    "sg-bert": ("sg-bert", {"head_width": 16}, TEXTS, [21.432, 15.716, 25.208]),
    "sg-bert-opt1": ("sg-bert", OPT1, TRIPLETS, [13.961, 0.0037297, 32.367]),
    "sg-bert-opt2": ("sg-bert", OPT2, TEXTS, [8.9246, 7.4598, 44.15]),
    "distillation": ("distillation", {"teacher": "other", "projection": 4}, TEXTS, [9.4151, 10.193, 14.384]),
    "distillation-similarity": ("distillation", BY_SIMILARITY, TEXTS, [2.7572, 0, 4.7561]),
    "tsdae": ("tsdae", {}, TEXTS, [8.0968, 6.3903, 5.8324]),
    "mlm": ("mlm", {}, TEXTS, [1.4101, 0, 2.2686]),
    "mlm-packed": ("mlm", {"packing": "packed"}, TEXTS, [1.2622, 2.0529, 3.0559]),
    # the tokenizer of these tests has whole words alone
    "condenser": ("condenser", {"masking": "tokens"}, TEXTS, [7.4053, 0, 8.2991]),
    "cocondenser": ("cocondenser", {"masking": "tokens"}, SPANS, [16.492, 1.7839, 13.875]),
    "cocondenser-released": ("cocondenser", RELEASED, SPANS, [25.676, 1.886, 24.745]),
    "bi-encoder": ("bi-encoder", PROMPTED, TRIPLETS, [5.7095, 0.375, 4.6654]),
    "bi-encoder-contrastive": ("bi-encoder", CONTRASTIVE, LABELLED, [0.26412, 0.69965, 0.73816]),
    "splade": ("splade", {"start_terms": 5}, TRIPLETS, [1.8173, 1.3922, 1.4921]),
    "splade-kl": ("splade", KL, TAUGHT, [0.60092, 1.086, 0.67305]),
    "sparse-embed": ("sparse-embed", SPARSE_EMBED, TRIPLETS, [2.1018, 1.6429, 1.9244]),
    "sparse-embed-labels": ("sparse-embed", OF_LABELS, LABELLED, [0.67363, 0.04804, 0.34289]),
    "cross-encoder": ("cross-encoder", {}, TRIPLETS, [1.8408, 2.8705, 1.884]),
    "ct": ("ct", {}, TEXTS, [0.90067, 1.2518, 0.35503]),
    "ct-pairs": ("ct", {"objective": "pairs", "negatives": 1}, TEXTS, [3.2822, 1.513, 16.129]),
    "cosent": ("cosent", {}, LABELLED, [0.047384, 0.0, 5.8363]),
}
CACHED = (
    *("cocondenser", "sg-bert", "tsdae", "ct", "ct-pairs", "bi-encoder"),
    *("consert-adversarial", "sparse-embed"),
)


def built(folder, case, training, *, double=False):
    recipe, changed, rows, _ = CASES[case]
    masked = recipe in ("splade", "sparse-embed")
    if masked:
        encoder = tiny.encoder(folder / "masked", kind="masked-bert", double=double)
    else:
        encoder = trainable_encoder(folder, double=double)
    settings = RECIPES[recipe].model_validate(changed)
    found = build_objective(recipe, encoder, settings, training, DRAWS)
    found = found.double() if double else found
    found.begin(rows)
    return found, rows


class Leaving(Watch):
    def leaves(self):
        return True


def trained(folder, state, case, *, watch=None, **options):
    training = TrainingSettings(
        learning_rate=1e-3, steps=3, batch_size=3, max_tokens=12, chunk_tokens=24, clip=1.0, **options
    )
    objective, rows = built(folder, case, training)
    trainer = Trainer(objective, rows, training, DRAWS, watch=watch)
    progress = trainer.run(StateFolder(state))
    return objective.state_dict(), [row["loss"] for row in progress.history]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("bert")


@pytest.mark.parametrize("case", CASES)
def test_a_training_has_the_losses_that_it_had(folder, tmp_path, case):
    _, losses = trained(folder, tmp_path, case)
    assert losses == pytest.approx(CASES[case][-1], rel=5e-3, abs=1e-6)


@pytest.mark.parametrize(
    ("case", "options"),
    [
        *((name, {}) for name in ("simcse-permuted", "sg-bert", "cocondenser", "sparse-embed", "ct")),
        ("bi-encoder", LORA),
        pytest.param("simcse", MATRYOSHKA, marks=pytest.mark.slow),
        pytest.param("splade", LORA, marks=pytest.mark.slow),
    ],
)
def test_a_training_that_was_left_ends_in_the_same_weights(folder, tmp_path, case, options):
    if options is LORA:
        pytest.importorskip("peft", reason="peft is optional: envs/requirements-lora.txt")
    whole, _ = trained(folder, tmp_path / "whole", case, **options)
    torch.manual_seed(99)  # what another process would have
    for _ in range(2):
        with pytest.raises(LeftEarly):
            trained(folder, tmp_path / "left", case, watch=Leaving(), **options)
    resumed, _ = trained(folder, tmp_path / "left", case, **options)
    assert resumed.keys() == whole.keys()
    assert all(torch.equal(resumed[name], whole[name]) for name in whole)


@pytest.mark.parametrize("case", CACHED)
def test_a_cache_changes_no_gradient(folder, case):
    found = []
    for cached in (False, True):
        training = TrainingSettings(
            learning_rate=1e-3, steps=3, max_tokens=12, chunk_tokens=10, gradient_cache=cached
        )
        objective, rows = built(folder, case, training, double=True)
        objective.train().at_step(1, 3)
        Passes(objective, training).gradients(rows, DRAWS)
        found.append(torch.cat([p.grad.flatten() for p in objective.parameters() if p.grad is not None]))
    assert found[0].norm() > 0
    assert ((found[1] - found[0]).norm() / found[0].norm()).item() < 1e-11
