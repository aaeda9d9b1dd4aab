package state

import "testing"

func TestRepository_RedactsPassword(t *testing.T) {
	for address, want := range map[string]string{
		"ssh://git@git.example.net/c-1.git":        "ssh://git@git.example.net/c-1.git",
		"https://me:hunter2@git.example.net/c.git": "https://me@git.example.net/c.git",
		"https://git.example.net/c-1.git":          "https://git.example.net/c-1.git",
		"git@git.example.net:c-1.git":              "git@git.example.net:c-1.git",
	} {
		if got := (GitRepo{URL: address}).Redacted(); got != want {
			t.Errorf("%s is at %s, not %s", address, got, want)
		}
	}
}
