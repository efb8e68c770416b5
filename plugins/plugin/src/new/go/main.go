// Greets somebody: `bot-cli @NAME@ world`; without a name it asks for one.
package main

import (
	"fmt"
	"strings"
)

const (
	name    = "@NAME@"
	version = "0.1.0"
	help    = "Greets somebody\n\nUsage: bot-cli " + name + " [--language en|de] [WHO]\n"
	// Listing, help and completion read only this text, which bot-cli finds in the executable. Keep it in sync with `work` and `candidates`.
	manifest = `@MANIFEST@{"protocol":"1.0","name":"@NAME@","version":"` + version + `","about":"Greets somebody","command":{"name":"@NAME@","about":"Greets somebody","arguments":[{"name":"who","kind":"positional","about":"Who is greeted","value_name":"WHO","completion":"dynamic"},{"name":"language","kind":"option","long":"language","about":"In which language","value_name":"LANGUAGE","default":"en","values":[{"value":"en"},{"value":"de"}]}]}}`
)

var greetings = map[string]string{"en": "Hello", "de": "Hallo"}

// work does the work, which Ctrl-C ends at any point. It returns the text for people and the data for programs.
func work(words []string, user host) (string, any, error) {
	options := flagSet()
	language := options.String("language", "en", "")
	given, err := parse(options, words)
	if err != nil {
		return "", nil, err
	} else if len(given) > 1 {
		return "", nil, usage("unexpected argument")
	} else if greetings[*language] == "" {
		return "", nil, usage("`--language` must be `en` or `de`")
	}
	who := strings.Join(given, "")
	if who == "" {
		answers, err := user.ask(question{"who", "Who is greeted"})
		if err != nil {
			return "", nil, err
		}
		who = answers[0]
	}
	user.progress("Greeting " + who)
	text := fmt.Sprintf("%s, %s.\n", greetings[*language], who)
	return text, object{"who": who, "language": *language}, nil
}

// candidates returns the completions of the last word.
func candidates(words []string) []object {
	values, prefix, typed := []string{"world", "moon"}, "", words[len(words)-1]
	if option := "--language="; strings.HasPrefix(typed, option) {
		values, prefix, typed = []string{"en", "de"}, option, typed[len(option):]
	} else if len(words) > 1 && words[len(words)-2] == "--language" {
		values = []string{"en", "de"}
	}
	found := []object{}
	for _, value := range values {
		if strings.HasPrefix(value, typed) {
			found = append(found, object{"value": prefix + value})
		}
	}
	return found
}
