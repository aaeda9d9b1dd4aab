package vault

import (
	"errors"
	"mime"
	"net/http"

	"exoshift/internal/fault"
)

// maxAnswer is in bytes; Vault's own limit of a secret is one mebibyte.
const maxAnswer = 4 << 20

// checkedTransport refuses responses that cannot be Vault's: a web page, and a redirect, which would send the token to another
// host.
type checkedTransport struct{ http.RoundTripper }

func (g checkedTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	answer, err := g.RoundTripper.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if refused := checkAnswer(answer); refused != nil {
		_ = answer.Body.Close()
		return nil, refused
	}
	return answer, nil
}

// checkAnswer returns why a response is not Vault's, or nil. Pages with a status of 500 and more come from a load balancer, and
// may be temporary.
func checkAnswer(answer *http.Response) error {
	kind, _, _ := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	switch {
	case answer.StatusCode >= 300 && answer.StatusCode < 400:
		where := "elsewhere"
		if to, err := answer.Location(); err == nil {
			where = "to " + sanitize(to.Host)
		}
		return fault.Newf(fault.Invalid, "ask Vault", "the response redirects %s, and the token is not sent there", where).
			WithHint("check the address of Vault; if a proxy requires a login, log in first")
	case kind == "text/html" && answer.StatusCode < 500:
		return fault.New(fault.Invalid, "ask Vault", errors.New("the response is a web page")).
			WithHint("check the address of Vault, and whether a proxy or a login page answers instead: open the address in a browser")
	}
	return nil
}
