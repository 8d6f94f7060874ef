#!/usr/bin/env bash
# manual_test.sh BELAY — the shell completes what there is, and the page for man(1) has every command.
set -euo pipefail
belay=$1
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT
fail() { echo "$*" >&2; exit 1; }

"$belay" completion bash >"$place/bash"
complete_words() { # what bash offers after these words
    bash -c 'source "$1"; shift; COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); _belay; echo "${COMPREPLY[*]}"' - "$place/bash" "$@"
}
[ "$(complete_words belay que)" = queues ] || fail "bash: belay que: $(complete_words belay que)"
[[ " $(complete_words belay runs "") " == *" list "* ]] || fail "bash: belay runs: $(complete_words belay runs '')"
[[ " $(complete_words belay runs list --st) " == *" --status "* ]] || fail "bash: runs list --st"
[[ " $(complete_words belay runs list --st) " == *" --store "* ]] || fail "bash: the program's own options stand anywhere"
[ "$(cd "$place" && complete_words belay runs list --store ba)" = bash ] || fail "bash: a value is a file"
[ "$(complete_words belay --data x runs sho)" = show ] || fail "bash: a value is no command"

"$belay" completion zsh >"$place/zsh"
if command -v zsh >/dev/null; then zsh -n "$place/zsh"; fi
"$belay" completion fish >"$place/fish"
if command -v fish >/dev/null; then fish --no-execute "$place/fish"; fi
if "$belay" completion tcsh >/dev/null 2>&1; then fail "there is nothing for tcsh"; fi

"$belay" help --man >"$place/man"
if command -v groff >/dev/null; then
    said=$(groff -K utf8 -man -Tutf8 -ww "$place/man" 2>&1 >/dev/null | grep -v 'cannot adjust line' || true)
    [ -z "$said" ] || fail "the page for man: $said"
fi
for command in $("$belay" --help | sed -n '/^Subcommands:/,/^$/s/^  \([a-z-]*\) .*/\1/p'); do
    grep -qxF ".SS belay ${command//-/\\-}" "$place/man" || fail "the page for man lacks $command"
done
echo "completion and man page: $(grep -c '^.SS' "$place/man") commands"
