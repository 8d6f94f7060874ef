#!/usr/bin/env bash
# Kills the example again and again at random points until it gets through, then shows what a crash did
# not cost: a step whose record was committed before a kill never ran again.
set -euo pipefail
program=$1
rm -f crash.db* witness out.txt kills.txt
touch witness

kills=0
while true; do
    "$program" >out.txt &
    pid=$!
    # Let it do a few more steps, then kill it, wherever it is. Two at the least: the first may be one that
    # the last kill interrupted, the second begins when the first is recorded. A worker that dies again and
    # again without a new checkpoint is a crash loop, which Belay pauses.
    target=$(($(wc -l <witness) + 2 + RANDOM % 4))
    while kill -0 "$pid" 2>/dev/null && [ "$(wc -l <witness)" -lt "$target" ]; do :; done
    if kill -9 "$pid" 2>/dev/null; then
        kills=$((kills + 1))
        # What is on disk now may not run again; remember it.
        sqlite3 -readonly crash.db "SELECT stage_key FROM workflow_stage_runs WHERE status = 'succeeded'" \
            >"recorded.$kills" 2>/dev/null || true
        wc -l <witness >"witnessed.$kills"
    fi
    status=0
    wait "$pid" || status=$?
    [ "$status" -ne 0 ] || break
    [ "$status" -eq 137 ] || { cat errors.txt; echo "ended by itself with status $status"; exit 1; }
done 2>errors.txt  # the shell tells of every kill there

grep -qx 'sum: 2870' out.txt || { echo "wrong result: $(cat out.txt errors.txt)"; exit 1; }
for ((i = 1; i <= kills; i++)); do
    [ -s "recorded.$i" ] || continue
    again=$(tail -n +"$(($(cat "witnessed.$i") + 1))" witness | grep -Fxf "recorded.$i" || true)
    [ -z "$again" ] || { echo "ran again after its record: $again"; exit 1; }
done
echo "killed $kills times; $(wc -l <witness) steps ran for 20 recorded; result $(cat out.txt)"
rm -f recorded.* witnessed.* errors.txt
