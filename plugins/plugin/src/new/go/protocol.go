package main

// The protocol. There is nothing to change in this file.

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"sync"
	"syscall"
	"unicode/utf8"
)

// A host asks the user questions and shows progress.
type host interface {
	ask(questions ...question) ([]string, error)
	progress(message string)
}

// A question is answered with text.
type question struct{ key, message string }

func (q question) wire() object { return object{"key": q.key, "message": q.message, "kind": "text"} }

// A hostOption is an option of the host, which may be in the words of a request. It is ignored.
type hostOption struct{}

func (hostOption) String() string   { return "" }
func (hostOption) Set(string) error { return nil }
func (hostOption) IsBoolFlag() bool { return true }

// flagSet returns a set of options that accepts those of a host.
func flagSet() *flag.FlagSet {
	options := flag.NewFlagSet(name, flag.ContinueOnError)
	options.SetOutput(io.Discard)
	for _, word := range []string{"json", "v", "vv", "verbose", "q", "quiet"} {
		options.Var(hostOption{}, word, "")
	}
	return options
}

// parse reads the options, which may be anywhere, and returns the other words.
func parse(options *flag.FlagSet, words []string) ([]string, error) {
	var given []string
	for rest := words; ; rest = options.Args()[1:] {
		if err := options.Parse(rest); err != nil {
			return nil, usage("the options can't be parsed")
		} else if options.NArg() == 0 {
			return given, nil
		}
		given = append(given, options.Arg(0))
	}
}

// run answers `--help` and `--version`, or does the work.
func run(words []string, user host) (string, any, error) {
	for _, word := range words {
		switch word {
		case "--":
			return work(words, user)
		case "-h", "--help":
			return help, object{"help": help}, nil
		case "-V", "--version":
			return "bot-cli-" + name + " " + version + "\n", object{"name": name, "version": version}, nil
		}
	}
	return work(words, user)
}

type object = map[string]any

// A failure ends the run with an exit status and a message for the user.
type failure struct {
	exit    int
	message string
	data    object
}

func (f *failure) Error() string { return f.message }

func usage(message string) error {
	return &failure{2, message, object{"code": "usage", "hints": []string{"bot-cli " + name + " --help"}}}
}

func cancelled(status int) *failure {
	if status != 130 {
		status = 143
	}
	return &failure{status, "cancelled", object{"code": "cancelled"}}
}

type message struct {
	Version string          `json:"jsonrpc"`
	ID      json.RawMessage `json:"id"`
	Method  *string         `json:"method"`
	Params  json.RawMessage `json:"params"`
	Result  json.RawMessage `json:"result"`
	Error   json.RawMessage `json:"error"`
}

type params struct {
	Protocol     *string        `json:"protocol"`
	Argv         []string       `json:"argv"`
	Answers      map[string]any `json:"answers"`
	Capabilities struct {
		Ask struct {
			Kinds []string `json:"kinds"`
		} `json:"ask"`
	} `json:"capabilities"`
}

// A plugin reads messages from the host while it works, so that requests can be cancelled.
type plugin struct {
	wire     io.Writer
	writing  sync.Mutex // Guards the fields below, except the channels.
	open     []json.RawMessage
	unwanted map[string]bool
	asked    int    // The number of questions so far.
	question string // The id of the open question.
	requests chan message
	answers  chan *message
}

func (p *plugin) speak(input io.Reader) {
	told := make(chan os.Signal, 1)
	signal.Notify(told, os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	go func() {
		number, _ := (<-told).(syscall.Signal)
		p.writing.Lock()
		p.end(128 + int(number))
	}()
	done := make(chan bool)
	go func() {
		for request := range p.requests {
			p.serve(request)
		}
		close(done)
	}()
	lines := bufio.NewReader(input)
	for {
		line, err := lines.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			p.hear(line)
		}
		if err != nil {
			break
		}
	}
	close(p.requests)
	close(p.answers) // No more answers will follow.
	<-done
}

func (p *plugin) hear(line []byte) {
	var said message
	if !json.Valid(line) || !utf8.Valid(line) {
		p.refuse(-32700, "the line is not JSON in UTF-8")
	} else if json.Unmarshal(line, &said) != nil || said.Version != "2.0" || !isID(said.ID) ||
		said.Method == nil && said.Result == nil && said.Error == nil {
		p.refuse(-32600, "the line is not a message")
	} else if said.Method == nil {
		p.writing.Lock()
		p.answer(string(said.ID), &said)
		p.writing.Unlock()
	} else if said.ID != nil && string(said.ID) != "null" {
		p.writing.Lock()
		p.open = append(p.open, said.ID)
		p.writing.Unlock()
		p.requests <- said
	} else if *said.Method == "cancel" {
		p.cancel(said.Params)
	}
}

func isID(id json.RawMessage) bool {
	return id == nil || id[0] == '"' || string(id) == "null" || !bytes.ContainsAny(id, "{[tf.eE")
}

func (p *plugin) cancel(given json.RawMessage) {
	var meant struct{ ID json.RawMessage }
	if json.Unmarshal(given, &meant) != nil {
		return
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	wanted := 0
	isOpen := false
	for _, id := range p.open {
		if string(id) == string(meant.ID) {
			isOpen = true
			p.unwanted[string(id)] = true
		}
		if !p.unwanted[string(id)] {
			wanted++
		}
	}
	if isOpen && wanted == 0 {
		p.end(130)
	} else if isOpen && string(p.open[0]) == string(meant.ID) {
		p.answer(p.question, nil) // Other requests are still wanted: only this question ends.
	}
}

// ask asks, unless the request is cancelled already.
func (p *plugin) ask(request json.RawMessage, question object) bool {
	p.writing.Lock()
	defer p.writing.Unlock()
	if p.unwanted[string(request)] {
		return false
	}
	p.asked++
	id := fmt.Sprintf("ask-%d", p.asked)
	p.question = `"` + id + `"`
	p.write(object{"id": id, "method": "ask", "params": question})
	return true
}

// answer delivers the answer to the open question, or nil to cancel it.
func (p *plugin) answer(id string, given *message) {
	if id == p.question && id != "" {
		p.question = ""
		p.answers <- given
	}
}

// end replies to all open requests and exits. The caller holds the lock, so that no other goroutine replies.
func (p *plugin) end(status int) {
	for _, id := range p.open {
		p.write(reply(id, nil, cancelled(status)))
	}
	os.Exit(status)
}

func (p *plugin) serve(request message) {
	p.writing.Lock()
	isUnwanted := p.unwanted[string(request.ID)]
	p.writing.Unlock()
	var result any
	var err error = cancelled(130)
	if !isUnwanted {
		result, err = p.result(request)
	}
	p.writing.Lock()
	defer p.writing.Unlock()
	p.open = p.open[1:]
	delete(p.unwanted, string(request.ID))
	p.write(reply(request.ID, result, err))
}

func (p *plugin) result(request message) (any, error) {
	if *request.Method != "run" && *request.Method != "complete" {
		return nil, &failure{-32601, "there is no such method", nil}
	}
	var given params
	if json.Unmarshal(request.Params, &given) != nil || given.Argv == nil {
		return nil, &failure{-32602, "`params.argv` must be a list of texts", nil}
	} else if given.Protocol != nil && strings.Split(*given.Protocol, ".")[0] != "1" {
		return nil, &failure{-32022, "the protocol version is not supported", object{"supported": []string{"1.0"}}}
	} else if *request.Method == "complete" {
		return object{"candidates": candidates(append([]string{""}, given.Argv...))}, nil
	}
	text, data, err := run(given.Argv, &user{p, request.ID, given})
	return object{"text": text, "data": data}, err
}

// A user is the host of a request over the protocol.
type user struct {
	plugin *plugin
	id     json.RawMessage
	params params
}

func (u *user) ask(questions ...question) ([]string, error) {
	var answers []string
	var missing []object
	for _, one := range questions {
		answer, given := u.params.Answers[one.key]
		text, isText := answer.(string)
		if given && !isText {
			return nil, &failure{2, "`" + one.key + "` must be a text", object{"code": "invalid_input"}}
		} else if !given && !strings.Contains(strings.Join(u.params.Capabilities.Ask.Kinds, " "), "text") {
			missing = append(missing, one.wire())
		} else if !given {
			var err error
			if text, err = u.prompt(one); err != nil {
				return nil, err
			}
		}
		answers = append(answers, text)
	}
	if missing != nil {
		message := fmt.Sprintf("`%s` is missing, and there is no terminal to ask on", missing[0]["key"])
		return nil, &failure{2, message, object{"code": "input_required", "inputs": missing}}
	}
	return answers, nil
}

func (u *user) prompt(one question) (string, error) {
	if !u.plugin.ask(u.id, one.wire()) {
		return "", cancelled(130)
	}
	var given struct{ Action, Value string }
	if answer := <-u.plugin.answers; answer == nil || json.Unmarshal(answer.Result, &given) != nil || given.Action != "accept" {
		return "", cancelled(130)
	}
	return given.Value, nil
}

func (u *user) progress(message string) {
	u.plugin.send(object{"method": "progress", "params": object{"id": u.id, "message": message}})
}

func reply(id json.RawMessage, result any, err error) object {
	var failed *failure
	if errors.As(err, &failed) {
		return object{"id": id, "error": object{"code": failed.exit, "message": failed.message, "data": failed.data}}
	} else if err != nil {
		return object{"id": id, "error": object{"code": 1, "message": err.Error()}}
	}
	return object{"id": id, "result": result}
}

func (p *plugin) refuse(code int, reason string) {
	p.send(reply(nil, nil, &failure{code, reason, nil}))
}

func (p *plugin) send(members object) {
	p.writing.Lock()
	defer p.writing.Unlock()
	p.write(members)
}

func (p *plugin) write(members object) {
	members["jsonrpc"] = "2.0"
	if line, err := json.Marshal(members); err == nil {
		fmt.Fprintf(p.wire, "%s\n", line)
	}
}

// A terminal is the host of a plugin that is run directly.
type terminal struct{}

func (terminal) ask(questions ...question) ([]string, error) {
	var answers []string
	lines := bufio.NewReader(os.Stdin)
	for _, one := range questions {
		fmt.Fprint(os.Stderr, one.message+": ")
		line, err := lines.ReadString('\n')
		if err != nil {
			return nil, err
		}
		answers = append(answers, strings.TrimSpace(line))
	}
	return answers, nil
}

func (terminal) progress(string) {}

// command runs the plugin as an ordinary command.
func command(words []string) int {
	isJSON := false
	for _, word := range words {
		if word == "--manifest" { // The compiler drops unused constants.
			fmt.Println(manifest)
			return 0
		}
		isJSON = isJSON || word == "--json"
	}
	text, data, err := run(words, terminal{})
	var failed *failure
	if errors.As(err, &failed) {
		fmt.Fprintln(os.Stderr, "error: "+failed.message)
		return failed.exit
	} else if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		return 1
	} else if isJSON {
		shown, _ := json.MarshalIndent(data, "", "  ")
		text = string(shown) + "\n"
	}
	fmt.Print(text)
	return 0
}

func isTerminal(file *os.File) bool {
	is, err := file.Stat()
	null, _ := os.Stat(os.DevNull)
	return err == nil && is.Mode()&os.ModeCharDevice != 0 && !os.SameFile(is, null)
}

func main() {
	if len(os.Args) > 1 || isTerminal(os.Stdin) {
		os.Exit(command(os.Args[1:]))
	}
	wire := os.Stdout
	os.Stdout = os.Stderr // Stray prints, including those of child processes, must not reach the host.
	p := plugin{wire: wire, unwanted: map[string]bool{}, requests: make(chan message, 1000), answers: make(chan *message, 1)}
	p.speak(os.Stdin)
}
