"""A floor as plain Python values, ready for JSON."""

from __future__ import annotations

import math
from dataclasses import asdict
from typing import Any

from bayesfloor.floor import Floor


def floor_values(floor: Floor) -> dict[str, Any]:
    """Return all that a floor knows as numbers, texts, lists and dictionaries."""
    return {
        "lower": floor.lower,
        "upper": floor.upper,
        "interval": list(floor.interval),
        "confidence": floor.confidence,
        "decision": _decision(floor),
        "lower_rests_on": floor.lower_rests_on,
        "provisos": list(floor.provisos),
        "estimate": floor.estimate,
        "estimate_interval": list(floor.estimate_interval),
        "henze_penrose": plain(floor.henze_penrose),
        "classes": floor.classes.tolist(),
        "priors": floor.priors.tolist(),
        "n": floor.n,
        "d": floor.d,
        "columns": floor.columns,
        "texts_left_out": list(floor.texts_left_out),
        "intrinsic_dimension": finite_or_none(floor.intrinsic_dimension),
        "representation": floor.representation,
        "maps": dict(floor.maps),
        "loss": floor.loss,
        "learning_curve": _learning_curve(floor),
        "method": floor.method,
        "curve": _rank_curve(floor),
        "votes": floor.votes and asdict(floor.votes),
        "groups": floor.groups and asdict(floor.groups),
        "predictions": _model(floor),
        "notes": list(floor.notes),
    }


def finite_or_none(value: float) -> float | None:
    """Return a number that JSON knows, or None: items have no columns, hence no dimension."""
    return value if math.isfinite(value) else None


def plain(record: Any) -> dict[str, Any]:
    """Return the fields of a record, tuples as lists."""
    return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(record).items()}


def _decision(floor: Floor) -> dict[str, Any] | None:
    if floor.decision is None:
        return None
    return {**floor.decision.to_dict(), "constant": asdict(floor.constant)}


def _learning_curve(floor: Floor) -> dict[str, Any] | None:
    curve = floor.learning_curve
    if curve is None:
        return None
    return {
        "rows": curve.sizes.tolist(),
        "loss": curve.losses.tolist(),
        "excess": curve.excess and curve.excess.value,
    }


def _rank_curve(floor: Floor) -> dict[str, Any] | None:
    if floor.curve is None:
        return None
    names = ("rank", "mismatch", "adjusted", "radius")
    return {name: getattr(floor.curve, name).tolist() for name in names}


def _model(floor: Floor) -> dict[str, Any] | None:
    """Return what is known of the model as numbers, texts, lists and dictionaries."""
    model = floor.model
    if model is None:
        return None
    found, classes = model.calibration, floor.classes.tolist()
    calibration = None
    if found is not None:
        calibration = {name: getattr(found, name).tolist() for name in asdict(found)}
        calibration |= {"error": found.error, "within": found.within}
    return {
        "rows": model.rows,
        "error": model.error,
        "interval": list(model.interval),
        "rule_error": model.rule_error,
        "regret": list(model.regret),
        "regret_interval": list(model.regret_interval),
        "calibration": calibration,
        "weight": model.weight,
        "beats_floor": model.beats_floor,
        "classes": [{**plain(one), "class": classes[one.code]} for one in model.classes],
        "regions": [plain(one) for one in model.regions],
    }
