#!/bin/sh
# @MANIFEST@{"protocol":"1.0","name":"@NAME@","version":"0.1.0","about":"Greets somebody","command":{"name":"@NAME@","about":"Greets somebody","arguments":[{"name":"who","kind":"positional","about":"Who is greeted","value_name":"WHO","completion":"dynamic"},{"name":"loud","kind":"flag","long":"loud","about":"Ends with an exclamation mark"}]}}
#
# The line above is all that listing, help and completion read. Keep it in step with `work` and `candidates`.

name=@NAME@
version=0.1.0
help="Greets somebody

Usage: bot-cli $name [--loud] [WHO]"

# Does the work, which Ctrl-C ends at any point. The arguments are the user's words; what it prints is the result, or with a status the
# reason of a failure.
work() {
    who=world end=.
    for word; do
        case $word in
        --json) ;;
        --loud) end=! ;;
        -*) echo "there is no such option" && return 2 ;;
        *) who=$word ;;
        esac
    done
    progress "Greeting $who"
    echo "Hello, $who$end"
}

# Prints what WHO may be, one value a line.
candidates() {
    echo world
    echo moon
}

# --- From here on: the protocol. ---

# Reads a message and prints it as assignments for the shell.
read_message='
function refuse(error) { print "error=" error; stopped = 1; exit }
function white() { sub(/^[ \t\r]+/, "", text) }
function eat(character) {
    white()
    if (substr(text, 1, 1) != character) return 0
    text = substr(text, 2)
    return 1
}
function quoted(value) { gsub(/\047/, "\047\\\047\047", value); return "\047" value "\047" }
function character(code) {
    if (code < 128) return sprintf("%c", code)
    if (code < 2048) return sprintf("%c%c", 192 + int(code / 64), 128 + code % 64)
    if (code < 65536) return sprintf("%c%c%c", 224 + int(code / 4096), 128 + int(code / 64) % 64, 128 + code % 64)
    return sprintf("%c%c%c%c", 240 + int(code / 262144), 128 + int(code / 4096) % 64, 128 + int(code / 64) % 64, 128 + code % 64)
}
function hex(digits, i, code) {
    for (i = 1; i <= 4; i++) code = code * 16 + index("0123456789abcdef", tolower(substr(digits, i, 1))) - 1
    return code
}
function escape(letter, code, low) {
    if (letter == "u") {
        if (text !~ /^[0-9a-fA-F][0-9a-fA-F][0-9a-fA-F][0-9a-fA-F]/) refuse("junk")
        code = hex(substr(text, 1, 4)); text = substr(text, 5)
        if (code >= 55296 && code < 56320) {
            if (text !~ /^\\u[dD][c-fC-F][0-9a-fA-F][0-9a-fA-F]/) refuse("junk")
            low = hex(substr(text, 3, 4)); text = substr(text, 7)
            code = 65536 + (code - 55296) * 1024 + low - 56320
        }
        return character(code)
    }
    if (!index("\"\\/bfnrt", letter)) refuse("junk")
    return substr("\"\\/\b\f\n\r\t", index("\"\\/bfnrt", letter), 1)
}
function string(value, letter) {
    for (;;) {
        if (match(text, /^[^"\\]+/)) { value = value substr(text, 1, RLENGTH); text = substr(text, RLENGTH + 1) }
        letter = substr(text, 1, 1); text = substr(text, 2)
        if (letter == "\"") return value
        if (letter != "\\") refuse("junk")
        letter = substr(text, 1, 1); text = substr(text, 2)
        value = value escape(letter)
    }
}
function value(path, key, i, before) {
    white()
    before = text
    if (eat("{")) {
        kind[path] = "object"
        if (!eat("}")) {
            do {
                if (!eat("\"")) refuse("junk")
                key = string()
                if (!eat(":")) refuse("junk")
                value(path "/" key)
            } while (eat(","))
            if (!eat("}")) refuse("junk")
        }
    } else if (eat("[")) {
        kind[path] = "list"
        if (!eat("]")) {
            do value(path "/" i++); while (eat(","))
            if (!eat("]")) refuse("junk")
        }
        count[path] = i + 0
    } else if (eat("\"")) {
        kind[path] = "string"
        found[path] = string()
        # As it came: an id is returned like that.
        raw[path] = substr(before, 1, length(before) - length(text))
    } else if (match(text, /^(-?(0|[1-9][0-9]*)(\.[0-9]+)?([eE][-+]?[0-9]+)?|true|false|null)/)) {
        kind[path] = "other"
        raw[path] = found[path] = substr(text, 1, RLENGTH)
        text = substr(text, RLENGTH + 1)
    } else refuse("junk")
}
{
    text = $0
    gsub(/[\302-\337][\200-\277]|\340[\240-\277][\200-\277]|[\341-\354\356\357][\200-\277][\200-\277]|\355[\200-\237][\200-\277]|\360[\220-\277][\200-\277][\200-\277]|[\361-\363][\200-\277][\200-\277][\200-\277]|\364[\200-\217][\200-\277][\200-\277]/, "", text)
    if (text ~ /[\200-\377]/) refuse("junk")
    text = $0
    value("")
    white()
    if (text != "") refuse("junk")
    id = raw["/id"]
    good = kind[""] == "object" && found["/jsonrpc"] == "2.0" && (kind["/id"] == "string" || id ~ /^-?[0-9]*$/ || id == "null")
    if (!good || (kind["/method"] != "string" && !("/result" in kind) && !("/error" in kind))) refuse("message")
    print "cancelled=" quoted(raw["/params/id"])
    print "id=" quoted(id) " method=" quoted(found["/method"]) " protocol=" quoted(found["/params/protocol"])
    words = "set --"
    for (i = 0; i < count["/params/argv"]; i++) words = words " " quoted(found["/params/argv/" i])
    print words
}'

# A text as it stands between the quotes of a JSON string.
json() {
    printf '%s\n' "$1" | tr -d '\000-\010\013-\037' | sed 's/[\\"]/\\&/g; s/	/\\t/g' |
        awk '{ printf "%s%s", (NR > 1 ? "\\n" : ""), $0 }'
}

reply() {
    printf '{"jsonrpc":"2.0","id":%s,%s}\n' "$id" "$1"
}

# Tells the user how far the work is.
progress() {
    [ -z "$id" ] || printf '{"jsonrpc":"2.0","method":"progress","params":{"id":%s,"message":"%s"}}\n' "$id" "$(json "$1")" >&3
}

fail() {
    reply "\"error\":{\"code\":$1,\"message\":\"$2\"${3:+,\"data\":$3}}"
}

run() {
    case "${1-}" in
    --help | -h) text=$(json "$help") && reply "\"result\":{\"text\":\"$text\\n\",\"data\":{\"help\":\"$text\\n\"}}" && return ;;
    --version | -V) reply "\"result\":{\"text\":\"bot-cli-$name $version\\n\",\"data\":{\"name\":\"$name\",\"version\":\"$version\"}}" && return ;;
    esac
    text=$(work "$@" </dev/null) && status=0 || status=$?
    trap '' TERM # From here on there is a reply.
    text=$(json "$text")
    case $status in
    0) reply "\"result\":{\"text\":\"$text\\n\",\"data\":{\"said\":\"$text\"}}" ;;
    *) fail $status "$text" ;;
    esac
}

# Ends the work with all that it has started, unless there is a reply.
cancel() {
    trap '' TERM
    kill -s TERM -- "-$$" 2>/dev/null || kill -s TERM "$working"
    wait "$working" 2>/dev/null || { id=$open && fail 130 cancelled '{"code":"cancelled"}' && exit 130; }
    trap - TERM
}

complete() {
    while [ $# -gt 1 ]; do shift; done
    list=$(candidates | while IFS= read -r value; do
        case $value in "${1-}"*) printf ',{"value":"%s"}' "$(json "$value")" ;; esac
    done)
    reply "\"result\":{\"candidates\":[${list#,}]}"
}

serve() {
    case $method:$protocol in
    run:1.* | run:) run "$@" & working=$! open=$id ;;
    complete:1.* | complete:) complete "$@" ;;
    run:* | complete:*) fail -32022 "the protocol version is not supported" '{"supported":["1.0"]}' ;;
    *) fail -32601 "there is no such method" ;;
    esac
}

id=''
if [ $# -gt 0 ] || [ -t 0 ]; then
    case "${1-}" in
    --help | -h) echo "$help" ;;
    --version | -V) echo "bot-cli-$name $version" ;;
    *) text=$(work "$@") && echo "$text" || { status=$? && echo "error: $text" >&2 && exit $status; } ;;
    esac
    exit
fi

exec 3>&1
working=''
while IFS= read -r line || [ -n "$line" ]; do
    case $line in *[![:space:]]*) ;; *) continue ;; esac
    error='' id='' method='' protocol='' cancelled=''
    set --
    eval "$(printf '%s\n' "$line" | LC_ALL=C awk "$read_message")"
    if [ "$method:$id" = cancel: ]; then
        [ -n "$working" ] && [ "$cancelled" = "$open" ] && cancel
        continue
    fi
    # One after the other.
    wait
    working=''
    case $error:$method:$id in
    junk:*) id=null && fail -32700 "the line is not JSON" ;;
    message:*) id=null && fail -32600 "the line is not a message" ;;
    ::* | :*: | :*:null) ;; # replies and notifications: this plugin asks nothing
    *) serve "$@" ;;
    esac
done
wait
exit 0
