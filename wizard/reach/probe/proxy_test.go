package probe

import (
	"bufio"
	"io"
	"net"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"exoshift/wizard/reach"
)

const proxyHost = "proxy.example.net"

// forward starts a forward proxy at 203.0.113.80 that resolves names itself and requires credentials if there are any.
// Asked is called with each request line.
func (l *lab) forward(credentials string, asked func(string)) {
	l.names[proxyHost] = []string{"203.0.113.80"}
	direct := l.network.Dial
	l.accept("203.0.113.80:3128", func(conn net.Conn) {
		reader := bufio.NewReader(conn)
		request, err := http.ReadRequest(reader)
		if err != nil {
			return
		}
		asked(request.Method + " " + request.RequestURI)
		if request.Header.Get("Proxy-Authorization") != credentials {
			_, _ = io.WriteString(conn, "HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n")
			return
		}
		host, port, _ := net.SplitHostPort(request.Host)
		if port == "" {
			host, port = request.Host, "80"
		}
		if len(l.names[host]) == 0 {
			_, _ = io.WriteString(conn, "HTTP/1.1 503 Service Unavailable\r\nContent-Length: 0\r\n\r\n")
			return
		}
		to, err := direct(l.t.Context(), "tcp", net.JoinHostPort(l.names[host][0], port))
		if err != nil {
			_, _ = io.WriteString(conn, "HTTP/1.1 502 Bad Gateway\r\nContent-Length: 0\r\n\r\n")
			return
		}
		defer func() { _ = to.Close() }()
		if request.Method == http.MethodConnect {
			_, _ = io.WriteString(conn, "HTTP/1.1 200 Connection established\r\n\r\n")
		} else {
			_ = request.Write(to)
		}
		l.serving.Go(func() { _, _ = io.Copy(to, reader); _ = to.Close() })
		_, _ = io.Copy(conn, to)
	})
}

// behind makes the proxy the only reachable host.
func (l *lab) behind(proxy string) {
	l.task.Proxy = &reach.Proxy{HTTP: proxy, HTTPS: proxy, NoProxy: "direct.example.net,10.0.0.0/8"}
}

func TestProxy_CarriesEveryProtocol(t *testing.T) {
	const withPassword = "http://me:very-secret@" + proxyHost + ":3128"
	for address, line := range map[string]string{
		"https://" + service:                "CONNECT " + service + ":443",
		"tls://" + service:                  "CONNECT " + service + ":443",
		"tcp://" + service + ":22":          "CONNECT " + service + ":22",
		"http://" + service + "/path?x=y":   "GET http://" + service + "/path?x=y",
		"https://" + service + ":8443/path": "CONNECT " + service + ":8443",
	} {
		t.Run(address, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.site(service, says(200, nil, ""))
				l.web("203.0.113.1:80", nil, says(200, nil, ""))
				l.web("203.0.113.1:8443", l.authority.issue(t, service), says(200, nil, ""))
				l.accept("203.0.113.1:22", idle)
				var asked []string
				l.forward("Basic bWU6dmVyeS1zZWNyZXQ=", func(line string) { asked = append(asked, line) })
				l.behind(withPassword)
				got := l.probeURL(address)
				if !got.IsReached() || got.Layers.DNS != reach.LayerNone || got.Layers.TCP != reach.LayerOK {
					t.Errorf("%q, layers %s, evidence %q", got.Class, strip(got.Layers), got.Evidence)
				}
				if len(asked) != 1 || asked[0] != line {
					t.Errorf("the proxy was asked %q, want %q", asked, line)
				}
				if text := strings.Join(values(got.Evidence), " "); got.Evidence[reach.EvidenceProxy] != proxyHost+":3128" || strings.Contains(text, "secret") {
					t.Errorf("evidence %q", got.Evidence)
				}
			})
		})
	}
}

func TestProxy_Refuses(t *testing.T) {
	for name, test := range map[string]struct {
		proxy  string
		target string
		class  reach.Class
		layers string
		status string
	}{
		"wants to know who we are":             {"http://" + proxyHost + ":3128", "https://" + service, reach.ProxyAuth, "none fail none none", "407 Proxy Authentication Required"},
		"wants to know it of plain HTTP":       {"http://" + proxyHost + ":3128", "http://" + service, reach.ProxyAuth, "none ok none fail", "407 Proxy Authentication Required"},
		"does not take our password":           {"http://me:very-secret@" + proxyHost + ":3128", "https://" + service, reach.ProxyPassword, "none fail none none", "407 Proxy Authentication Required"},
		"does not find the service":            {"http://ok:ok@" + proxyHost + ":3128", "https://missing.example.com", reach.ProxyRefused, "none fail none none", "503 Service Unavailable"},
		"does not reach the service":           {"http://ok:ok@" + proxyHost + ":3128", "https://" + service + ":444", reach.ProxyRefused, "none fail none none", "502 Bad Gateway"},
		"is not there":                         {"http://me:very-secret@" + proxyHost + ":3129", "https://" + service, reach.ProxyPort, "none fail none none", ""},
		"is not known":                         {"http://me:very-secret@gone.example.net:3128", "https://" + service, reach.ProxyUnknown, "none fail none none", ""},
		"speaks something else":                {"http://me:very-secret@203.0.113.81:22", "https://" + service, reach.ProxyPort, "none fail none none", ""},
		"never answers":                        {"http://me:very-secret@203.0.113.82:3128", "https://" + service, reach.ProxySilent, "none fail none none", ""},
		"never comes to an end":                {"http://me:very-secret@203.0.113.83:3128", "https://" + service, reach.ProxyPort, "none fail none none", ""},
		"is of a kind that we do not speak to": {"socks4://me:very-secret@203.0.113.83:3128", "https://" + service, reach.ProxyPort, "none fail none none", ""},
	} {
		t.Run(name, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.site(service, says(200, nil, ""))
				l.web("203.0.113.1:80", nil, says(200, nil, ""))
				l.forward("Basic b2s6b2s=", func(string) {})
				l.accept("203.0.113.81:22", func(c net.Conn) { _, _ = io.WriteString(c, "SSH-2.0-x\r\n"); idle(c) })
				l.accept("203.0.113.82:3128", idle)
				l.accept("203.0.113.83:3128", func(c net.Conn) { flood(c, "HTTP/1.1 200 OK\r\n", "A: b\r\n") })
				l.behind(test.proxy)
				began := time.Now()
				got := l.probeURL(test.target)
				expect(t, got, test.class, test.layers, false)
				text := strings.Join(values(got.Evidence), " ")
				if strings.Contains(text, "very-secret") || got.Evidence[reach.EvidenceProxy] == "" || got.Evidence[reach.EvidenceStatus] != test.status {
					t.Errorf("evidence %q", got.Evidence)
				}
				if took := time.Since(began); took > l.limits.TCP {
					t.Errorf("took %s", took)
				}
			})
		})
	}
}

func TestProxy_ExemptionsAreDirect(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.names["direct.example.net"] = []string{"203.0.113.2"}
		l.web("203.0.113.2:443", l.authority.issue(t, "direct.example.net"), says(200, nil, ""))
		l.accept("10.1.1.1:22", idle)
		l.behind("http://203.0.113.99:3128")
		for _, address := range []string{"https://direct.example.net", "tcp://10.1.1.1:22"} {
			if got := l.probeURL(address); !got.IsReached() || got.Evidence[reach.EvidenceProxy] != "" {
				t.Errorf("%s: %q, evidence %q", address, got.Class, got.Evidence)
			}
		}
	})
}

func TestProxy_TaskOverridesMachine(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.site(service, says(200, nil, ""))
		l.forward("", func(string) {})
		l.network.Proxy = http.ProxyURL(&url.URL{Scheme: "http", Host: proxyHost + ":3128"})
		if got := l.probeURL("https://" + service); !got.IsReached() || got.Evidence[reach.EvidenceProxy] != proxyHost+":3128" {
			t.Errorf("%q, evidence %q", got.Class, got.Evidence)
		}
		l.task.Proxy = &reach.Proxy{}
		if got := l.probeURL("https://" + service); !got.IsReached() || got.Evidence[reach.EvidenceProxy] != "" {
			t.Errorf("%q, evidence %q", got.Class, got.Evidence)
		}
	})
}

func TestProxy_CertificatesAreVerified(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.presenting(newAuthority(t, "Corp Proxy CA").issue(t, service))
		l.forward("", func(string) {})
		l.behind("http://" + proxyHost + ":3128")
		expect(t, l.probeURL("https://"+service), reach.Untrusted, "none ok fail none", false)
	})
}

func TestProxy_RefusesInvalidWithoutPassword(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		for _, text := range []string{"http://me:very-secret@:::", "very-secret", "http://"} {
			_, err := New(l.network, reach.Task{Proxy: &reach.Proxy{HTTPS: text}}, l.limits)
			if err == nil || strings.Contains(err.Error(), "very-secret") {
				t.Errorf("%s: %v", text, err)
			}
		}
	})
}

func TestProxy_ByTLS(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.site(service, says(200, nil, ""))
		l.names[proxyHost] = []string{"203.0.113.80"}
		l.acceptTLS("203.0.113.80:443", l.authority.issue(t, proxyHost), func(conn net.Conn) {
			if _, err := http.ReadRequest(bufio.NewReader(conn)); err == nil {
				_, _ = io.WriteString(conn, "HTTP/1.1 407 Proxy Authentication Required\r\n\r\n")
			}
		})
		l.behind("https://" + proxyHost)
		expect(t, l.probeURL("https://"+service), reach.ProxyAuth, "none fail none none", false)
	})
}
