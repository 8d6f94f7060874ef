#!/usr/bin/env bash
# What the chapter says: the second start prints the same, and charges nothing.
set -euo pipefail
rm -f shop.db* charges.txt
[ "$("$1")" = "3 × rope for 750" ]
[ "$("$1")" = "3 × rope for 750" ]
[ "$(wc -l <charges.txt)" = 1 ] || { echo "charged $(wc -l <charges.txt) times"; exit 1; }
