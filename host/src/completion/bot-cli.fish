# Completes bot-cli in fish.
# For good:
#   bot-cli completions fish >~/.config/fish/completions/bot-cli.fish
# or once:
#   bot-cli completions fish | source
function __bot_cli_complete
    set -l words (commandline -opc)[2..-1]
    set -l current (commandline -ct)
    # Without its quotes, of which one may still be open.
    set -l plain "$current"
    for quote in '' \' '"'
        if set -l unquoted (string unescape -- "$current$quote")
            set plain "$unquoted"
            break
        end
    end
    set -l kind
    for line in (bot-cli __complete fish -- $words "$plain" 2>/dev/null)
        if set -q kind[1]
            echo $line
        else
            set kind $line
        end
    end
    set -l option (string match -r -- '^--[^=]+=' "$plain")
    set -l value (string replace -- "$option" '' "$plain")
    switch "$kind"
        case files
            string replace -r -- '^' "$option" (__fish_complete_path "$value")
        case folders
            string replace -r -- '^' "$option" (__fish_complete_directories "$value")
        case program
            set -l at (contains -i -- -- $words)
            set -e words[1..$at]
            complete -C (string join ' ' -- (string escape -- $words) $current)
    end
end
complete -c bot-cli -f -a '(__bot_cli_complete)'
