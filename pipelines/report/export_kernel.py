"""One kernel that runs any number of notebooks, each in a clean namespace: starting it costs more than all the cells.

It is a kernel of this very interpreter, whatever kernels the user has installed and wherever the command was
started. A kernel belongs to the thread that entered it.
"""

import contextlib
import logging
import sys
import tempfile
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

import papermill
from jupyter_client.kernelspec import KernelSpec
from jupyter_client.manager import AsyncKernelManager
from jupyter_core.utils import run_sync
from papermill.clientwrap import PapermillNotebookClient
from papermill.engines import Engine, papermill_engines
from papermill.exceptions import PapermillExecutionError
from traitlets import default

from pipelines.errors import ReportError

if TYPE_CHECKING:
    from nbformat import NotebookNode

ENGINE = "pullweek-kernel"
START_SECONDS, CELL_SECONDS = 120, 300
#: A socket's path has 107 bytes at most on Linux (sun_path of unix(7)); its name in the folder takes some of them.
_LONGEST_SOCKET_FOLDER = 80


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
    """A started kernel: ``with Kernel() as kernel: kernel.run(...)``. :class:`ReportError` where it does not start."""

    def __init__(self) -> None:
        self.manager: Any = None
        self.client: Any = None
        self._open = contextlib.ExitStack()

    def __enter__(self) -> Self:
        logging.getLogger("papermill").setLevel(logging.WARNING)
        scratch = self._open.enter_context(tempfile.TemporaryDirectory(prefix="pullweek-kernel-"))
        self.manager = OwnKernelManager(kernel_name="python3")
        self.manager.scratch = Path(scratch)
        try:
            # Not in the working directory: ipykernel takes that off the module path, and the project with it.
            run_sync(self.manager.start_kernel)(cwd=scratch)
            self._open.callback(lambda: run_sync(self.manager.shutdown_kernel)(now=True))
            self.client = self.manager.client()
            self.client.start_channels()
            self._open.callback(self.client.stop_channels)
            run_sync(self.client.wait_for_ready)(timeout=START_SECONDS)
        except (RuntimeError, OSError) as error:
            self._open.close()
            raise ReportError(
                f"notebook: no kernel of {sys.executable} starts: {error}. Install pullweek again: make setup."
            ) from error
        self.client.allow_stdin = False
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        self._open.close()

    def run(self, notebook: Path, parameters: dict[str, str], folder: Path) -> "NotebookNode":
        """The executed notebook, begun in an empty namespace and in a folder; :class:`ReportError` where a cell fails."""
        self._execute(f"import os; os.chdir({str(folder)!r})\n%reset -f")  # in this order: the folder of the run before is gone
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

    def _execute(self, code: str) -> None:
        reply = run_sync(self.client.execute_interactive)(
            code, silent=True, store_history=False, allow_stdin=False, timeout=CELL_SECONDS
        )
        if reply["content"]["status"] != "ok":
            raise ReportError(f"notebook: the kernel refused to begin: {reply['content'].get('evalue')}.")
