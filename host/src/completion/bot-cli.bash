# Completes bot-cli in bash.
# For good, in ~/.bashrc:
#   source <(bot-cli completions bash)
_bot_cli() {
    local kind value prefix line index
    COMPREPLY=()
    {
        IFS= read -r kind && IFS= read -r value && IFS= read -r prefix
        while IFS= read -r line; do COMPREPLY+=("$line"); done
    } < <(bot-cli __complete bash -- "${COMP_LINE:0:COMP_POINT}" "$COMP_WORDBREAKS" 2>/dev/null)
    case "$kind" in
        files) _bot_cli_paths -f ;;
        folders) _bot_cli_paths -d ;;
        program)
            for ((index = 1; index < COMP_CWORD; index++)); do
                [[ "${COMP_WORDS[index]}" == -- ]] && break
            done
            ((index++))
            if declare -F _comp_command_offset >/dev/null; then
                _comp_command_offset "$index"
            elif declare -F _command_offset >/dev/null; then
                _command_offset "$index"
            elif ((COMP_CWORD == index)); then
                _bot_cli_paths -c
            else
                _bot_cli_paths -f
            fi
            ;;
    esac
}
_bot_cli_paths() {
    compopt -o filenames 2>/dev/null
    while IFS= read -r line; do COMPREPLY+=("$prefix$line"); done < <(compgen "$1" -- "$value")
}
complete -F _bot_cli bot-cli
