#!/bin/sh
# check.sh — what must not compile does not, and the compiler says what to do instead.
#
# Each snippet beside this script opens with one or more lines `// expect-error: <substring>`. It is
# compiled with -fsyntax-only; it has to fail, and every substring has to be in what the compiler
# says. A snippet that opens with `// expect-ok` has to compile: it shows that the others fail for
# the reason they give.
#
# A snippet with a line `// right-where: …` below them is refused for a bug of g++ before 13; elsewhere it has to compile.
#
#   tests/compile_fail/check.sh [snippet.cpp …]      CXX and CXXFLAGS as usual
set -u
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
said=$(mktemp) || exit 2
trap 'rm -f "$said"' EXIT
failures=0
checked=0

complain() {
    failures=$((failures + 1))
    echo "FAIL $1: $2"
    sed 's/^/    | /' "$said" | head -40
}

# Whether the headers think that this compiler has the bug.
# shellcheck disable=SC2086
if printf '#include <belay/detail/refuse.hpp>\nbug=BELAY_TEMPORARIES_DIE_TWICE\n' |
    ${CXX:-c++} -std=c++20 -E -I "$root/include" ${CXXFLAGS:-} -x c++ - | grep -q '^bug=1'; then
    has_bug=yes
else
    has_bug=no
fi

[ $# -gt 0 ] || set -- "$here"/*.cpp
for snippet in "$@"; do
    name=$(basename "$snippet")
    checked=$((checked + 1))
    # shellcheck disable=SC2086  # CXXFLAGS is a list
    if LC_ALL=C ${CXX:-c++} -std=c++20 -fsyntax-only -I "$root/include" -I "$root/src" \
        ${CXXFLAGS:-} "$snippet" >"$said" 2>&1; then
        compiled=yes
    else
        compiled=no
    fi

    if head -n 1 "$snippet" | grep -q '^// expect-ok' ||
        { [ $has_bug = no ] && head -n 5 "$snippet" | grep -q '^// right-where: '; }; then
        [ $compiled = yes ] || complain "$name" "it should compile"
        continue
    fi
    expected=$(sed -n '/^\/\/ expect-error: /!q; s///p' "$snippet")
    if [ -z "$expected" ]; then
        : >"$said"
        complain "$name" "its first line is not '// expect-error: …'"
        continue
    fi
    if [ $compiled = yes ]; then
        complain "$name" "it compiled"
        continue
    fi
    missing=$(printf '%s\n' "$expected" | while IFS= read -r text; do
        grep -qF -- "$text" "$said" || printf '%s\n' "$text"
    done)
    [ -z "$missing" ] || complain "$name" "the compiler did not say: $missing"
done

echo "$((checked - failures)) of $checked snippets as expected"
[ "$failures" -eq 0 ]
