from __future__ import annotations

import numpy as np
import pytest

from bayesfloor.truth.panels import PANELS


@pytest.mark.parametrize("name", PANELS)
def test_the_best_rule_errs_as_often_as_stated(name: str) -> None:
    panel = PANELS[name]
    points, labels, groups = panel.draw(8000, np.random.default_rng(0))
    wrong = ((points[:, 0] > 0) != labels).astype(float)
    by_group = np.bincount(groups, wrong - panel.bayes_error)
    error = np.sqrt(by_group @ by_group) / len(labels)
    assert abs(wrong.mean() - panel.bayes_error) < 4 * error
    np.testing.assert_allclose(points.std(axis=0), 1, atol=0.05)
