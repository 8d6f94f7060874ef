#!/usr/bin/env bash
# A run of chapter 4's program that waits is gone on with by this one, from a backup on another machine's folder.
set -euo pipefail
new=$1 old=$(dirname "$1")/example_tutorial_4_approval
rm -rf shop-data other backup serve.log
server=
end() { [ -z "$server" ] || kill -9 "$server" 2>/dev/null || true; }
trap end EXIT
serve() { # PROGRAM FOLDER
    : >serve.log  # what the server before has said is not this one's
    "$1" serve --data "$2" --listen 127.0.0.1:0 >serve.log 2>&1 &
    server=$!
    for _ in $(seq 1 200); do
        if grep -q ' is ready at ' serve.log; then return 0; fi
        read -rt 0.05 <> <(:) || true
    done
    cat serve.log; exit 1
}
serve "$old" shop-data
"$old" submit SELL '{"item": "tent", "pieces": 9}' --id big --data shop-data >/dev/null
for _ in $(seq 1 100); do
    if grep -q tent <<<"$("$old" approvals list --status pending --data shop-data)"; then break; fi
    read -rt 0.05 <> <(:) || true
done
"$old" backup backup --data shop-data
kill "$server"; wait "$server" || { cat serve.log; exit 1; }
"$new" restore backup --data other
serve "$new" other
id=$("$new" approvals list --status pending --json --data other | grep -o '"workflow_run_id": *"[^"]*"' | head -n 1 | sed 's/.*"\([^"]*\)"$/\1/')
"$new" approvals approve "$id" --data other
said=$(timeout 60 "$new" submit SELL '{"item": "tent", "pieces": 9}' --id big --wait --data other)
grep -q 'paid 2250, not reserved, note: none' <<<"$said" || { echo "$said"; "$new" runs show big --data other; exit 1; }
said=$(timeout 60 "$new" submit SELL '{"item": "rope", "pieces": 1, "note": "gift"}' --id small --wait --data other)
grep -q 'paid 250, 1 reserved, note: gift' <<<"$said" || { echo "$said"; exit 1; }
kill "$server"; wait "$server"
server=
