#!/bin/sh
# Stands in for uv: says what it was asked, and serves a bot.
echo "uv $*"
case "$*" in
sync*) mkdir -p .venv ;;
"run bot.py"*) [ -f bot.py ] || exit 2
  case "$*" in *--port*) exec "${0%/bin/uv}/it-uv" "$@" ;; esac
  echo "serving"; exec sleep 1000 ;;
"run server.py") [ -f server.py ] || exit 2; echo "serving"; exec sleep 1000 ;;
"run python -m pipecat.evals run "*) [ -f "$6" ] || { echo "error: $6 is missing"; exit 1; } ;;
esac
