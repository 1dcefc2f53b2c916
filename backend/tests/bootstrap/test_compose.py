"""What README promises to whoever runs Slowpath in production can be set there."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[3]
ELSEWHERE = {"SLOWPATH_TRUSTED_PROXIES"}
"""Set for web alone, under the name that its server knows."""


def test_every_setting_that_the_readme_names_reaches_the_processes() -> None:
    production = (ROOT / "README.md").read_text().split("## Production", 1)[1].split("\n## ", 1)[0]
    named = {name for name in re.findall(r"SLOWPATH_[A-Z_]*[A-Z]\b", production) if not name.endswith("_TEAM")}
    compose = (ROOT / "docker-compose.yml").read_text()
    settings = compose.split("x-settings:", 1)[1].split("\nservices:", 1)[0]
    assert "SLOWPATH_MAX_TEAM_BYTES" in named
    assert sorted(name for name in named - ELSEWHERE if f"  {name}: ${{{name}" not in settings) == []
    assert all(name in compose for name in ELSEWHERE)


def test_every_service_has_a_limit_of_memory_and_processes() -> None:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]

    assert {name for name, one in services.items() if "mem_limit" not in one or "pids_limit" not in one} == set()
    assert "--workers" in services["web"]["command"]
