# Completes bot-cli in fish. Use it once with: bot-cli completions fish | source
function __bot_cli_complete
    set -l current (commandline -ct)
    set -l option (string match -r -- '^--[^=]+=' $current)
    set -l value (string replace -- "$option" '' $current)
    for line in (bot-cli __complete -- (commandline -opc)[2..-1] $current 2>/dev/null)
        switch $line
            case :files
                string replace -r -- '^' "$option" (__fish_complete_path $value)
            case :folders
                string replace -r -- '^' "$option" (__fish_complete_directories $value)
            case '*'
                echo $line
        end
    end
end
complete -c bot-cli -f -a '(__bot_cli_complete)'
