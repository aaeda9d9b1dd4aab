package haproxy

import (
	"context"
	"errors"
	"fmt"
	"net"
	"net/netip"
)

// exchange is a connection of a health check that consists of several, with its request.
type exchange struct {
	port      int // 0: the server's
	sendProxy bool
	request   httpCheck
}

// parseConnect parses the arguments of "http-check connect"; the requests that follow belong to it.
func (c *httpCheck) parseConnect(args []string) error {
	opened := exchange{request: httpCheck{method: c.method, uri: c.uri, version: c.version, minStatus: c.minStatus, maxStatus: c.maxStatus}}
	for len(args) > 0 {
		switch {
		case args[0] == "send-proxy":
			opened.sendProxy = true
			args = args[1:]
		case args[0] == "port" && len(args) > 1:
			if err := parseNumber(&opened.port, args[1], 1, 65535); err != nil {
				return err
			}
			args = args[2:]
		default:
			return fmt.Errorf("'http-check connect' : unknown argument '%s'", args[0])
		}
	}
	if !c.enabled {
		return errors.New("'http-check connect' needs 'option httpchk'")
	}
	c.sequence = append(c.sequence[:len(c.sequence):len(c.sequence)], opened)
	return nil
}

// current returns what the next request or expectation belongs to.
func (c *httpCheck) current() *httpCheck {
	if len(c.sequence) == 0 {
		return c
	}
	return &c.sequence[len(c.sequence)-1].request
}

// runSequence returns why the server is not healthy.
func (p *probe) runSequence(ctx context.Context, address netip.Addr) error {
	for _, e := range p.check.sequence {
		if err := p.runExchange(ctx, address, e); err != nil {
			return err
		}
	}
	return nil
}

func (p *probe) runExchange(ctx context.Context, address netip.Addr, e exchange) error {
	port := p.port
	if e.port != 0 {
		port = e.port
	}
	c, err := p.network.Dial(ctx, "tcp", netip.AddrPortFrom(address, uint16(port)).String())
	if err != nil {
		return fmt.Errorf("layer 4 connection problem: %w", err)
	}
	defer func() { _ = c.Close() }()
	defer context.AfterFunc(ctx, func() { _ = c.Close() })()
	if e.sendProxy {
		if err := p.sendHeader(c); err != nil {
			return err
		}
	}
	_, err = e.request.sendRequest(newCheckConn(c))
	return err
}

func (p *probe) sendHeader(c net.Conn) error {
	_, err := c.Write(buildProxyHeader(max(p.options.proxyProtocol, 1), c.LocalAddr(), c.RemoteAddr()))
	return err
}
