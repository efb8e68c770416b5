# Completes bot-cli in bash. Use it once with: source <(bot-cli completions bash)
_bot_cli() {
    local line words=("${COMP_WORDS[@]:1:COMP_CWORD}") current="${COMP_WORDS[COMP_CWORD]}"
    COMPREPLY=()
    while IFS= read -r line; do
        case "$line" in
            :files) compopt -o filenames; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -f -- "$current") ;;
            :folders) compopt -o filenames; mapfile -t -O "${#COMPREPLY[@]}" COMPREPLY < <(compgen -d -- "$current") ;;
            *) COMPREPLY+=("${line%%$'\t'*}") ;;
        esac
    done < <(bot-cli __complete -- "${words[@]}" 2>/dev/null)
}
complete -F _bot_cli bot-cli
