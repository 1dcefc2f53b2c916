"""Run a module with a clock that another process moves: `python -m proofs.shifted_clock FILE MODULE ARGUMENT...`.

The file has seconds to add. Only `SystemClock` is moved, the one clock of the product.
"""

import runpy
import sys
from datetime import datetime, timedelta
from pathlib import Path

from slowpath.adapters.system_clock import SystemClock


def main() -> None:
    """Run the module of the command line."""
    _, file, module, *arguments = sys.argv

    system_now, actual = SystemClock.now, SystemClock()

    def now(_: SystemClock) -> datetime:
        return system_now(actual) + timedelta(seconds=float(Path(file).read_text() or 0))

    SystemClock.now = now  # type: ignore[method-assign, assignment]
    sys.argv = [module, *arguments]
    runpy.run_module(module, run_name="__main__", alter_sys=True)


if __name__ == "__main__":
    main()
