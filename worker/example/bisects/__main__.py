"""`python -m example.bisects --out FOLDER --seed N`: the three repositories, and beside them what is true of them, as JSON."""

import argparse
import json
import sys
from pathlib import Path

from example.bisects.generated_histories import written


def main() -> int:
    """Write them; returns the exit code."""
    parser = argparse.ArgumentParser(description="Three repositories with one guilty commit.")
    parser.add_argument("--out", type=Path, required=True, help="folder to fill; it must not hold them already")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    made = written(options.out, options.seed)
    told = {
        "good": made.good, "bad": made.bad, "proxy": f"file://{made.proxy.resolve()}",
        "repositories": {each.module: str(each.folder.resolve()) for each in made.repositories}, "truth": made.truth,
    }  # fmt: skip
    (options.out / "told.json").write_text(json.dumps(told, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(told))
    return 0


if __name__ == "__main__":
    sys.exit(main())
