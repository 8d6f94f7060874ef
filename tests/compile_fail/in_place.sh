#!/bin/sh
# in_place.sh — with a compiler that has not g++ 12's bug: nothing is refused for it, and the canary lives.
#
#   CXX=clang++-19 tests/compile_fail/in_place.sh
set -eu
here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
cd "$here"
# shellcheck disable=SC2046  # a list of names
./check.sh $(grep -l '^// right-where: ' ./*.cpp) ./*_ok_forms.cpp
canary=$(mktemp)
trap 'rm -f "$canary"' EXIT
"$CXX" -std=c++20 -I "$root/include" -I "$root/src" "$root/src/core/engine/compiler_canary_test.cpp" -o "$canary" \
    -lgtest -lgtest_main
"$canary" --gtest_brief=1
