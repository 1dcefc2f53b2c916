"""Apache Otava's change points of the series on stdin; run by a Python environment with Otava (`series_peers`)."""

import json
import sys
import time

from otava.analysis import compute_change_points


def main() -> None:
    """Read {"series": [[value]]} from stdin; print {"points": [[index]], "cpu_s"}. Uses its defaults: p 0.001, windows of 50."""
    series = json.load(sys.stdin)["series"]
    begin = time.process_time()
    points = [[int(point.index) for point in compute_change_points(values)[0]] for values in series]
    json.dump({"points": points, "cpu_s": time.process_time() - begin}, sys.stdout)


if __name__ == "__main__":
    main()
