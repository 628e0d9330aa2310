"""The HTTP server on loopback, and :class:`StandIn`, which runs it in a thread for tests."""

import asyncio
import json
import threading
from collections.abc import Iterable
from types import TracebackType
from typing import Any, Self

from aiohttp import web

from tests.github_standin import faults as fault_rules
from tests.github_standin.answers import Answer
from tests.github_standin.core import Asked, Core, Options
from tests.github_standin.dataset import Dataset

Json = dict[str, Any]

HOST = "127.0.0.1"
BODY_LIMIT = 4 * 1024 * 1024
START_SECONDS = 30.0


def application(core: Core) -> web.Application:
    """The routes: ``/_standin/...`` for whoever steers it, everything else as GitHub."""
    app = web.Application(client_max_size=BODY_LIMIT)

    async def steer(request: web.Request) -> web.Response:
        return await _steer(core, request)

    async def github(request: web.Request) -> web.StreamResponse:
        return await _serve(core, request)

    app.router.add_route("*", "/_standin/{what}", steer)
    app.router.add_route("*", "/{rest:.*}", github)
    return app


async def _serve(core: Core, request: web.Request) -> web.StreamResponse:
    core.stats.enter()
    try:
        headers = {name.lower(): value for name, value in request.headers.items()}
        asked = Asked(request.method, request.path, dict(request.query), headers, await request.read(), f"http://{request.host}")
        answer = await asyncio.to_thread(core.answer, asked) if core.options.exact else core.answer(asked)
        if answer.wait:
            await asyncio.sleep(answer.wait)
        return await _send(request, answer)
    finally:
        core.stats.now -= 1


async def _send(request: web.Request, answer: Answer) -> web.StreamResponse:
    if answer.reset or answer.announce is not None:
        transport = request.transport
        if transport is not None and answer.announce is not None:
            head = f"HTTP/1.1 {answer.status} OK\r\ncontent-type: application/json\r\ncontent-length: {answer.announce}\r\n\r\n"
            transport.write(head.encode() + answer.body)
            await asyncio.sleep(0)
            transport.close()
        elif transport is not None:
            transport.abort()
        return web.Response(status=answer.status)
    return web.Response(status=answer.status, body=answer.body, headers=answer.headers)


async def _steer(core: Core, request: web.Request) -> web.Response:
    what = request.match_info["what"]
    if request.method == "GET" and what == "stats":
        return web.json_response(core.stats.report())
    if request.method != "POST" or what not in {"reset", "faults", "mutate"}:
        return web.json_response({"message": "GET stats; POST reset, faults or mutate"}, status=404)
    try:
        steer(core, what, json.loads(await request.read() or b"[]"))
    except (KeyError, ValueError, IndexError, TypeError) as error:
        return web.json_response({"message": f"{what}: {error!r}"}, status=400)
    return web.json_response({"done": what})


def steer(core: Core, what: str, given: Any) -> None:
    """``reset``, ``faults`` (a list of rules) or ``mutate`` (one change or a list of them)."""
    if what == "reset":
        core.reset()
    elif what == "faults":
        core.script = fault_rules.script(given)
    else:
        for change in given if isinstance(given, list) else [given]:
            core.store.mutate(change)


async def listen(core: Core, port: int) -> tuple[web.AppRunner, int]:
    """Start to serve; the port that was chosen where 0 was given."""
    runner = web.AppRunner(application(core), access_log=None, shutdown_timeout=1.0)
    await runner.setup()
    site = web.TCPSite(runner, HOST, port)
    await site.start()
    return runner, int(runner.addresses[0][1])


class StandIn:
    """GitHub on loopback: ``with StandIn(dataset) as server:`` then ``server.url``.

    Options are those of :class:`tests.github_standin.core.Options`. ``enterprise_url`` is what GITHUB_API_URL would be
    for an enterprise host.
    """

    def __init__(self, dataset: Dataset, *, faults: Iterable[Json] = (), port: int = 0, **options: Any) -> None:
        self.core = Core(dataset, Options(**options), fault_rules.script(faults))
        self._port = port
        self._ready = threading.Event()
        self._loop = asyncio.new_event_loop()
        self._thread = threading.Thread(target=self._run, name="github-standin", daemon=True)
        self._failure: OSError | None = None

    @property
    def url(self) -> str:
        """The root, such as ``http://127.0.0.1:4711``."""
        return f"http://{HOST}:{self._port}"

    @property
    def enterprise_url(self) -> str:
        """The root of the REST calls of an enterprise host."""
        return f"{self.url}/api/v3"

    def stats(self) -> Json:
        """What was asked since the start or the last reset."""
        return self.core.stats.report()

    def asked_ids(self) -> dict[str, int]:
        """How often each global id was asked for."""
        return dict(self.core.stats.asked_ids)

    def reset(self) -> None:
        """Forget counts and budgets."""
        self.core.reset()

    def faults(self, *rules: Json) -> None:
        """Replace the script; none for no faults."""
        self.core.script = fault_rules.script(rules)

    def mutate(self, *changes: Json) -> None:
        """Change what is stored, see :meth:`tests.github_standin.store.Store.mutate`."""
        for change in changes:
            self.core.store.mutate(change)

    def __enter__(self) -> Self:
        self._thread.start()
        if not self._ready.wait(START_SECONDS) or self._failure is not None:
            msg = f"stand-in: could not listen on {HOST}:{self._port}: {self._failure}"
            raise RuntimeError(msg)
        return self

    def __exit__(self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None) -> None:
        self._loop.call_soon_threadsafe(self._loop.stop)
        self._thread.join(START_SECONDS)

    def _run(self) -> None:
        asyncio.set_event_loop(self._loop)
        try:
            runner, self._port = self._loop.run_until_complete(listen(self.core, self._port))
        except OSError as error:
            self._failure = error
            self._ready.set()
            return
        self._ready.set()
        self._loop.run_forever()
        self._loop.run_until_complete(runner.cleanup())
        self._loop.close()
