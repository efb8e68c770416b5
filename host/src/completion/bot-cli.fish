# Completes bot-cli in fish. Use it once with: bot-cli completions fish | source
function __bot_cli_complete
    set -l words (commandline -opc)[2..-1] (commandline -ct)
    for line in (bot-cli __complete -- $words 2>/dev/null)
        switch $line
            case :files
                __fish_complete_path (commandline -ct)
            case :folders
                __fish_complete_directories (commandline -ct)
            case '*'
                echo $line
        end
    end
end
complete -c bot-cli -f -a '(__bot_cli_complete)'
