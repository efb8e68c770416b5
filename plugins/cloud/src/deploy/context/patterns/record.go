// Records what Docker's own code says of drawn ignore files, in docker.json. On Debian:
//
//	apt-get install golang-go golang-github-docker-docker-dev golang-github-moby-patternmatcher-dev
//	GO111MODULE=off GOPATH=/usr/share/gocode go run record.go > docker.json
//
// Each line has an ignore file, the paths that it excludes, and those that it leaves. Files that Docker refuses are left out.
package main

import (
	"encoding/json"
	"fmt"
	"math/rand"
	"strings"

	"github.com/moby/buildkit/frontend/dockerfile/dockerignore"
	"github.com/moby/patternmatcher"
)

type row struct {
	Ignore   string   `json:"ignore"`
	Excluded []string `json:"excluded,omitempty"`
	Sent     []string `json:"sent,omitempty"`
}

var random = rand.New(rand.NewSource(1))

func one(of ...string) string { return of[random.Intn(len(of))] }

// A part of a path, as in a pattern. Letters and digits after a backslash are left out, which Docker takes for classes of its regular
// expressions, as is a range in the wrong order, which it refuses only where it comes to compare with it.
func part() string {
	switch random.Intn(10) {
	case 0:
		return one("*", "**", "?", "***", "..", ".")
	case 1:
		return one("*.py", "a*", "*b", "a?", "**b", "a**", "*a*", "?b")
	case 2:
		return one("[ab]", "[^a]", "[a-c]b", "[*]", "[a&&b]", "[!a]", "a]", "[[a]", "[\\]a]", "[~a~b]b")
	case 3:
		return one("\\*", "\\?", "\\[a", "\\!a", "\\#a", "\\\\", "\\.a", "\\<a", "a\\ b")
	case 4:
		return one("A", ".a", "a.py", "é", "{a,b}", "a+b", "(a)", "a|b", "$a", "a^b", "a b", "!a", "#a")
	default:
		return one("a", "b", "ab", "a.py", "c")
	}
}

func line() string {
	parts := make([]string, 1+random.Intn(3))
	for at := range parts {
		parts[at] = part()
	}
	text := one("", "", "", "", "/", "./", "//", "**/") + strings.Join(parts, one("/", "/", "/", "//", "/./", "/../")) + one("", "", "", "/", "/**", "/*")
	text = one("", "", "", "!", "! ") + text
	switch random.Intn(12) {
	case 0:
		return one("# comment", " # no comment", "", "  ", "!", "/", ".", "..", "\t")
	case 1:
		return one(" ", "\t") + text + one(" ", "\t", "  ")
	}
	return text
}

func path() string {
	parts := make([]string, 1+random.Intn(3))
	for at := range parts {
		parts[at] = one("a", "b", "ab", "a.py", "c", "A", ".a", "é", "*", "?b", "[a", "{a,b}", "a+b", "(a)", "a|b", "$a", "a^b", "a b", "!a", "#a", "\\", "x.py", "aab", "]", "&")
	}
	return strings.Join(parts, "/")
}

func main() {
	for number := 0; number < 400; number++ {
		lines := make([]string, 1+random.Intn(3))
		for at := range lines {
			lines[at] = line()
		}
		text := one("", "", "", "", "\ufeff") + strings.Join(lines, one("\n", "\n", "\r\n")) + one("", "\n", "\r\n")
		patterns, err := dockerignore.ReadAll(strings.NewReader(text))
		if err != nil {
			panic(err)
		}
		found := row{Ignore: text}
		for count := 0; count < 8; count++ {
			path := path()
			matcher, err := patternmatcher.New(patterns)
			if err == nil {
				var excluded bool
				excluded, err = matcher.MatchesOrParentMatches(path)
				if err == nil && excluded {
					found.Excluded = append(found.Excluded, path)
				} else if err == nil {
					found.Sent = append(found.Sent, path)
				}
			}
			if err != nil {
				found = row{}
				break
			}
		}
		if found.Ignore == "" {
			continue
		}
		document, _ := json.Marshal(found)
		fmt.Println(string(document))
	}
}
