#compdef bot-cli
# Completes bot-cli in zsh.
# For good, as the file _bot-cli in a folder of $fpath, or in ~/.zshrc, after compinit if that is there:
#   source <(bot-cli completions zsh)
_bot_cli() {
    local line value about index
    local -a lines described
    # The word up to the cursor: behind a quote that is still open, $words has that quote.
    lines=("${(@f)$(bot-cli __complete zsh -- "${(@Q)words[2,CURRENT-1]}" "${(Q)PREFIX}" 2>/dev/null)}")
    for line in "${(@)lines[2,-1]}"; do
        value="${line%%$'\t'*}" about="${line#*$'\t'}"
        [[ -n "$value" ]] && described+=("${value//:/\\:}${about:+:$about}")
    done
    (( ${#described} )) && _describe 'bot-cli' described
    case "${lines[1]}" in
        files) _bot_cli_paths ;;
        folders) _bot_cli_paths -/ ;;
        program)
            index="${words[(i)--]}"
            shift "$index" words
            (( CURRENT -= index ))
            _normal
            ;;
    esac
}
_bot_cli_paths() {
    [[ "$PREFIX" == --*=* ]] && compset -P 1 '*='
    _files "$@"
}
if [ "$funcstack[1]" = "_bot-cli" ]; then
    _bot_cli "$@"
else
    (( $+functions[compdef] )) || { autoload -Uz compinit && compinit -i; }
    compdef _bot_cli bot-cli
fi
