"""What a page and a verdict say of items with votes or probabilities, where rows have columns."""

from __future__ import annotations

from bayesfloor.base.formatting import as_percent, counted, percent
from bayesfloor.base.measures import Measure
from bayesfloor.floor import Floor


def item_summary(floor: Floor, measure: Measure) -> tuple[str, ...]:
    """Say what the floor of items means."""
    low, high = floor.interval
    sure, what = as_percent(floor.confidence), new_labels(floor)
    limit = (
        f"no classifier {measure.verb} {measure.better} {measure.percent(low)} of {what}, and the"
        f" best possible one {measure.verb} {measure.percent(high)} {measure.or_better}."
        if percent(low) != percent(0)
        else f"the best possible classifier {measure.verb} {measure.percent(high)} of {what}"
        f" {measure.or_better}; that it is never wrong cannot be ruled out."
    )
    return (
        f"With {sure} confidence, {limit}",
        f"Both numbers come from {floor.how.explanation}: they hold if"
        f" {' and '.join(floor.provisos)}. The best estimate of the {measure.best} is"
        f" {measure.percent(floor.estimate)}.",
    )


def item_in_reach(floor: Floor, error: float, measure: Measure) -> str:
    """Say that a target is reached."""
    return (
        f"the best possible classifier {measure.verb} {measure.percent(floor.interval[1])}"
        f" {measure.or_better} of {new_labels(floor)}, with {as_percent(floor.confidence)}"
        f" confidence, which meets the target of {measure.as_given(error)}. This holds if"
        f" {' and '.join(floor.provisos)}."
    )


def item_out_of_reach(floor: Floor, error: float, measure: Measure) -> str:
    """Say that no classifier gets there, and what would help."""
    text = (
        f"no classifier {measure.verb} {measure.as_given(error)} {measure.or_better} of"
        f" {new_labels(floor)}, whatever it sees of an item; the limit is"
        f" {measure.percent(floor.interval[0])}, with {as_percent(floor.confidence)} confidence."
        f" This holds if {' and '.join(floor.provisos)}."
    )
    if floor.votes is None:
        return f"{text} Clearer items are needed, not a better model."
    return (
        f"{text} Clearer items or instructions are needed, or labels that several votes decide,"
        " not a better model."
    )


def item_open_question(floor: Floor, error: float, items: int | None, measure: Measure) -> str:
    """Say what would decide a target."""
    wanted = measure.as_given(error)
    if items is not None:
        side = "in reach" if error >= floor.estimate else "out of reach"
        return (
            f"{wanted} looks {side}, but {counted(floor.n, 'item')} are too few to tell; about"
            f" {items:,} items like these would likely decide it."
        )
    if floor.votes is not None and floor.upper > floor.lower:
        return (
            f"{wanted} is too close to the bounds ({measure.span(floor.lower, floor.upper)}) or"
            " between them; more votes on each item bring these together, more items alone do not."
        )
    return (
        f"{wanted} is so close to the best estimate, {measure.percent(floor.estimate)}, that no"
        " realistic number of items decides it."
    )


def item_method(floor: Floor) -> str:
    """Say in some sentences where the numbers come from."""
    if floor.votes is None:
        return (
            "Every item came with class probabilities. The best classifier answers the likeliest"
            " class, and errs with the probability of all others: the mean of that over the items"
            " is the floor, and the interval allows for the items being a sample."
        )
    text = (
        "Every vote is predicted from the other votes on its item: how often the class that most of"
        " them chose is wrong is an error that can be reached, the upper end. The lower end is the"
        " mean of a score of each item's votes that lies below the lowest possible error on"
        " average, whatever the chances of the classes are."
    )
    if floor.votes.columns is None:
        return text
    return (
        f"{text} Maps learned from the columns of other items have a say too, like"
        f" {floor.votes.columns.weight:.2g} more votes on an item on average; neither end assumes"
        " that they are right."
    )


def columns_sentence(floor: Floor, measure: Measure) -> str:
    """Say what a classifier reaches that sees the columns of an item and none of its votes."""
    assert floor.votes is not None
    assert floor.votes.columns is not None
    columns, other = floor.votes.columns, "lower" if measure.rises else "higher"
    return (
        f"a rule that sees no votes {measure.verb} {measure.percent(columns.error)} of new ones"
        f" ({measure.percent(columns.error_limit)} {measure.or_better} with"
        f" {as_percent(floor.confidence)} confidence); the limit of these columns may be {other}"
        " than that of the items, above"
    )


def item_scope(floor: Floor) -> str:
    """Say of what the page speaks."""
    if floor.votes is None:
        return "The statements hold for new items drawn like these, and for these probabilities."
    return (
        "The statements hold for new items drawn like these, and for labels that are one vote each,"
        " cast by people like these. Labels that several votes decide are less noisy, and their"
        " floor is lower."
    )


def item_local_sentence(floor: Floor, easy: float, share: str) -> str:
    """Say on how many items the votes agree."""
    shares = floor.posterior.max(axis=1)
    contested = int((shares <= 0.5).sum())
    what = "votes" if floor.votes is not None else "probability"
    text = (
        f"On {percent(easy)} of the items the likeliest class has more than {share} of the {what}."
    )
    if contested == 0:
        return f"{text} On every item one class has more than half."
    have = "item has" if contested == 1 else "items have"
    return f"{text} {contested:,} {have} no class with more than half."


def item_confusion(
    floor: Floor, errs: str, pair: tuple[str, str, str], missed: tuple[str, str]
) -> str:
    """Say how often the likeliest class of an item is wrong, and which classes it hides.

    Parameters
    ----------
    floor : Floor
        Of items.
    errs : str
        A verb with the share of votes or items, such as "errs on 5.0%".
    pair : tuple of str
        A class, the one that is likelier there, and their share of the mistakes.
    missed : tuple of str
        The class that is missed most often, and how often.
    """
    (first, second, most), (worst, share) = pair, missed
    if floor.votes is None:
        return (
            f"The likeliest class of an item {errs} of the items. {first} where {second} is"
            f" likelier makes {most} of the mistakes, more than any other pair. The class missed"
            f" most often is {worst}: {share} of its items have a likelier class."
        )
    return (
        f"The class with most votes on an item {errs} of the votes there. Votes for {first} where"
        f" {second} has most make {most} of the mistakes, more than any other pair. The class"
        f" missed most often is {worst}: {share} of its votes are on items where another class has"
        " most."
    )


def new_labels(floor: Floor, which: str = "new") -> str:
    """Name what an error is a share of."""
    if not floor.of_items:
        return f"{which} rows"
    return f"{which} votes" if floor.votes is not None else f"{which} items"
