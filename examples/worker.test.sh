#!/usr/bin/env bash
# Stops the worker in the middle of a run, politely: it ends with 0 and leaves the run to the next start, which does not
# do again what was recorded.
set -euo pipefail
program=$1
rm -f worker.db* knocks
touch knocks

run() {  # until the run is in that state; then SIGTERM
    "$program" &
    local pid=$!
    until [ "$(sqlite3 -readonly worker.db "SELECT status FROM workflow_runs WHERE public_id = 'north'" 2>/dev/null)" = "$1" ]; do
        kill -0 "$pid" || { echo "it ended by itself"; exit 1; }
    done
    kill -TERM "$pid"
    wait "$pid" || { echo "it ended with $?"; exit 1; }
}
run waiting
[ "$(wc -l <knocks)" = 1 ] || { echo "knocked $(wc -l <knocks) times"; exit 1; }
run succeeded
[ "$(wc -l <knocks)" = 2 ] || { echo "knocked $(wc -l <knocks) times in all"; exit 1; }
[ "$(sqlite3 worker.db "SELECT result FROM workflow_runs WHERE public_id = 'north'")" = 2 ]
echo "stopped in the middle, went on, knocked twice"
