package connection

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
	// MaxPage is how much of a body is read by default, in bytes.
	MaxPage = 64 << 10
)

// Call is a GET request.
type Call struct {
	URL    *url.URL
	Header http.Header // may be nil; Authorization never goes to another host
	Limit  int64       // how much of the body is read; 0: MaxPage
}

// Reply is an answer, as far as it was read.
type Reply struct {
	Status int
	Line   string // e.g. "403 Forbidden"
	Header http.Header
	Body   []byte // as far as it was read
	whole  bool   // there is no more of it
	Broken error  // why it ended before its end and before the limit
}

// Client speaks HTTP in an attempt. A redirect, and every further call, is an attempt of its own.
type Client struct{ *Attempt }

// Next returns a client for another call of the same probe. Only https and http are supported.
func (a Client) Next(resource *url.URL) (Client, error) {
	if resource.Scheme != "https" && resource.Scheme != "http" {
		return Client{}, a.Fail(&a.Layers.HTTP, reach.Unexpected, errors.New("it redirects to an invalid URL"))
	}
	to, err := newTarget(resource, getWebPort)
	if err != nil {
		return Client{}, a.Fail(&a.Layers.HTTP, reach.Malformed, err)
	}
	return Client{nextAttempt(a.Deps, a.Check, to, a.state)}, nil
}

func getWebPort(scheme string) (port string, known bool) {
	port, known = webPorts[scheme]
	return port, known
}

var webPorts = map[string]string{"http": "80", "https": "443"} //nolint:gochecknoglobals // a table that nothing changes

// Get uses TLS unless the URL has the scheme http. It fails without an answer, or on a status that only intermediaries
// send; the caller checks the answer.
func (a Client) Get(ctx context.Context, c Call) (Reply, error) {
	open := a.Handshake
	if c.URL.Scheme == "http" {
		open = a.Connect
	}
	if err := open(ctx); err != nil {
		return Reply{}, err
	}
	began := time.Now()
	r, err := a.send(ctx, c)
	a.RecordDuration(reach.EvidenceHTTPTime, began)
	switch {
	case isAlert(err):
		return Reply{}, a.Fail(&a.Layers.TLS, reach.TLSFailure, err)
	case err != nil:
		return Reply{}, a.Fail(&a.Layers.HTTP, MapProtocolError(err, reach.Malformed), err)
	}
	a.Layers.HTTP = reach.LayerOK
	a.Record(reach.EvidenceStatus, r.Line)
	if err := a.checkIntermediary(r); err != nil {
		return r, err
	}
	a.compareClocks(r.Header)
	return r, nil
}

func (a Client) checkIntermediary(r Reply) error {
	switch r.Status {
	case http.StatusProxyAuthRequired:
		return a.Fail(&a.Layers.HTTP, reach.ProxyAuth, errors.New("the proxy requires authentication"))
	case http.StatusNetworkAuthenticationRequired:
		return a.Fail(&a.Layers.HTTP, reach.Captive, errors.New("the network requires a login"))
	}
	return nil
}

func (a Client) compareClocks(header http.Header) {
	server, known := parseServerTime(header)
	if !known {
		return
	}
	skew := a.Deps.Now().Sub(server)
	a.recordSkew(skew)
	if isSkewed(skew) {
		a.Degrade(reach.ClockSkew)
	}
}

// The connection is of no use afterwards.
func (a Client) send(ctx context.Context, c Call) (Reply, error) {
	defer a.Limit(ctx, a.Deps.Limits.HTTP)()
	request, err := a.newRequest(ctx, c)
	if err != nil {
		return Reply{}, err
	}
	write := request.Write
	if a.relay != nil {
		write = request.WriteProxy
	}
	// A server may answer and close before it has read everything, so its answer takes precedence over a failure to
	// write.
	failed := write(a.Conn)
	r, err := receiveReply(a.Conn, request, c.Limit)
	if err != nil && failed != nil && !IsTimeout(err) {
		err = failed
	}
	return r, err
}

func (a Client) newRequest(ctx context.Context, c Call) (*http.Request, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, c.URL.String(), nil)
	if err != nil {
		return nil, err
	}
	if c.Header != nil {
		request.Header = c.Header.Clone()
	}
	request.URL.User = nil
	request.Host = formatHostHeader(c.URL)
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
func receiveReply(conn io.Reader, request *http.Request, limit int64) (Reply, error) {
	bounded := &io.LimitedReader{R: conn, N: maxHeader}
	reader := bufio.NewReader(bounded)
	response, err := readResponse(reader, request)
	if err != nil {
		if bounded.N <= 0 {
			err = errors.New("the response header is too large")
		}
		return Reply{}, err
	}
	defer func() {
		bounded.N = 0 // to close it is to read it to its end
		_ = response.Body.Close()
	}()
	if limit == 0 {
		limit = MaxPage
	}
	bounded.N = 4*limit + maxHeader // chunked encoding takes more than its content
	r := Reply{Status: response.StatusCode, Line: response.Status, Header: response.Header}
	body, err := io.ReadAll(io.LimitReader(response.Body, limit+1))
	r.whole, r.Broken = err == nil && int64(len(body)) <= limit, err
	r.Body = body[:min(int64(len(body)), limit)]
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
