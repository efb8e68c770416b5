// `bot-cli costs` estimates what a bot costs per hour of talk. `costs.json` in the project has the prices in cents per hour, by currency and
// service: `{"USD": {"deepgram_stt": 26}}`. The file replaces `main.go` of `bot-cli plugin new costs --lang go`.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
)

const (
	name     = "costs"
	version  = "1.0.0"
	help     = "Estimates what a bot costs per hour of talk\n\nUsage: bot-cli costs [--currency USD|EUR|GBP]\n"
	manifest = `bot-cli-plugin: {"protocol":"1.0","name":"costs","version":"` + version + `","about":"Estimates what a bot costs per hour of talk","command":{"name":"costs","about":"Estimates what a bot costs per hour of talk","arguments":[{"name":"currency","kind":"option","long":"currency","about":"Currency of the prices","value_name":"CURRENCY","default":"USD","values":[{"value":"USD"},{"value":"EUR"},{"value":"GBP"}]}],"result":{"type":"object","properties":{"project":{"type":"string"},"currency":{"type":"string"},"services":{"type":"array","items":{"type":"object","properties":{"id":{"type":"string"},"label":{"type":"string"},"cents":{"type":"integer"}},"required":["id","label","cents"]}},"cents":{"type":"integer"}},"required":["project","currency","services","cents"]}}}`
)

type service struct {
	ID    string `json:"id"`
	Label string `json:"label"`
	Cents int    `json:"cents"`
}

type project struct {
	Root, Name string
	Services   []service
	Error      struct {
		Code, Message string
		Hints         []string
	}
}

func work(words []string, user host) (string, any, error) {
	options := flagSet()
	currency := options.String("currency", "USD", "")
	given, err := parse(options, words)
	if err != nil {
		return "", nil, err
	} else if len(given) > 0 || !strings.Contains("USD EUR GBP", *currency) || len(*currency) != 3 {
		return "", nil, usage("`--currency` must be `USD`, `EUR` or `GBP`")
	}
	bot, err := describe()
	if err != nil {
		return "", nil, err
	}
	file := filepath.Join(bot.Root, "costs.json")
	prices := map[string]map[string]int{}
	if text, err := os.ReadFile(file); err == nil && json.Unmarshal(text, &prices) != nil {
		hints := []string{`write it like {"USD": {"deepgram_stt": 26}}`}
		return "", nil, &failure{2, "`" + file + "` is not a table of prices", object{"code": "invalid_prices", "hints": hints}}
	}
	var missing []question
	for _, it := range bot.Services {
		if _, known := prices[*currency][it.ID]; !known {
			missing = append(missing, question{it.ID, fmt.Sprintf("Price of %s in cents per hour (%s)", it.Label, *currency)})
		}
	}
	answers, err := user.ask(missing...)
	if err != nil {
		return "", nil, err
	}
	answered := map[string]int{}
	for index, answer := range answers {
		cents, err := strconv.ParseUint(answer, 10, 31)
		if err != nil {
			return "", nil, &failure{2, "the price must be a whole number", object{"code": "invalid_input"}}
		}
		answered[missing[index].key] = int(cents)
	}
	table, total := "", 0
	for index := range bot.Services {
		it := &bot.Services[index]
		user.progress("Adding " + it.Label)
		it.Cents = prices[*currency][it.ID] + answered[it.ID]
		total += it.Cents
		table += row(it.Label, it.Cents, *currency)
	}
	data := object{"project": bot.Name, "currency": *currency, "services": bot.Services, "cents": total}
	return table + row("Total", total, *currency), data, nil
}

func row(label string, cents int, currency string) string {
	return fmt.Sprintf("%-24s%5d.%02d %s\n", label, cents/100, cents%100, currency)
}

// describe returns the description of the user's bot project.
func describe() (project, error) {
	host := os.Getenv("BOT_CLI_HOST")
	if host == "" {
		host = "bot-cli"
	}
	var found project
	folder, err := os.Getwd()
	if err != nil {
		return found, err
	}
	text, err := exec.Command(host, "init", "--describe", "--json", folder).Output()
	if json.Unmarshal(text, &found) == nil && found.Error.Message != "" {
		return found, &failure{2, found.Error.Message, object{"code": found.Error.Code, "hints": found.Error.Hints}}
	} else if err == nil && found.Root == "" {
		err = errors.New("`bot-cli init --describe` printed no description")
	}
	return found, err
}

func candidates(words []string) []object {
	return []object{}
}
