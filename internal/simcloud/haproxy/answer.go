package haproxy

import (
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
)

// httpResponse is a frontend's own response: "http-request return".
type httpResponse struct {
	path        string // condition on requests; "" for all
	status      int
	contentType string
	body        string
	format      bool // body is a log format, of which only %[src] is supported
}

// clientAddress is the client's address in a format.
const clientAddress = "%[src]"

func (p *proxy) parseHTTPRequest(args []string) error {
	if !p.isFrontend() {
		return fmt.Errorf("'http-request' is not known in '%s' section", p.kind)
	}
	if len(args) == 0 || args[0] != "return" {
		return fmt.Errorf("'http-request' : unknown or missing action %v, expected return", args)
	}
	response := httpResponse{status: http.StatusOK}
	if err := response.read(args[1:]); err != nil {
		return fmt.Errorf("'http-request return' : %w", err)
	}
	p.responses = append(p.responses, response)
	return nil
}

func (a *httpResponse) read(args []string) (err error) {
	for len(args) > 1 && err == nil {
		switch args[0] {
		case "status":
			err = parseNumber(&a.status, args[1], 200, 599)
		case "content-type":
			a.contentType = args[1]
		case "string", "lf-string":
			a.body, a.format = args[1], args[0] == "lf-string"
			err = a.checkFormat()
		case "if":
			return a.parseCondition(args[1:])
		default:
			return fmt.Errorf("unknown argument '%s'", args[0])
		}
		args = args[2:]
	}
	if err == nil && len(args) > 0 {
		err = fmt.Errorf("'%s' expects an argument", args[0])
	}
	if err == nil && a.body != "" && a.contentType == "" {
		err = errors.New("content type must be defined when payload is configured")
	}
	return err
}

func (a *httpResponse) checkFormat() error {
	if a.format && strings.Contains(strings.ReplaceAll(a.body, clientAddress, ""), "%") {
		return fmt.Errorf("cannot read the format '%s'", a.body)
	}
	return nil
}

// parseCondition supports one form: an anonymous condition about the path.
func (a *httpResponse) parseCondition(words []string) error {
	if len(words) != 4 || words[0] != "{" || words[1] != "path" || words[3] != "}" {
		return fmt.Errorf("cannot read the condition %v", words)
	}
	a.path = words[2]
	return nil
}

func (p *proxy) serveAnswer(w http.ResponseWriter, r *http.Request) bool {
	for _, a := range p.responses {
		if a.path != "" && a.path != r.URL.Path {
			continue
		}
		body := a.body
		if a.format {
			body = strings.ReplaceAll(body, clientAddress, getClientAddress(r))
		}
		w.Header().Set("Content-Type", a.contentType)
		w.WriteHeader(a.status)
		_, _ = io.WriteString(w, body) // the client closed the connection
		return true
	}
	return false
}

func getClientAddress(r *http.Request) string {
	host, _, err := net.SplitHostPort(r.RemoteAddr)
	if err != nil {
		return r.RemoteAddr
	}
	return host
}
