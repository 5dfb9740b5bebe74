"""Batches: every row once, within the budget, whatever the lengths."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sentflow.encoders.vectors.batches import plan_batches


@given(
    lengths=st.lists(st.integers(1, 300), max_size=80),
    batch_tokens=st.integers(1, 1000),
)
def test_every_row_is_in_one_batch_and_only_a_single_long_text_exceeds_the_budget(lengths, batch_tokens):
    batches = plan_batches(np.asarray(lengths, dtype=np.int64), batch_tokens=batch_tokens)
    rows = [int(row) for batch in batches for row in batch.rows]
    assert sorted(rows) == list(range(len(lengths)))
    for batch in batches:
        assert batch.cost == len(batch.rows) * max(lengths[row] for row in batch.rows)
        assert batch.cost <= batch_tokens or len(batch.rows) == 1


def test_longest_first_and_equal_lengths_keep_their_order():
    batches = plan_batches(np.asarray([2, 5, 2, 5, 2]), batch_tokens=10)
    # 10 // 5 = 2 rows of five tokens, then 10 // 2 = 5 rows of two
    assert [batch.rows.tolist() for batch in batches] == [[1, 3], [0, 2, 4]]
