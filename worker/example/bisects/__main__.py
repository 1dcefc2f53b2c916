"""`python -m example.bisects --out FOLDER --seed N`: write the three repositories, and the true culprits as JSON."""

import argparse
import json
import sys
from pathlib import Path

from example.bisects.generated_histories import written


def main() -> int:
    """Write the repositories; return the exit code."""
    parser = argparse.ArgumentParser(description="Write three repositories with one culprit commit.")
    parser.add_argument("--out", type=Path, required=True, help="output folder, without existing repositories")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args()
    made = written(options.out, options.seed)
    fields = {
        "good": made.good, "bad": made.bad, "proxy": f"file://{made.proxy.resolve()}",
        "repositories": {each.module: str(each.folder.resolve()) for each in made.repositories}, "truth": made.culprits,
    }  # fmt: skip
    (options.out / "told.json").write_text(json.dumps(fields, indent=2) + "\n", encoding="utf-8")
    print(json.dumps(fields))
    return 0


if __name__ == "__main__":
    sys.exit(main())
