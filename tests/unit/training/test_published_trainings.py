"""Published values of trainings: parsed, checked, reduced, and written back."""

from pathlib import Path

import yaml

from sentflow.compare.best_of_groups import best_of_groups
from sentflow.report.families.training.published import published_cells

CATALOG = Path(__file__).parents[3] / "workflow" / "catalog"
SWEEPS = yaml.safe_load((CATALOG / "published_training.yaml").read_text(encoding="utf-8"))
CELLS = published_cells(SWEEPS["korean-english-2022"])
STUDY = [cell for cell in CELLS if cell.section != "sg-bert"]

# (tokens, start, data, method): learning rate, dev, test of the authors' summary (SimCSE_mul/README.md)
REDUCED = {
    (32, "bert-base", "wiki1m", "dropout"): (5e-5, 0.8211, 0.7708),
    (32, "bert-base", "wiki1m", "whitespace"): (3e-5, 0.8127, 0.7567),
    (32, "kr-bert", "korean-news-1m", "dropout"): (7e-5, 0.7446, 0.6746),
    (128, "kr-bert", "korean-wiki-len15-1m", "whitespace"): (2e-5, 0.8066, 0.7429),
}


def test_the_best_development_score_per_group_gives_the_published_rows():
    best = best_of_groups(
        STUDY,
        group=lambda cell: (cell.max_tokens, cell.start, cell.data, cell.method),
        score=lambda cell: cell.dev,
    )
    found = {
        (cell.max_tokens, cell.start, cell.data, cell.method): (cell.learning_rate, cell.dev, cell.test)
        for cell in best
    }
    assert len(found) == 18
    assert {place: found[place] for place in REDUCED} == REDUCED
