#!/bin/sh
# bot-cli-plugin: {"protocol":"1.0","name":"costs","version":"1.0.0","about":"Estimates what a bot costs per hour of talk","command":{"name":"costs","about":"Estimates what a bot costs per hour of talk","arguments":[{"name":"currency","kind":"option","long":"currency","about":"Currency of the prices","value_name":"CURRENCY","default":"USD","values":[{"value":"USD"},{"value":"EUR"},{"value":"GBP"}]}],"result":{"type":"object","properties":{"project":{"type":"string"},"currency":{"type":"string"},"services":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"label":{"type":"string"},"cents":{"type":"integer"}},"required":["id","label","cents"]}},"cents":{"type":"integer"}},"required":["project","currency","services","cents"]}}}
#
# `bot-cli costs` estimates what a bot costs per hour of talk. `costs.json` in the project has the prices in cents per hour, by currency and
# service: `{"USD": {"deepgram_stt": 26}}`. This file replaces the part before the protocol in what `bot-cli plugin new costs --lang sh` writes.

name=costs
version=1.0.0
help="Estimates what a bot costs per hour of talk

Usage: bot-cli costs [--currency USD|EUR|GBP]"

# Reads the words, the project and its prices. `services` gets lines with a service, its label and its price in cents or `?`.
load() {
    currency=USD previous=''
    for word; do
        case $previous$word in
        --json | --json=lines | -v | -vv | --verbose | -q | --quiet | --currency) ;;
        --currency=* | --currencyUSD | --currencyEUR | --currencyGBP) currency=${word#--currency=} ;;
        *) echo "there is no such option or currency" && return 2 ;;
        esac
        case $word in --currency) previous=$word ;; *) previous='' ;; esac
    done
    project=$("${BOT_CLI_HOST:-bot-cli}" init --describe --json "$PWD" 2>/dev/null | tr '\n' ' ')
    read_project=$read_json'
    found["/error/message"] != "" {
        print "project_name= failure=" quoted(found["/error/message"])
        details = "{\"code\":" raw["/error/code"] ",\"hints\":["
        for (i = 0; i < count["/error/hints"]; i++) details = details (i ? "," : "") raw["/error/hints/" i]
        print "details=" quoted(details "]}")
        exit
    }
    {
        for (i = 0; i < count["/services"]; i++)
            lines = lines found["/services/" i "/id"] "\t" found["/services/" i "/label"] "\n"
        print "root=" quoted(found["/root"]) " project_name=" quoted(found["/name"]) " lines=" quoted(lines)
    }'
    error='' failure='' details=''
    eval "$(printf '%s\n' "${project:-none}" | LC_ALL=C awk "$read_project")"
    [ -z "$error" ] || failure='`bot-cli init --describe` printed no document'
    [ -z "$failure" ] || { echo "$failure" && data "${details:-{\}}"; return 2; }
    prices=''
    [ ! -f "$root/costs.json" ] ||
        prices=$(tr '\n' ' ' <"$root/costs.json" | currency=$currency LC_ALL=C awk "$read_json"'
        { for (path in found) if (index(path, "/" ENVIRON["currency"] "/") == 1) print substr(path, 6), found[path] }')
    if printf '%s\n' "$prices" | grep -v ' [0-9][0-9]*$' | grep -q .; then
        echo "\`$root/costs.json\` is not a table of prices"
        data '{"code":"invalid_prices","hints":["write it like {\"USD\": {\"deepgram_stt\": 26}}"]}'
        return 2
    fi
    services=$(printf '%s' "$lines" | while IFS='	' read -r service label; do
        cents=$(answer "$service" || printf '%s\n' "$prices" | awk -v service="$service" 'BEGIN { price = "?" } $1 == service { price = $2 } END { print price }')
        printf '%s\t%s\t%s\n' "$service" "$label" "$cents"
    done)
}

question() {
    load "$@" >/dev/null || return
    printf '%s\n' "$services" | awk -F '\t' -v currency="$currency" '$3 == "?" { print $1 " Price of " $2 " in cents per hour (" currency ")"; exit }'
}

work() {
    load "$@" || return
    if printf '%s\n' "$services" | grep -v '	[0-9][0-9]*$' | grep -q .; then echo "the price must be a whole number" && return 2; fi
    printf '%s\n' "$services" | awk -F '\t' -v currency="$currency" '
        function row(label, cents) { printf "%-24s%8.2f %s\n", label, cents / 100, currency }
        $1 != "" { row($2, $3); total += $3 }
        END { row("Total", total) }'
    total=0 list=''
    while IFS='	' read -r service label cents; do
        [ -n "$service" ] || continue
        progress "Adding $label"
        total=$((total + cents)) list="$list,{\"id\":\"$(json "$service")\",\"label\":\"$(json "$label")\",\"cents\":$((cents))}"
    done <<END
$services
END
    data "{\"project\":\"$(json "$project_name")\",\"currency\":\"$currency\",\"services\":[${list#,}],\"cents\":$total}"
}

candidates() {
    :
}
