package connection

import (
	"net/http"
	"testing"
)

func FuzzProtocolError(f *testing.F) {
	f.Add(200, "text/html", "<html>")
	f.Add(403, "application/xml", `<Error><Code>AccessDenied</Code></Error>`)
	f.Fuzz(func(t *testing.T, status int, kind, body string) {
		r := Reply{Status: status, Header: http.Header{"Content-Type": {kind}}, Body: []byte(body)}
		answer := ServiceReply{Reply: r, By: Client{&Attempt{Evidence: Evidence{}}}}
		if GetClass(answer.NewProtocolError(http.ErrNotSupported)) == "" {
			t.Errorf("%d %q is not strange", status, body)
		}
	})
}
