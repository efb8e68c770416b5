#!/bin/sh
# Runs the plugin as a host does, and as a command. Needs nothing but a shell: `./test.sh`
cd "$(dirname "$0")" || exit
failed=0

# check WHAT EXPECTED ACTUAL
check() {
    [ "$2" = "$3" ] && echo "ok: $1" && return
    failed=1
    printf 'failed: %s\n  expected: %s\n  actual:   %s\n' "$1" "$2" "$3"
}

request() {
    printf '{"jsonrpc":"2.0","id":1,"method":"%s","params":{"protocol":"1.0","argv":[%s]}}\n' "$1" "$2"
}

replies() {
    ./bot-cli-@NAME@ | grep -v '"method":"progress"'
}

check "greets by the protocol" \
    '{"jsonrpc":"2.0","id":1,"result":{"text":"Hello, moon!\n","data":{"who":"moon"}}}' \
    "$(request run '"moon","--loud"' | replies)"
check "completes" \
    '{"jsonrpc":"2.0","id":1,"result":{"candidates":[{"value":"moon"}]}}' \
    "$(request complete '"m"' | replies)"
check "refuses an unknown option" \
    '{"jsonrpc":"2.0","id":1,"error":{"code":2,"message":"there is no such option"}}' \
    "$(request run '"moon","--lod"' | replies)"
check "asks for what is missing" \
    '{"jsonrpc":"2.0","id":1,"result":{"text":"Hello, ada.\n","data":{"who":"ada"}}}' \
    "$({ request run '],"capabilities":{"ask":{"kinds":["text"]}},"more":[' &&
        echo '{"jsonrpc":"2.0","id":"ask-1","result":{"action":"accept","value":"ada"}}'; } | replies | tail -n 1)"
check "takes an answer that comes with the request" 'eve' \
    "$(request run '],"answers":{"who":"eve"},"more":[' | replies | sed 's/.*"who":"\(.*\)"}.*/\1/')"
check "names the question that nobody can be asked" 1 "$(request run '' | replies | grep -c '"input_required","inputs":.{"key":"who"')"
check "is cancelled, or has just replied" 1 \
    "$({ request run '"moon"' && echo '{"jsonrpc":"2.0","method":"cancel","params":{"id":1}}'; } | replies | grep -c '"id":1')"
check "greets as a command" "Hello, world." "$(./bot-cli-@NAME@ world)"
exit $failed
