"""What one notebook leaves behind in a kernel, put back before the next begins. This runs inside the kernel.

Put back: names and outputs of the notebook, the working folder, environment and time zone, the module path, filters of
warnings, and what our own modules call by their names. A notebook that loaded a library which reports do not need (pandas,
matplotlib) may have set anything in it: the next notebook gets a new kernel, and so the library's own defaults.
Not put back: settings within the standard library, NumPy, PyArrow and IPython (a seed, a decimal context, a formatter),
what was changed inside an object that our modules hold, threads and open files.
"""

import gc
import os
import sys
import time
import warnings
from collections.abc import Iterator
from contextlib import ExitStack
from types import ModuleType
from typing import Any

_OURS = "pipelines"


class _Remembered:
    """The state of the kernel before its first notebook."""

    def __init__(self) -> None:
        self.environment = dict(os.environ)
        self.module_path = list(sys.path)
        self.libraries = {name.partition(".")[0] for name in sys.modules} | sys.stdlib_module_names
        self.names = {module: dict(vars(module)) for module in _our_modules()}
        self.open = ExitStack()


def _our_modules() -> Iterator[ModuleType]:
    """Our loaded modules but this one, which holds what is remembered."""
    for name, module in list(sys.modules.items()):
        if name.partition(".")[0] == _OURS and name != __name__:
            yield module


_kept: list[_Remembered] = []


def remember() -> None:
    """Load what every report needs, and note the state to come back to."""
    from pipelines.report.page import load_all

    load_all()
    _kept[:] = [_Remembered()]
    # IPython collects garbage before each notebook; what is loaded by now stays, and looking through it takes a tenth of a second.
    gc.collect()
    gc.freeze()


def begin(folder: str) -> bool:
    """Begin a notebook in a folder, in a state as after :func:`remember`; False where only a new kernel has that state."""
    if not _kept:
        remember()  # it failed when the kernel started; here what is wrong is told
    state = _kept[0]
    if {name.partition(".")[0] for name in sys.modules} - state.libraries:
        return False
    os.chdir(folder)  # first: the folder of the run before is gone
    _shell().reset(new_session=False)
    state.open.close()
    state.open.enter_context(warnings.catch_warnings())
    sys.path[:] = state.module_path
    if os.environ != state.environment:
        os.environ.clear()
        os.environ.update(state.environment)
        time.tzset()
    for module, names in state.names.items():
        for name in [name for name, value in vars(module).items() if name not in names and not isinstance(value, ModuleType)]:
            delattr(module, name)
        vars(module).update(names)
    return True


def _shell() -> Any:
    """The kernel's shell, which carries no types."""
    from IPython.core.getipython import get_ipython

    return get_ipython()
