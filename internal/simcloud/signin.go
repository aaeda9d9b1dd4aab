package simcloud

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"strconv"
	"strings"
	"syscall"

	"golang.org/x/net/html"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/fabric"
)

const (
	// maxPages limits the forms of one sign-in.
	maxPages = 5
	maxPage  = 1 << 20
)

// OperatorHost is the machine that the zone is used from.
type OperatorHost struct {
	client  *fabric.Host
	network func() network.Network // of the machine
	syn     *ProjectSyn
}

// Listen opens a port of the operator's machine. Only SignIn reaches it, as a browser there would.
func (o *OperatorHost) Listen(port int) (net.Listener, error) { return o.client.Listen(port) }

// SignIn completes a sign-in as a browser would: it opens the link, submits the forms, and follows the redirects, also to ports
// of its own machine: those that Listen opened, else those of loopback.
func (o *OperatorHost) SignIn(ctx context.Context, link string) error {
	jar, err := cookiejar.New(nil)
	if err != nil {
		return err
	}
	client := &http.Client{Jar: jar, Transport: o.newTransport()}
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, link, nil)
	for range maxPages {
		if err != nil {
			return fmt.Errorf("open the page: %w", err)
		}
		var shown *page
		if shown, err = visit(client, request); err != nil {
			return err
		}
		if shown.form == nil {
			return nil
		}
		request, err = shown.submit(ctx, o.buildFormValues())
	}
	return errors.New("too many redirects while signing in")
}

func (o *OperatorHost) buildFormValues() map[string]string {
	part, err := o.syn.open()
	if err != nil {
		return nil
	}
	name, password := part.syn.SignOn.Account()
	return map[string]string{"username": name, "password": password}
}

func (o *OperatorHost) newTransport() *http.Transport {
	transport := o.network().NewTransport()
	world, proxy := transport.DialContext, transport.Proxy
	transport.DialContext = func(ctx context.Context, proto, address string) (net.Conn, error) {
		host, port, err := net.SplitHostPort(address)
		if err != nil || !isLoopback(host) {
			return world(ctx, proto, address)
		}
		return o.dial(ctx, port)
	}
	transport.Proxy = func(r *http.Request) (*url.URL, error) {
		if proxy == nil || isLoopback(r.URL.Hostname()) {
			return nil, nil
		}
		return proxy(r)
	}
	return transport
}

// dial connects to a port of the operator's machine: the simulated one, or else the one this process runs on.
func (o *OperatorHost) dial(ctx context.Context, port string) (net.Conn, error) {
	conn, err := o.client.Dial(ctx, "tcp", net.JoinHostPort(clientAddress, port))
	if errors.Is(err, syscall.ECONNREFUSED) {
		var dialer net.Dialer
		return dialer.DialContext(ctx, "tcp", net.JoinHostPort("127.0.0.1", port))
	}
	return conn, err
}

func isLoopback(host string) bool {
	return host == "localhost" || net.ParseIP(host).IsLoopback()
}

type page struct {
	at   *url.URL
	form *html.Node // nil: nothing to submit
}

func visit(client *http.Client, request *http.Request) (*page, error) {
	response, err := client.Do(request)
	if err != nil {
		return nil, fmt.Errorf("open the page: %w", err)
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(io.LimitReader(response.Body, maxPage))
	if err != nil {
		return nil, fmt.Errorf("read the page: %w", err)
	}
	if response.StatusCode >= http.StatusBadRequest {
		return nil, fmt.Errorf("the page at %s returned status %s: %s", response.Request.URL.Host, strconv.Itoa(response.StatusCode), content)
	}
	shown := &page{at: response.Request.URL}
	document, err := html.Parse(strings.NewReader(string(content)))
	if err != nil {
		return nil, fmt.Errorf("read the page: %w", err)
	}
	for node := range document.Descendants() {
		if node.Type == html.ElementNode && node.Data == "form" {
			shown.form = node
			break
		}
	}
	return shown, nil
}

// submit keeps the values of fields that have one.
func (p *page) submit(ctx context.Context, answers map[string]string) (*http.Request, error) {
	values := url.Values{}
	for node := range p.form.Descendants() {
		name := getAttribute(node, "name")
		if node.Type != html.ElementNode || node.Data != "input" || name == "" {
			continue
		}
		value := getAttribute(node, "value")
		if value == "" {
			value = answers[name]
		}
		values.Set(name, value)
	}
	target, err := p.at.Parse(getAttribute(p.form, "action"))
	if err != nil {
		return nil, err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, target.String(), strings.NewReader(values.Encode()))
	if err != nil {
		return nil, err
	}
	request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	return request, nil
}

func getAttribute(node *html.Node, key string) string {
	for _, a := range node.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}
