#!/bin/sh
# Stands in for npm: says what it was asked, and serves a client.
echo "npm $*"
[ -f package.json ] || exit 2
case "$*" in
install) mkdir -p node_modules ;;
"run dev") echo "npm serves"; exec sleep 1000 ;;
esac
