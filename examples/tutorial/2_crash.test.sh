#!/usr/bin/env bash
# The power goes while it packs; the next start does not charge again, and takes from the stock once.
set -euo pipefail
rm -f shop.db* charges.txt
if POWER_CUT=1 "$1" >out.txt 2>&1; then echo "it did not die"; exit 1; fi
[ "$(wc -l <charges.txt)" = 1 ]
[ "$("$1" 2>errors.txt)" = "3 × rope for 750
left: 7" ] || { cat errors.txt; exit 1; }
[ "$(wc -l <charges.txt)" = 1 ] || { echo "charged twice"; exit 1; }
"$1" test >report.txt || { cat report.txt; exit 1; }
grep -q ' 0 failures' report.txt || { cat report.txt; exit 1; }
