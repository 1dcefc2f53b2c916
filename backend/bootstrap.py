"""Start, test and stop Slowpath from a fresh clone. Standard library only; Python 3.11 or newer; Linux.

    python3 backend/bootstrap.py up [--empty]          set up, start everything, serve until Ctrl-C      (npm start)
    python3 backend/bootstrap.py dev                   the same with hot reload of frontend and backend  (npm run dev)
    python3 backend/bootstrap.py setup                 set up, start nothing
    python3 backend/bootstrap.py services -- CMD...    run CMD with a temporary PostgreSQL and Valkey
    python3 backend/bootstrap.py stack -- CMD...       run CMD with a complete temporary Slowpath
    python3 backend/bootstrap.py test [PART...]        run tests: all, a group (py, web, go, ...) or one part (npm test)
    python3 backend/bootstrap.py long --minutes N      run the long proofs for N minutes in total   (npm run test:long)
    python3 backend/bootstrap.py run -- ARGS...        run the project's Python, set up if necessary
    python3 backend/bootstrap.py slowpath ARGS...      run Slowpath's CLI                       (npm run slowpath -- ...)
    python3 backend/bootstrap.py api | migrate | lock  regenerate the API client | migrate a database | renew lock files

`services` gives CMD: ADMIN_DATABASE_URL (superuser, database postgres), MIGRATE_DATABASE_URL (owner), DATABASE_URL (app),
BROKER_URL, BLOB_URL, SLOWPATH_SECRET_KEY, SLOWPATH_DECODE_BIN, SLOWPATH_STATE_FILE (JSON: name -> process id).
The database `slowpath` is migrated. `stack` adds web, worker and relay, and SLOWPATH_URL. Killed services are restarted, as
in production. When CMD ends, everything is stopped and deleted; the exit code is that of CMD.

PORT, DATA_DIR, DATABASE_URL (with MIGRATE_DATABASE_URL), BROKER_URL and BLOB_URL replace the embedded parts of `up`.
"""

import sys

if sys.version_info < (3, 11):  # checked before imports that older versions cannot parse
    sys.exit("slowpath: Python 3.11 or newer is required; %s is %d.%d." % (sys.executable, *sys.version_info[:2]))

from bootstrap_parts.commands import main

if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
