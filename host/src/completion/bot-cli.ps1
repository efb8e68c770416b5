# Completes bot-cli in PowerShell.
# For good, in the file that $PROFILE names:
#   bot-cli completions powershell | Out-String | Invoke-Expression
Register-ArgumentCompleter -Native -CommandName 'bot-cli' -ScriptBlock {
    param($wordToComplete, $commandAst, $cursorPosition)
    # A leading `=` keeps empty words from being dropped on their way to a program.
    $words = @($commandAst.CommandElements | Select-Object -Skip 1 |
        Where-Object { $_.Extent.EndOffset -lt $cursorPosition } |
        ForEach-Object {
            if ($_ -is [System.Management.Automation.Language.StringConstantExpressionAst]) { "=$($_.Value)" }
            else { "=$($_.Extent.Text)" }
        })
    $words += '=' + $wordToComplete.Trim("'", '"')
    $lines = @(bot-cli __complete powershell '--' @words 2>$null)
    foreach ($line in ($lines | Select-Object -Skip 1)) {
        $word, $about = $line -split "`t", 2
        if (-not $about) { $about = $word }
        [System.Management.Automation.CompletionResult]::new($word, $word, 'ParameterValue', $about)
    }
    $value = $wordToComplete.Trim("'", '"')
    $option = ''
    if ($value -match '^(--[^=]+=)(.*)$') { $option = $Matches[1]; $value = $Matches[2] }
    switch ($lines | Select-Object -First 1) {
        'files' {
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($value) | ForEach-Object {
                [System.Management.Automation.CompletionResult]::new(
                    $option + $_.CompletionText, $_.ListItemText, $_.ResultType, $_.ToolTip)
            }
        }
        'folders' {
            [System.Management.Automation.CompletionCompleters]::CompleteFilename($value) |
                Where-Object { $_.ResultType -eq 'ProviderContainer' } | ForEach-Object {
                    [System.Management.Automation.CompletionResult]::new(
                        $option + $_.CompletionText, $_.ListItemText, $_.ResultType, $_.ToolTip)
                }
        }
        'program' {
            $separator = $commandAst.CommandElements | Where-Object { $_.Extent.Text -eq '--' } | Select-Object -First 1
            $start = $separator.Extent.EndOffset - $commandAst.Extent.StartOffset
            $text = $commandAst.Extent.Text.Substring($start).TrimStart()
            if ($cursorPosition -gt $commandAst.Extent.EndOffset) { $text += ' ' }
            [System.Management.Automation.CommandCompletion]::CompleteInput($text, $text.Length, $null).CompletionMatches
        }
    }
}
