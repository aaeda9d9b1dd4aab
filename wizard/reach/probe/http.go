package probe

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"exoshift/internal/network"
	"exoshift/wizard/reach"
)

const (
	maxHeader = 64 << 10 // of an answer, in bytes
	maxPage   = 64 << 10 // how much of a body is read by default
)

type call struct {
	method string // "": GET
	url    *url.URL
	header http.Header // may be nil; Authorization never goes to another host
	limit  int64       // how much of the body is read; 0: maxPage
}

type reply struct {
	status int
	line   string // e.g. "403 Forbidden"
	header http.Header
	body   []byte // as far as it was read
	whole  bool   // there is no more of it
	broken error  // why it ended before its end and before the limit
}

// client speaks HTTP in an attempt. A redirect, and every further call, is an attempt of its own.
type client struct{ *attempt }

// next returns a client for another call of the same probe. Only https and http are supported.
func (a client) next(resource *url.URL) (client, error) {
	if resource.Scheme != "https" && resource.Scheme != "http" {
		return client{}, a.fail(&a.layers.HTTP, reach.Unexpected, errors.New("it leads to something that is no web address"))
	}
	to, err := newTarget(resource, getWebPort)
	if err != nil {
		return client{}, a.fail(&a.layers.HTTP, reach.Malformed, err)
	}
	return client{nextAttempt(a.deps, a.check, to, a.state)}, nil
}

func getWebPort(scheme string) (port string, known bool) {
	port, known = webPorts[scheme]
	return port, known
}

var webPorts = map[string]string{"http": "80", "https": "443"}

// get uses TLS unless the URL has the scheme http. It fails without an answer, or on a status that only intermediaries
// send; the caller checks the answer.
func (a client) get(ctx context.Context, c call) (reply, error) {
	open := a.handshake
	if c.url.Scheme == "http" {
		open = a.connect
	}
	if err := open(ctx); err != nil {
		return reply{}, err
	}
	began := time.Now()
	r, err := a.send(ctx, c)
	a.recordDuration(reach.EvidenceHTTPTime, began)
	switch {
	case isAlert(err):
		return reply{}, a.fail(&a.layers.TLS, reach.TLSFailure, err)
	case err != nil:
		return reply{}, a.fail(&a.layers.HTTP, mapProtocolError(err, reach.Malformed), err)
	}
	a.layers.HTTP = reach.LayerOK
	a.record(reach.EvidenceStatus, r.line)
	if err := a.checkIntermediary(r); err != nil {
		return r, err
	}
	a.compareClocks(r.header)
	return r, nil
}

func (a client) checkIntermediary(r reply) error {
	switch r.status {
	case http.StatusProxyAuthRequired:
		return a.fail(&a.layers.HTTP, reach.ProxyAuth, errors.New("the proxy wants to know who we are"))
	case http.StatusNetworkAuthenticationRequired:
		return a.fail(&a.layers.HTTP, reach.Captive, errors.New("the network wants somebody to log in"))
	}
	return nil
}

func (a client) compareClocks(header http.Header) {
	server, told := parseServerTime(header)
	if !told {
		return
	}
	skew := a.deps.Now().Sub(server)
	a.recordSkew(skew)
	if isSkewed(skew) {
		a.degrade(reach.ClockSkew)
	}
}

// The connection is of no use afterwards.
func (a client) send(ctx context.Context, c call) (reply, error) {
	defer a.limit(ctx, a.deps.Limits.HTTP)()
	request, err := a.newRequest(ctx, c)
	if err != nil {
		return reply{}, err
	}
	write := request.Write
	if a.relay != nil {
		write = request.WriteProxy
	}
	// A server may answer and close before it has read everything, so its answer takes precedence over a failure to
	// write.
	failed := write(a.conn)
	r, err := receiveReply(a.conn, request, c.limit)
	if err != nil && failed != nil && !isTimeout(err) {
		err = failed
	}
	return r, err
}

func (a client) newRequest(ctx context.Context, c call) (*http.Request, error) {
	method := c.method
	if method == "" {
		method = http.MethodGet
	}
	request, err := http.NewRequestWithContext(ctx, method, c.url.String(), nil)
	if err != nil {
		return nil, err
	}
	if c.header != nil {
		request.Header = c.header.Clone()
	}
	request.URL.User = nil
	request.Host = formatHostHeader(c.url)
	request.Close = true
	request.Header.Set("User-Agent", "exoshift")
	if a.relay != nil && a.relay.User != nil {
		request.Header.Set("Proxy-Authorization", network.FormatProxyAuthorization(a.relay))
	}
	return request, nil
}

// The default port is left out, as servers expect it.
func formatHostHeader(u *url.URL) string {
	usual := webPorts[u.Scheme]
	if u.Port() == usual {
		return strings.TrimSuffix(u.Host, ":"+usual)
	}
	return u.Host
}

// Header and body are bounded, whatever the server sends.
func receiveReply(conn io.Reader, request *http.Request, limit int64) (reply, error) {
	bounded := &io.LimitedReader{R: conn, N: maxHeader}
	reader := bufio.NewReader(bounded)
	response, err := readResponse(reader, request)
	if err != nil {
		if bounded.N <= 0 {
			err = errors.New("the header of the answer has no end")
		}
		return reply{}, err
	}
	defer response.Body.Close()
	if limit == 0 {
		limit = maxPage
	}
	bounded.N = 4*limit + maxHeader // chunked encoding takes more than its content
	r := reply{status: response.StatusCode, line: response.Status, header: response.Header}
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	r.whole, r.broken = err == nil && int64(len(body)) <= limit, err
	r.body = body[:min(int64(len(body)), limit)]
	return r, nil
}

// Informational answers (1xx) share the limit of the final one.
func readResponse(reader *bufio.Reader, request *http.Request) (*http.Response, error) {
	for {
		response, err := http.ReadResponse(reader, request)
		if err != nil || response.StatusCode >= 200 {
			return response, err
		}
	}
}
