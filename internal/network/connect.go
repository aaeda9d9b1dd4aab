package network

import (
	"bufio"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/url"
	"time"
)

// Connect opens a TCP connection to "host:port": through the proxy where one applies to https://host:port, and directly
// where there is none or where it does not let us. A proxy resolves the name itself.
func (n Network) Connect(ctx context.Context, address string) (net.Conn, error) {
	proxy, applies := n.throughProxy(&url.URL{Scheme: "https", Host: address, Path: "/"})
	if !applies {
		return n.Dial(ctx, "tcp", address)
	}
	conn, refused := n.tunnel(ctx, proxy, address)
	if refused == nil || ctx.Err() != nil {
		return conn, refused
	}
	conn, err := n.Dial(ctx, "tcp", address)
	if err != nil {
		return nil, errors.Join(refused, err)
	}
	return conn, nil
}

// tunnel asks a proxy for a connection by CONNECT. Its errors never name the proxy's credentials.
func (n Network) tunnel(ctx context.Context, proxy *url.URL, address string) (net.Conn, error) {
	port := proxy.Port()
	if port == "" {
		port = "80"
	}
	conn, err := n.Dial(ctx, "tcp", net.JoinHostPort(proxy.Hostname(), port))
	if err != nil {
		return nil, fmt.Errorf("connect to the proxy %s: %w", proxy.Host, err)
	}
	stop := context.AfterFunc(ctx, func() { _ = conn.Close() })
	through, err := handshake(conn, proxy.User, address)
	if !stop() && err == nil {
		err = ctx.Err()
	}
	if err != nil {
		_ = conn.Close()
		return nil, fmt.Errorf("connect to %s through the proxy %s: %w", address, proxy.Host, err)
	}
	return through, nil
}

func handshake(conn net.Conn, user *url.Userinfo, address string) (net.Conn, error) {
	if err := conn.SetDeadline(time.Now().Add(4 * patience)); err != nil {
		return nil, err
	}
	request := &http.Request{Method: http.MethodConnect, URL: &url.URL{Opaque: address}, Host: address, Header: http.Header{}}
	if user != nil {
		password, _ := user.Password()
		request.Header.Set("Proxy-Authorization",
			"Basic "+base64.StdEncoding.EncodeToString([]byte(user.Username()+":"+password)))
	}
	if err := request.Write(conn); err != nil {
		return nil, err
	}
	reader := bufio.NewReader(conn)
	response, err := http.ReadResponse(reader, request) //nolint:bodyclose // what follows is not a body
	if err != nil {
		return nil, err
	}
	if response.StatusCode/100 != 2 {
		return nil, fmt.Errorf("it answers %s", response.Status)
	}
	return &tunneled{Conn: conn, reader: reader}, conn.SetDeadline(time.Time{})
}

// tunneled is a connection whose first bytes may have come along with the proxy's answer.
type tunneled struct {
	net.Conn
	reader io.Reader
}

func (t *tunneled) Read(b []byte) (int, error) { return t.reader.Read(b) }
