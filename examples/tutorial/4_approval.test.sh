#!/usr/bin/env bash
# A person decides over HTTP, as the page does; the server is killed while the run waits.
set -euo pipefail
shop=$1
rm -rf shop-data serve.log
server=
end() { [ -z "$server" ] || kill -9 "$server" 2>/dev/null || true; }
trap end EXIT
serve() {
    : >serve.log  # what the server before has said is not this one's
    "$shop" serve --listen 127.0.0.1:0 >serve.log 2>&1 &
    server=$!
    for _ in $(seq 1 200); do
        url=$(sed -n 's/.* is ready at \(http[^ ]*\).*/\1/p' serve.log)
        [ -z "$url" ] || return 0
        read -rt 0.05 <> <(:) || true
    done
    cat serve.log; exit 1
}
has() { grep -qF -- "$2" <<<"$1" || { echo "expected $2 in: $1"; exit 1; }; }
pending() { "$shop" approvals list --status pending --json; }
serve
has "$(timeout 60 "$shop" submit SELL '{"item": "rope", "pieces": 3}' --wait)" 'paid 750'
"$shop" submit SELL '{"item": "tent", "pieces": 9}' --id big >/dev/null
for _ in $(seq 1 100); do
    if grep -q 'Sell 9 × tent' <<<"$(pending)"; then break; fi
    read -rt 0.05 <> <(:) || true
done
has "$("$shop" runs why big)" APPROVAL
kill -9 "$server"
wait "$server" 2>/dev/null || true
serve
id=$(pending | grep -o '"workflow_run_id": *"[^"]*"' | head -n 1 | sed 's/.*"\([^"]*\)"$/\1/')
curl -sS -X POST -H 'Content-Type: application/json' -d '{"comment": "good customer"}' "$url/api/approvals/${id//\//%2F}/approve" >answer.json
has "$(timeout 60 "$shop" submit SELL '{"item": "tent", "pieces": 9}' --id big --wait; cat answer.json)" 'paid 2250'
