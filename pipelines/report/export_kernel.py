"""One kernel that runs any number of notebooks, each from the same state: starting it costs more than all the cells.

It is a kernel of this very interpreter, whatever kernels the user has installed and wherever the command was
started. A kernel belongs to the thread that entered it.
"""

import contextlib
import logging
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from jupyter_core.utils import run_sync
from traitlets import default

from pipelines.errors import ReportError
from pipelines.report.jupyter_imports import without_iri_grammar

with without_iri_grammar():
    import papermill
    from papermill.clientwrap import PapermillNotebookClient
    from papermill.engines import Engine, papermill_engines
    from papermill.exceptions import PapermillExecutionError

if TYPE_CHECKING:
    from nbformat import NotebookNode

ENGINE = "pullweek-kernel"
START_SECONDS, CELL_SECONDS = 120, 300
#: A socket's path has 107 bytes at most on Linux (sun_path of unix(7)); its name in the folder takes some of them.
_LONGEST_SOCKET_FOLDER = 80
#: The module within the kernel that puts back what a notebook leaves behind, by no name in the notebook's own namespace.
_STATE = "__import__('pipelines.report.kernel_state', fromlist=['begin'])"


class OwnKernelManager(AsyncKernelManager):
    """Starts ``sys.executable -m ipykernel_launcher`` and keeps all its files in one folder.

    It looks for no kernelspec on the machine, listens on sockets in that folder (on ports of the loopback only where its
    path is too long for a socket), writes no history, and reads none of the user's own start-up files or settings:
    those are not the report's input.
    """

    scratch = Path()

    @default("transport")
    def _transport(self) -> str:
        return "ipc" if len(str(self.scratch)) <= _LONGEST_SOCKET_FOLDER else "tcp"

    @default("connection_file")
    def _connection_file(self) -> str:
        return str(self.scratch / "k.json")

    @property
    def kernel_spec(self) -> KernelSpec:
        """The specification of the kernel that is started."""
        command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
        quiet = [
            f"--ipython-dir={self.scratch}",
            "--HistoryManager.enabled=False",
            "--InteractiveShellApp.exec_PYTHONSTARTUP=False",
            f"--InteractiveShellApp.exec_lines={_STATE}.remember()",
        ]
        return KernelSpec(argv=[*command, *quiet], display_name="Python 3", language="python", env={})


class KernelEngine(Engine):  # type: ignore[misc]  # because: papermill ships no types
    """papermill's engine that runs in a kernel that is already there."""

    @classmethod
    def execute_managed_notebook(cls, nb_man: Any, kernel_name: str, *, kernel: "Kernel", **_: object) -> None:
        """Run the cells; papermill keeps their outputs in ``nb_man``."""
        client = PapermillNotebookClient(nb_man, km=kernel.manager, kernel_name=kernel_name, timeout=CELL_SECONDS)
        client.kc = kernel.client
        client.execute()


papermill_engines.register(ENGINE, KernelEngine)


class Kernel:
    """A kernel, started without waiting for it: ``with Kernel() as kernel: kernel.run(...)``.

    :class:`ReportError` where it does not start; where it ends before it is ready, by the first run.
    """

    def __init__(self) -> None:
        self.manager: Any = None
        self.client: Any = None
        self._is_ready = False
        self._open = contextlib.ExitStack()

    def __enter__(self) -> Self:
        logging.getLogger("papermill").setLevel(logging.WARNING)
        scratch = self._open.enter_context(tempfile.TemporaryDirectory(prefix="pullweek-kernel-"))
        self.manager = OwnKernelManager(kernel_name="python3")
        self.manager.scratch = Path(scratch)
        with self._starting():
            # Not in the working directory: ipykernel takes that off the module path, and the project with it.
            run_sync(self.manager.start_kernel)(cwd=scratch)
            self._open.callback(lambda: run_sync(self.manager.shutdown_kernel)(now=True))
            self.client = self.manager.client()
            self.client.start_channels()
            self._open.callback(self.client.stop_channels)
        self.client.allow_stdin = False
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._open.close()

    @contextlib.contextmanager
    def _starting(self) -> Iterator[None]:
        try:
            yield
        except (RuntimeError, OSError) as error:
            self._open.close()
            self.client = None  # the next notebook starts another
            raise ReportError(f"notebook: no kernel of {sys.executable} starts: {error}. Install pullweek again.") from error

    def _begin(self, folder: Path) -> None:
        """Bring the kernel back to its first state, in a folder; a new one where it ended or cannot be brought back."""
        question = f"{_STATE}.begin({str(folder)!r})"
        if self._is_ready and not (run_sync(self.manager.is_alive)() and self._asked(question)):
            self._open.close()
            self._is_ready = False
            self.client = None
        if self.client is None:
            self.__enter__()
        if not self._is_ready:
            with self._starting():
                run_sync(self.client.wait_for_ready)(timeout=START_SECONDS)
            self._is_ready = True
            self._asked(question)

    def run(self, notebook: Path, parameters: dict[str, str], folder: Path) -> "NotebookNode":
        """The executed notebook, begun in the kernel's first state and in a folder; :class:`ReportError` where a cell fails."""
        self._begin(folder)
        where = f"{notebook.name} {' '.join(parameters.values())}"
        try:
            made: NotebookNode = papermill.execute_notebook(
                str(notebook),
                None,
                parameters=parameters,
                engine_name=ENGINE,
                kernel_name="python3",
                language="python",
                kernel=self,
                progress_bar=False,
                request_save_on_cell_execute=False,
            )
        except PapermillExecutionError as error:
            raise ReportError(f"{where}: a cell failed: {error.ename}: {error.evalue}") from error
        except (RuntimeError, TimeoutError) as error:
            raise ReportError(f"{where}: the kernel was lost: {error}. Run it again.") from error
        return made

    def _asked(self, question: str) -> bool:
        """What the kernel answers to a question, asked in no notebook's name."""
        reply = run_sync(self.client.execute_interactive)(
            "", silent=True, store_history=False, user_expressions={"answer": question}, allow_stdin=False, timeout=CELL_SECONDS
        )
        answer = reply["content"].get("user_expressions", {}).get("answer", {})
        if answer.get("status") != "ok":
            raise ReportError(f"notebook: the kernel refused to begin: {answer.get('evalue', reply['content'])}.")
        return bool(answer["data"]["text/plain"] == "True")
