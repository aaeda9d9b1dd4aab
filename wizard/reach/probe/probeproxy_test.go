package probe

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"testing"

	"exoshift/wizard/reach"
)

// secureForward starts a proxy with TLS that requires the password.
func (l *lab) secureForward() {
	l.names[proxyHost] = []string{"203.0.113.80"}
	l.acceptTLS("203.0.113.80:3128", l.authority.issue(l.t, proxyHost), func(conn net.Conn) {
		request, err := http.ReadRequest(bufio.NewReader(conn))
		if err != nil {
			return
		}
		answer := "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n"
		if request.Header.Get("Proxy-Authorization") == "Basic bWU6dmVyeS1zZWNyZXQ=" {
			answer = "HTTP/1.1 200 Connection established\r\n\r\n"
		}
		_, _ = io.WriteString(conn, answer)
		_, _ = io.Copy(io.Discard, conn)
	})
}

func TestProbe_NodeProxy(t *testing.T) {
	for name, c := range map[string]struct {
		url    string
		class  reach.Class
		layers string
	}{
		"by TLS, with its password":     {"https://me:very-secret@" + proxyHost + ":3128", "", "ok ok none ok"},
		"by TLS, with another password": {"https://me:wrong@" + proxyHost + ":3128", reach.ProxyPassword, "ok ok none fail"},
		"by TLS, without any":           {"https://" + proxyHost + ":3128", reach.ProxyAuth, "ok ok none fail"},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.secureForward()
				l.task.NodesProxy = &reach.Proxy{HTTPS: c.url} // this machine itself has no proxy
				got := l.probeURL("proxy://" + proxyHost + ":3128/quay.io:443")
				expect(t, got, c.class, c.layers, c.class == "")
			})
		})
	}
}
