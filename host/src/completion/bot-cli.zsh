#compdef bot-cli
# Completes bot-cli in zsh. Use it once with: source <(bot-cli completions zsh)
_bot_cli() {
    local line value about
    local -a described
    for line in "${(@f)$(bot-cli __complete -- "${(@)words[2,CURRENT]}" 2>/dev/null)}"; do
        case "$line" in
            '') ;;
            :files) _bot_cli_paths ;;
            :folders) _bot_cli_paths -/ ;;
            *)
                value="${line%%$'\t'*}" about="${line#*$'\t'}"
                described+=("${value//:/\\:}${about:+:$about}")
                ;;
        esac
    done
    (( ${#described} )) && _describe 'bot-cli' described
}
_bot_cli_paths() {
    [[ "$PREFIX" == --*=* ]] && compset -P 1 '*='
    _files "$@"
}
if [ "$funcstack[1]" = "_bot_cli" ]; then _bot_cli "$@"; else compdef _bot_cli bot-cli; fi
