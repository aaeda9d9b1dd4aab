package registry

import (
	"net/http"
	"testing"

	"exoshift/wizard/reach/probe/connection"
)

func FuzzToken(f *testing.F) {
	f.Add(200, "application/json", `{"token": "x"}`)
	f.Add(403, "text/html", "<html>")
	f.Fuzz(func(t *testing.T, status int, kind, body string) {
		r := connection.Reply{Status: status, Header: http.Header{"Content-Type": {kind}}, Body: []byte(body)}
		answer := connection.ServiceReply{Reply: r, By: connection.Client{Attempt: &connection.Attempt{Evidence: connection.Evidence{}}}}
		if _, err := parseToken(answer, true); status != http.StatusOK && err == nil {
			t.Errorf("%d %q gives a token", status, body)
		}
	})
}
