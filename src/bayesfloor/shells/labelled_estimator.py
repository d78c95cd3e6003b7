"""What estimators for scikit-learn have in common."""

from __future__ import annotations

from typing import Any

from sklearn.base import BaseEstimator


class LabelledEstimator(BaseEstimator):  # type: ignore[misc]
    """An estimator that cannot be fitted without labels."""

    def __sklearn_tags__(self) -> Any:
        """Say that labels are needed."""
        tags = super().__sklearn_tags__()
        tags.target_tags.required = True
        return tags
