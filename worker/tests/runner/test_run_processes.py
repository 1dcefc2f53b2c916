"""Every process that a command of a run has started is found and ended, even with another environment."""

import os
import subprocess
import time
import uuid
from pathlib import Path

from slowpath_cli.runner.core import run_processes


def test_processes_without_the_run_variable_are_ended_too(tmp_path: Path) -> None:
    run_id = uuid.uuid4()
    pid_file = tmp_path / "pid"
    environment = {"PATH": os.environ["PATH"], run_processes.RUN_VARIABLE: str(run_id), run_processes.ROLE: "deploy"}
    words = [
        "sh",
        "-c",
        f"env -i sh -c 'echo $$ > {pid_file}.part; mv {pid_file}.part {pid_file}; exec sleep 60' & wait",
    ]
    child = subprocess.Popen(words, env=environment, start_new_session=True)
    while not pid_file.exists():
        time.sleep(0.01)
    pid = int(pid_file.read_text())
    assert pid not in run_processes.find_run_processes(run_id)
    run_processes.terminate_run(run_id, 5.0, "deploy")
    child.wait()
    assert not Path(f"/proc/{pid}/stat").exists() or "Z" in Path(f"/proc/{pid}/stat").read_text().split(")")[1][:3]
