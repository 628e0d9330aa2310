"""One question to an OpenAI-compatible endpoint: an answer, or :class:`NoAnswerError` with the reason in one line.

The whole of an answer has a deadline and a size, since a server that sends a byte a second keeps any read time-out happy.
The key goes into the request's header and nowhere else.
"""

import json
import time
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from pipelines.errors import PullweekError
from pipelines.report.writer.answers import Answer
from pipelines.settings import ModelSettings

#: An answer is a few sentences; a megabyte is a server gone wrong.
_MOST_BYTES = 1_000_000
#: What a sentence of two lines takes in parts of JSON, in either language; one that babbles on is cut off.
_TOKENS_A_SENTENCE, _MOST_OUTPUT_TOKENS = 300, 4_000
_TRIES = 2
#: Between two tries, unless the server says how long; longer than that is not worth a reader's wait.
_PAUSE_SECONDS, _LONGEST_PAUSE_SECONDS = 0.5, 5.0
_TRY_AGAIN = frozenset({408, 409, 429, 500, 502, 503, 504})
_BAD_REQUEST = 400
#: How the form of an answer is asked for, from what the protocol says to what the oldest servers know: ``json_object`` with
#: a schema beside it is llama.cpp's own way; ``words`` leaves it to the question, which names the form too.
FORMS = ("json_schema", "json_object with schema", "json_object", "words")
#: Servers on the own machine ask for no key, and the client wants one.
_NO_KEY = "none"


class NoAnswerError(PullweekError):
    """The model gave no answer that could be read; the report is then the default one."""


@dataclass
class Client:
    """Asks one model; remembers which way of asking for a form its server knows."""

    settings: ModelSettings
    key: str
    form: int = 0
    tokens_a_sentence: int = _TOKENS_A_SENTENCE
    opened: Any = None  # made with the first question and kept: making one costs more than an answer on the own machine

    def close(self) -> None:
        """Close its connections."""
        if self.opened is not None:
            self.opened.close()

    def ask(self, question: list[dict[str, Any]], schema: dict[str, Any]) -> Answer:
        """The answer to one question; :class:`NoAnswerError` after the second failure, or where trying again is no use."""
        try:
            import openai
        except ImportError:
            raise NoAnswerError("the client openai is not installed: uv sync --extra llm, or pip install 'pullweek[llm]'") from None

        attempt = 0
        while attempt < _TRIES:
            started = time.monotonic()
            try:
                return self._once(openai, question, schema, started)
            except openai.APIStatusError as error:
                status = error.status_code
                if _refuses_form(error) and self.form + 1 < len(FORMS):
                    self.form += 1
                    continue
                attempt += 1
                if attempt == _TRIES or status not in _TRY_AGAIN:
                    raise NoAnswerError(f"the model's server answered HTTP {status}") from None
                time.sleep(_pause(error.response.headers.get("retry-after")))
            except NoAnswerError:
                raise
            except Exception as error:  # noqa: BLE001  # because: the transport below the client is its own choice, and so are its errors
                if "Timeout" in type(error).__name__:
                    raise NoAnswerError(f"the model gave no answer within {self.settings.timeout_seconds:g} s") from None
                attempt += 1
                if attempt == _TRIES:
                    raise NoAnswerError(f"the model's server cannot be reached ({type(error).__name__})") from None
                time.sleep(_PAUSE_SECONDS)
        raise NoAnswerError("the model's server gave no answer")

    def _once(self, openai: Any, question: list[dict[str, Any]], schema: dict[str, Any], started: float) -> Answer:
        if self.opened is None:
            key, seconds = self.key or _NO_KEY, self.settings.timeout_seconds
            self.opened = openai.OpenAI(base_url=self.settings.base_url, api_key=key, timeout=seconds, max_retries=0)
        call: dict[str, Any] = {
            "model": self.settings.model,
            "messages": question,
            "temperature": 0,
            "seed": 1,
            "max_tokens": self._most_tokens(question),
        }
        if FORMS[self.form] != "words":
            call["response_format"] = self._response_format(schema)
        with self.opened.chat.completions.with_streaming_response.create(**call) as response:
            body = self._read(response.iter_bytes(), started)
        return _answer(body, time.monotonic() - started)

    def _response_format(self, schema: dict[str, Any]) -> dict[str, Any]:
        if FORMS[self.form] == "json_schema":
            return {"type": "json_schema", "json_schema": {"name": "sentences", "strict": True, "schema": schema}}
        return {"type": "json_object"} | ({"schema": schema} if "schema" in FORMS[self.form] else {})

    def _most_tokens(self, question: list[dict[str, Any]]) -> int:
        """The longest answer that a question is worth, by the sentences it asks for."""
        asked = json.loads(question[-1]["content"])["sentences"]
        return min(self.tokens_a_sentence * (len(asked) + 1), _MOST_OUTPUT_TOKENS)

    def _read(self, chunks: Iterable[bytes], started: float) -> bytes:
        body = b""
        for chunk in chunks:
            body += chunk
            if len(body) > _MOST_BYTES:
                raise NoAnswerError(f"the model's answer is longer than {_MOST_BYTES} bytes")
            if time.monotonic() - started > self.settings.timeout_seconds:
                raise NoAnswerError(f"the model gave no answer within {self.settings.timeout_seconds:g} s")
        return body


def _refuses_form(error: Any) -> bool:
    """Whether a server refuses how the form of the answer was asked for: by its status, or by its words where that is 500."""
    return error.status_code == _BAD_REQUEST or "response_format" in str(error.message)


def _pause(retry_after: str | None) -> float:
    try:
        return min(max(float(retry_after or _PAUSE_SECONDS), 0.0), _LONGEST_PAUSE_SECONDS)
    except ValueError:
        return _PAUSE_SECONDS


def _answer(body: bytes, seconds: float) -> Answer:
    """The text and what it took; what a server does not count is taken as nothing."""
    try:
        read = json.loads(body)
        text = read["choices"][0]["message"]["content"]
    except (ValueError, LookupError, TypeError):
        raise NoAnswerError("the model's server answered in another protocol") from None
    usage = read.get("usage")
    counts = [_count(usage, name) for name in ("prompt_tokens", "completion_tokens")]
    return Answer(text if isinstance(text, str) else "", counts[0], counts[1], round(seconds, 1))


def _count(usage: object, name: str) -> int:
    value = usage.get(name) if isinstance(usage, dict) else None
    return value if isinstance(value, int) and value >= 0 else 0
