"""The server: each request gets the next behaviour of its script, the last one for good."""

import json
import threading
import time
from collections.abc import Callable, Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Any, Literal, Self

Behaviour = (
    Literal[
        "slow",
        "trickle",
        "cut",
        "429",
        "500",
        "401",
        "no schema",
        "no form",
        "llama",
        "not json",
        "wrong shape",
        "null",
        "html",
        "endless",
        "deep",
    ]
    | Callable[[dict[str, Any]], str]
)
_SLOW_SECONDS = 5.0
_TRICKLE_SECONDS = 0.2
_ENDLESS_BYTES = 2_000_000


class ModelServer:
    """``with ModelServer([...]) as server``: its address is ``server.url``, what it was asked ``server.questions``."""

    def __init__(self, script: Sequence[Behaviour]) -> None:
        self.script = list(script)
        self.questions: list[dict[str, Any]] = []
        self.keys: list[str] = []
        self.stopped = threading.Event()
        owner = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                owner.answer(self)

            def log_message(self, format: str, *args: object) -> None:  # noqa: A002  # because: the name is the standard library's
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True)

    @property
    def url(self) -> str:
        """The base URL to set."""
        return f"http://127.0.0.1:{self._server.server_address[1]}/v1"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self.stopped.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, handler: BaseHTTPRequestHandler) -> None:
        """One answer, by the script."""
        asked = json.loads(handler.rfile.read(int(handler.headers["content-length"])))
        self.keys.append(handler.headers.get("authorization", ""))
        behaviour = self.script[min(len(self.questions), len(self.script) - 1)]
        self.questions.append(asked)
        try:
            self._behave(handler, behaviour, asked)
        except (BrokenPipeError, ConnectionResetError):  # the client gave up, as it should
            handler.close_connection = True

    def _behave(self, handler: BaseHTTPRequestHandler, behaviour: Behaviour, asked: dict[str, Any]) -> None:
        match behaviour:
            case "slow":
                self.stopped.wait(_SLOW_SECONDS)
                handler.close_connection = True
            case "trickle":
                self._trickle(handler)
            case "cut":
                _send(handler, 200, b'{"choices": [{"mess', length=5000)
                handler.close_connection = True
            case "429" | "500" | "401":
                _send(handler, int(behaviour), b'{"error": {"message": "no"}}', {"retry-after": "0"})
            case "no form" | "no schema" if behaviour == "no form" or any("schema" in key for key in asked["response_format"]):
                _send(handler, 400, b'{"error": {"message": "unknown"}}')
            case "llama" if asked["response_format"]["type"] == "json_schema":
                # As the server of llama-cpp-python 0.3 answers: a failed validation of the request is its own error.
                _send(handler, 500, b"{\"error\": {\"message\": \"('body', 'response_format', 'type'), Input should be ...\"}}")
            case "html":
                _send(handler, 200, b"<html><body>Gateway</body></html>")
            case "endless":
                _send(handler, 200, b'{"choices": [{"message": {"content": "' + b"x" * _ENDLESS_BYTES)
                handler.close_connection = True
            case _:
                _send(handler, 200, _body(_content(behaviour, asked)))

    def _trickle(self, handler: BaseHTTPRequestHandler) -> None:
        """A byte now and then, so that no read time-out ever fires."""
        handler.send_response(200)
        handler.send_header("content-type", "application/json")
        handler.send_header("content-length", "100000")
        handler.end_headers()
        started = time.monotonic()
        while not self.stopped.wait(_TRICKLE_SECONDS) and time.monotonic() - started < 2 * _SLOW_SECONDS:
            handler.wfile.write(b" ")
            handler.wfile.flush()


def _content(behaviour: Behaviour, asked: dict[str, Any]) -> str | None:
    if callable(behaviour):
        return behaviour(json.loads(asked["messages"][1]["content"]))
    return {
        "not json": "Sure! Here are the sentences you asked for:",
        "wrong shape": '{"sentences": [{"id": "s1", "text": 7, "pull_requests": ["x"], "facts": null}, 3], "more": []}',
        "null": None,
        "deep": "[" * 100_000,
        "no schema": "{}",
        "llama": "{}",
    }[behaviour]


def _body(content: str | None) -> bytes:
    message = {"role": "assistant", "content": content}
    usage = {"prompt_tokens": 100, "completion_tokens": 20, "total_tokens": 120}
    return json.dumps(
        {"id": "1", "object": "chat.completion", "choices": [{"index": 0, "message": message}], "usage": usage}
    ).encode()


def _send(
    handler: BaseHTTPRequestHandler, status: int, body: bytes, headers: dict[str, str] | None = None, length: int | None = None
) -> None:
    handler.send_response(status)
    handler.send_header("content-type", "application/json")
    handler.send_header("content-length", str(length or len(body)))
    for name, value in (headers or {}).items():
        handler.send_header(name, value)
    handler.end_headers()
    handler.wfile.write(body)


def echo(given: dict[str, Any]) -> str:
    """Every sentence as it was given: all of it true."""
    return json.dumps(
        {"sentences": [{key: each[key] for key in ("id", "text", "pull_requests", "facts")} for each in given["sentences"]]}
    )


def babble(given: dict[str, Any]) -> str:
    """What a small model says: fluent, and none of it so."""
    text = "The team delivered 42 amazing improvements, making everything 10x faster!"
    return json.dumps(
        {
            "sentences": [
                {**{key: each[key] for key in ("id", "pull_requests", "facts")}, "text": text} for each in given["sentences"]
            ]
        }
    )


def mend(given: dict[str, Any]) -> str:
    """False at first, and as it was given once the reason is told."""
    return echo(given) if any("refused_because" in each for each in given["sentences"]) else babble(given)
