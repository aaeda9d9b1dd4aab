package api_test

import (
	"io"
	"net/http"
	"strings"

	exoapi "github.com/exoscale/egoscale/v2/api"
)

// send makes a signed call that the client library does not have, and returns status and body.
func (w world) send(key, secret, method, path, body string) (int, string) {
	w.Helper()
	r, err := http.NewRequestWithContext(w.Context(), method, "https://api-"+zone+".exoscale.com/v2"+path, strings.NewReader(body))
	w.must(err)
	if body != "" {
		r.Header.Set("Content-Type", "application/json")
	}
	signer, err := exoapi.NewSecurityProvider(key, secret)
	w.must(err)
	w.must(signer.Intercept(w.Context(), r))
	response, err := direct{handler: w.validated()}.RoundTrip(r)
	w.must(err)
	content, err := io.ReadAll(response.Body)
	w.must(err)
	return response.StatusCode, string(content)
}
