from __future__ import annotations

import numpy as np
import pytest

from bayesfloor.truth.vote_laws import VOTE_LAWS, VoteLaw


@pytest.mark.parametrize("law", VOTE_LAWS.values(), ids=lambda law: law.name)
def test_the_bayes_error_is_that_of_the_posteriors(law: VoteLaw) -> None:
    eta = law.posteriors(40_000, np.random.default_rng(0))
    np.testing.assert_allclose(eta.sum(axis=1), 1)
    errors = 1 - eta.max(axis=1)
    assert law.bayes_error == pytest.approx(errors.mean(), abs=4 * errors.std() / 200 + 1e-12)


def test_votes_are_drawn_from_the_posteriors() -> None:
    law = VOTE_LAWS["Beta(0.3, 0.3)"]
    counts = law.draw(20_000, np.arange(20_000) % 3 + 2, np.random.default_rng(0))
    assert set(counts.sum(axis=1)) == {2, 3, 4}
    assert counts.mean(axis=0) == pytest.approx([1.5, 1.5], abs=0.03)
