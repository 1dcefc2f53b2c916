"""Starts, tests and stops Slowpath from a fresh clone. Standard library only; Python 3.11 or newer; Linux.

    python3 backend/bootstrap.py up [--empty]          set up, start everything, serve until Ctrl-C      (npm start)
    python3 backend/bootstrap.py dev                   the same with hot reload, front and back          (npm run dev)
    python3 backend/bootstrap.py setup                 set up what the start needs, and nothing else
    python3 backend/bootstrap.py services -- CMD...    run CMD beside a temporary PostgreSQL and Valkey
    python3 backend/bootstrap.py stack -- CMD...       run CMD beside a whole temporary Slowpath
    python3 backend/bootstrap.py test [PART...]        run tests: all, a group (py, web, go, ...) or one part (npm test)
    python3 backend/bootstrap.py long --minutes N      share N minutes between the long proofs      (npm run test:long)
    python3 backend/bootstrap.py run -- ARGS...        run the project's Python, set up if need be
    python3 backend/bootstrap.py slowpath ARGS...      the command line of Slowpath             (npm run slowpath -- ...)
    python3 backend/bootstrap.py api | migrate | lock  regenerate the API client | migrate a database | renew lock files

`services` gives CMD: ADMIN_DATABASE_URL (superuser, database postgres), MIGRATE_DATABASE_URL (owner), DATABASE_URL (app),
BROKER_URL, BLOB_URL, SLOWPATH_SECRET_KEY, SLOWPATH_DECODE_BIN, SLOWPATH_STATE_FILE (JSON: name -> process id).
The database `slowpath` is migrated. `stack` adds web, worker and relay, and SLOWPATH_URL. In both, a killed service is
started again, as in production. Both are gone, with their data, when CMD ends, and their exit code is CMD's.

PORT, DATA_DIR, DATABASE_URL (with MIGRATE_DATABASE_URL), BROKER_URL and BLOB_URL replace the embedded parts of `up`.
"""

import sys

if sys.version_info < (3, 11):  # said before anything newer is imported, so that an older Python can say it
    sys.exit("slowpath: Python 3.11 or newer is needed; %s is %d.%d." % (sys.executable, *sys.version_info[:2]))

from bootstrap_parts.commands import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
