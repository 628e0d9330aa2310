"""Chains of links as stories: pull requests that reach each other by links share one key, the lowest number."""

from collections.abc import Iterable


class Stories:
    """Connected components of pull requests, each known by its lowest number (union-find with halving paths)."""

    def __init__(self) -> None:
        self._parents: dict[int, int] = {}

    def join(self, first: int, second: int) -> None:
        """Let two pull requests belong to one story from now on."""
        low, high = sorted((self.key(first), self.key(second)))
        self._parents[high] = low

    def key(self, number: int) -> int:
        """Give the lowest number of the story a pull request belongs to; itself where it stands alone."""
        parents = self._parents
        while (parent := parents.get(number, number)) != number:
            parents[number] = parents.get(parent, parent)
            number = parent
        return number


def stories_of(pairs: Iterable[tuple[int, int]]) -> Stories:
    """Make the stories of linked pairs, whichever order they come in."""
    stories = Stories()
    for first, second in pairs:
        stories.join(first, second)
    return stories
