# Completes bot-cli in bash. Use it once with: source <(bot-cli completions bash)
_bot_cli() {
    local line word option= words=() last=-1
    # Bash takes `--name=value` for three words, unless it is told otherwise.
    for word in "${COMP_WORDS[@]:1:COMP_CWORD}"; do
        if ((last >= 0)) && [[ "${words[last]}" == --*= || "${words[last]}" == --* && "$word" == = ]]; then
            words[last]+="$word"
        else
            words[++last]="$word"
        fi
    done
    word="${words[last]}"
    [[ "$word" == --*=* ]] && option="${word%%=*}=" word="${word#*=}"
    COMPREPLY=()
    while IFS= read -r line; do
        case "$line" in
            :files) _bot_cli_paths -f ;;
            :folders) _bot_cli_paths -d ;;
            *) line="${line%%$'\t'*}" && COMPREPLY+=("${line#"$option"}") ;;
        esac
    done < <(bot-cli __complete -- "${words[@]}" 2>/dev/null)
    if [[ "$COMP_WORDBREAKS" != *=* ]]; then
        COMPREPLY=("${COMPREPLY[@]/#/$option}")
    fi
}
_bot_cli_paths() {
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do COMPREPLY+=("$line"); done < <(compgen "$1" -- "$word")
}
complete -F _bot_cli bot-cli
