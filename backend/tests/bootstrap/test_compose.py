"""Every setting that the administration guide names can be set in the compose file."""

import re
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[3]
ELSEWHERE = {"SLOWPATH_TRUSTED_PROXIES"}
"""Set for web alone, under the name that its server reads."""
RENAMED = (
    {"SLOWPATH_EGRESS_ALLOWLIST", "SLOWPATH_ALLOWED_HOSTS"},
    {"SLOWPATH_SIGN_IN_DOMAINS", "SLOWPATH_OIDC_DOMAINS"},
)
"""Two names of one setting: one of them must be there."""


def test_every_setting_that_the_guide_names_reaches_the_processes() -> None:
    production = (ROOT / "frontend" / "docs" / "administration.md").read_text()
    named = {name for name in re.findall(r"SLOWPATH_[A-Z_]*[A-Z]\b", production) if not name.endswith("_TEAM")}
    compose = (ROOT / "docker-compose.yml").read_text()
    settings = compose.split("x-settings:", 1)[1].split("\nservices:", 1)[0]
    assert "SLOWPATH_MAX_TEAM_BYTES" in named
    there = {name for name in named if f"  {name}: ${{{name}" in settings}
    excused = ELSEWHERE.union(*(names for names in RENAMED if names & there))
    assert sorted(named - there - excused) == []
    assert all(name in compose for name in ELSEWHERE)


def test_every_service_has_a_limit_of_memory_and_processes() -> None:
    services = yaml.safe_load((ROOT / "docker-compose.yml").read_text())["services"]

    assert {name for name, one in services.items() if "mem_limit" not in one or "pids_limit" not in one} == set()
    assert "--workers" in services["web"]["command"]
