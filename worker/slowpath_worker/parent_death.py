"""Ends a process when its parent ends, however the parent ends."""

import ctypes
import os
import signal

PR_SET_PDEATHSIG = 1


def end_with_parent(parent_pid: int) -> None:
    """Ask the kernel to kill this process when its parent ends; end it now if the parent has ended already.

    `parent_pid` is the process that forked this one. The kernel sends no signal for a parent that ended before it was
    asked (prctl(2), PR_SET_PDEATHSIG), so the parent is compared afterwards.
    """
    ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGKILL)
    if os.getppid() != parent_pid:
        os.kill(os.getpid(), signal.SIGKILL)
