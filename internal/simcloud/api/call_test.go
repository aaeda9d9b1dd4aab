package api_test

import (
	"encoding/json"
	"net/http"
	"strings"
	"time"
)

type document = map[string]any

func (w world) get(path string) document {
	w.Helper()
	var answer document
	w.must(json.Unmarshal([]byte(w.accepted(http.MethodGet, path, "")), &answer))
	return answer
}

// do makes a call that must succeed, waits for its operation and returns the ID of its reference.
func (w world) do(method, path, body string) string {
	w.Helper()
	var op struct{ ID string }
	w.must(json.Unmarshal([]byte(w.accepted(method, path, body)), &op))
	return w.await(op.ID)
}

func (w world) await(operation string) string {
	w.Helper()
	for {
		answer := w.get("/operation/" + operation)
		switch answer["state"] {
		case "pending":
			<-time.After(time.Second)
		case "success":
			thing, _ := answer["reference"].(document)
			if thing == nil {
				thing, _ = answer["resource"].(document)
			}
			id, _ := thing["id"].(string)
			return id
		default:
			w.Fatalf("operation: %v", answer)
		}
	}
}

// until polls at every change for at most an hour.
func (w world) until(so func() bool) {
	w.Helper()
	for began := time.Now(); !so(); {
		select {
		case <-w.api.Changed():
		case <-time.After(time.Minute):
		}
		if time.Since(began) > time.Hour {
			w.Fatal("it never came about")
		}
	}
}

// refuses makes a call that must be refused with that status and text.
func (w world) refuses(status int, words, method, path, body string) {
	w.Helper()
	got, answer := w.send(key, secret, method, path, body)
	if got != status || !strings.Contains(answer, words) {
		w.Errorf("%s %s: %d %s, want %d and %q", method, path, got, answer, status, words)
	}
}

func (w world) list(path string) []document {
	w.Helper()
	var list []document
	for _, all := range w.get(path) {
		for _, one := range all.([]any) {
			list = append(list, one.(document))
		}
	}
	return list
}

// image returns the ID of a public template.
func (w world) image() string {
	w.Helper()
	image, err := w.client.GetTemplateByName(w.ctx(), zone, "Linux Debian 12 (Bookworm) 64-bit", "public")
	w.must(err)
	return *image.ID
}
