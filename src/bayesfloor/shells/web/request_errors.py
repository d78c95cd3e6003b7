"""What is wrong with a request, as the page shows it."""

from __future__ import annotations


class RequestError(Exception):
    """Refuses a request with a status and a sentence."""

    def __init__(self, status: int, sentence: str) -> None:
        super().__init__(sentence)
        self.status, self.sentence = status, sentence
