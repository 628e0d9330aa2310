"""Answers of a model, kept in the warehouse: the same question is never paid for twice and gets the same answer."""

import hashlib
import json
from dataclasses import asdict, dataclass
from functools import cache
from pathlib import Path
from typing import Any

from pydantic import TypeAdapter

from pipelines.warehouse import Warehouse, replace_file

_FOLDER = "model_answers"
_KEY_CHARACTERS = 64


@dataclass(frozen=True)
class Answer:
    """What a model said to one question, and what that took."""

    text: str
    input_tokens: int
    output_tokens: int
    seconds: float


@cache
def _shape() -> TypeAdapter[Answer]:
    return TypeAdapter(Answer)


@dataclass(frozen=True)
class Answers:
    """The stored answers of one warehouse, a file each by the hash of prompt version, model and question."""

    root: Path

    @classmethod
    def of(cls, warehouse: Warehouse) -> "Answers":
        """The answers below a warehouse's root."""
        return cls(warehouse.root / _FOLDER)

    def key(self, prompt_version: str, model: str, question: list[dict[str, Any]]) -> str:
        """What a question is stored under."""
        content = json.dumps([prompt_version, model, question], ensure_ascii=True, sort_keys=True)
        return hashlib.sha256(content.encode()).hexdigest()

    def read(self, key: str) -> Answer | None:
        """The stored answer; None where there is none, or its file is cut or foreign."""
        try:
            return _shape().validate_json(self._path(key).read_bytes(), strict=True)
        except (OSError, ValueError):
            return None

    def write(self, key: str, answer: Answer) -> None:
        """Store an answer whole and at once."""
        replace_file(self._path(key), (json.dumps(asdict(answer), ensure_ascii=True, sort_keys=True, indent=1) + "\n").encode())

    def _path(self, key: str) -> Path:
        return self.root / key[:2] / f"{key[:_KEY_CHARACTERS]}.json"
