package network

import (
	"context"
	"errors"
	"net"
	"net/url"
)

// Connect opens a TCP connection to "host:port": through the proxy that applies to https://host:port, or directly if there is
// none or it refuses. A proxy resolves the name itself.
func (n Network) Connect(ctx context.Context, address string) (net.Conn, error) {
	proxy, applies := n.findProxy(&url.URL{Scheme: "https", Host: address, Path: "/"})
	if !applies {
		return n.Dial(ctx, "tcp", address)
	}
	conn, refused := n.ConnectThrough(ctx, proxy, address)
	if refused == nil || ctx.Err() != nil {
		return conn, refused
	}
	conn, err := n.Dial(ctx, "tcp", address)
	if err != nil {
		return nil, errors.Join(refused, err)
	}
	return conn, nil
}
