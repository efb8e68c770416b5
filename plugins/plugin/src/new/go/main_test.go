package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"
)

// The plugin is this file, too: a test starts itself as one.
func TestMain(m *testing.M) {
	if os.Getenv("AS_PLUGIN") != "" {
		main()
		return
	}
	os.Exit(m.Run())
}

func plugged(words ...string) *exec.Cmd {
	command := exec.Command(os.Args[0], words...)
	command.Env = append(os.Environ(), "AS_PLUGIN=1")
	return command
}

func request(argv, more string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":1,"method":"run","params":{"protocol":"1.0","argv":%s%s}}`, argv, more)
}

// spoken returns what the plugin replies and asks after lines that come all at once.
func spoken(t *testing.T, lines ...string) []map[string]any {
	t.Helper()
	command := plugged()
	command.Stdin = strings.NewReader(strings.Join(lines, "\n"))
	output, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var said []map[string]any
	for _, line := range strings.Split(strings.TrimSpace(string(output)), "\n") {
		var message map[string]any
		if err := json.Unmarshal([]byte(line), &message); err != nil {
			t.Fatal(err)
		}
		if message["id"] != nil {
			said = append(said, message)
		}
	}
	return said
}

func expect(t *testing.T, said any, part string) {
	t.Helper()
	if text, _ := json.Marshal(said); !strings.Contains(string(text), part) {
		t.Fatalf("%s lacks %s", text, part)
	}
}

const asking = `,"capabilities":{"ask":{"kinds":["text"]}}`

func TestGreets(t *testing.T) {
	said := spoken(t, request(`["moon","--language","de"]`, ""))
	expect(t, said[0], `"data":{"language":"de","who":"moon"},"text":"Hallo, moon.\n"`)
}

func TestAsks(t *testing.T) {
	expect(t, spoken(t, request("[]", `,"answers":{"who":"ada"}`)), "Hello, ada.")
	expect(t, spoken(t, request("[]", "")), `"code":"input_required"`)
	command := plugged()
	input, _ := command.StdinPipe()
	output, _ := command.StdoutPipe()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	lines := bufio.NewReader(output)
	fmt.Fprintln(input, request("[]", asking))
	question, _ := lines.ReadString('\n')
	expect(t, json.RawMessage(question), `"id":"ask-1"`)
	// An answer to another question and the end of a request that waits are not for this one.
	fmt.Fprintln(input, `{"jsonrpc":"2.0","id":"ask-0","result":{"action":"accept","value":"bob"}}`)
	fmt.Fprintln(input, `{"jsonrpc":"2.0","id":2,"method":"run","params":{"protocol":"1.0","argv":["moon"]}}`)
	fmt.Fprintln(input, `{"jsonrpc":"2.0","method":"cancel","params":{"id":2}}`)
	fmt.Fprintln(input, `{"jsonrpc":"2.0","id":"ask-1","result":{"action":"accept","value":"ada"}}`)
	progress, _ := lines.ReadString('\n')
	expect(t, json.RawMessage(progress), `"message":"Greeting ada"`)
	reply, _ := lines.ReadString('\n')
	expect(t, json.RawMessage(reply), "Hello, ada.")
	unwanted, _ := lines.ReadString('\n')
	expect(t, json.RawMessage(unwanted), `"code":130`)
	input.Close()
	if err := command.Wait(); err != nil {
		t.Fatal(err)
	}
}

func TestEndsAtOnceAndRepliesOnce(t *testing.T) {
	for status, stop := range map[int]func(*os.Process, *bufio.Writer){
		130: func(_ *os.Process, input *bufio.Writer) {
			fmt.Fprintln(input, `{"jsonrpc":"2.0","method":"cancel","params":{"id":1}}`)
			input.Flush()
		},
		143: func(process *os.Process, _ *bufio.Writer) { process.Signal(syscall.SIGTERM) },
	} {
		if status == 143 && runtime.GOOS == "windows" {
			continue // A process can't be told to end there.
		}
		command := plugged()
		pipe, _ := command.StdinPipe()
		output, _ := command.StdoutPipe()
		if err := command.Start(); err != nil {
			t.Fatal(err)
		}
		// A question that nobody answers is work without an end.
		input, lines := bufio.NewWriter(pipe), bufio.NewReader(output)
		fmt.Fprintln(input, request("[]", asking))
		input.Flush()
		lines.ReadString('\n')
		began := time.Now()
		stop(command.Process, input)
		reply, _ := lines.ReadString('\n')
		expect(t, json.RawMessage(reply), fmt.Sprintf(`"code":%d`, status))
		if more, _ := lines.ReadString('\n'); more != "" {
			t.Fatalf("a second reply: %s", more)
		}
		command.Wait()
		if ended := command.ProcessState.ExitCode(); ended != status || time.Since(began) > 10*time.Second {
			t.Fatalf("status %d after %s", ended, time.Since(began))
		}
	}
}

func TestCompletes(t *testing.T) {
	said := spoken(t, `{"jsonrpc":"2.0","id":1,"method":"complete","params":{"argv":["--language=d"]}}`)
	expect(t, said, `"candidates":[{"value":"--language=de"}]`)
}

func TestIsACommand(t *testing.T) {
	for word, said := range map[string]string{"world": "Hello, world.\n", "-h": help, "-V": "bot-cli-" + name + " 0.1.0\n"} {
		output, err := plugged(word).Output()
		if err != nil || string(output) != said {
			t.Fatal(string(output), err)
		}
	}
}
