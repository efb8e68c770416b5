package main

import (
	"reflect"
	"testing"
)

// A script answers every question in the same way and records the progress.
type script struct {
	answer string
	shown  []string
}

func (s *script) ask(...question) ([]string, error) { return []string{s.answer}, nil }
func (s *script) progress(message string)           { s.shown = append(s.shown, message) }

func TestGreets(t *testing.T) {
	text, data, err := run([]string{"moon", "--json=lines", "-vv", "--language", "de"}, &script{})
	if text != "Hallo, moon.\n" || !reflect.DeepEqual(data, object{"who": "moon", "language": "de"}) || err != nil {
		t.Fatal(text, data, err)
	}
}

func TestAsks(t *testing.T) {
	user := &script{answer: "ada"}
	text, _, err := run(nil, user)
	if text != "Hello, ada.\n" || !reflect.DeepEqual(user.shown, []string{"Greeting ada"}) || err != nil {
		t.Fatal(text, user.shown, err)
	}
}

func TestRefusesAnotherLanguage(t *testing.T) {
	if _, _, err := run([]string{"--language", "fr"}, &script{}); err == nil {
		t.Fatal("no error")
	}
}
