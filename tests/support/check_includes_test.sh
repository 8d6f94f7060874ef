#!/bin/sh
# check_includes_test.sh SOURCE_DIR ROOMS — plants a wrong include in each direction between the storeys, and
# fails unless tools/check-includes finds every one of them.
set -eu

check="$1/tools/check-includes"
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
cp -r "$1/src" "$1/include" "$place"

plant() {  # FILE INCLUDE: a line at its end, taken away again
    cp "$place/src/$1" "$place/kept"
    printf '#include "%s"\n' "$2" >>"$place/src/$1"
    if found=$("$check" "$place" "$rooms"); then
        echo "\"$2\" in $1 was not found"
        exit 1
    fi
    case "$found" in *"src/$1:"*"\"$2\""*) ;; *) echo "\"$2\" in $1 failed for another reason: $found"; exit 1 ;; esac
    mv "$place/kept" "$place/src/$1"
}

rooms=$2
"$check" "$place" "$rooms" >/dev/null
plant core/engine/core.hpp service/api/api.hpp
plant core/engine/core.hpp ingestion/ingest/ingest.hpp
plant core/engine/core.hpp core/store/sqlite/connection.hpp
plant service/api/api.hpp ingestion/ingest/ingest.hpp
plant service/cli/place.cpp core/engine/core.hpp
plant ingestion/cli/cards.cpp core/engine/core.hpp
plant ingestion/cli/cards.cpp core/library/host.hpp
plant ingestion/cli/cards.cpp core/store/store.hpp
# And an exception that nobody needs any more.
sed -i '/core\/store\/sqlite\/connection.hpp/d' "$place/src/service/cli/doctor.cpp"
if "$check" "$place" "$rooms" >/dev/null; then echo "a needless exception was not found"; exit 1; fi
echo "every planted include was found"
