package probe

import "testing"

func TestProxy_NoUDPAround(t *testing.T) {
	for _, address := range []string{"ntp://" + service, "dns://203.0.113.1:53/example.org"} {
		t.Run(address, func(t *testing.T) {
			inLab(t, func(t *testing.T, l *lab) {
				l.names[service] = []string{"203.0.113.1"}
				l.packets("203.0.113.1:123", func([]byte) []byte { t.Error("a datagram went around the proxy"); return nil })
				l.packets("203.0.113.1:53", func([]byte) []byte { t.Error("a datagram went around the proxy"); return nil })
				l.forward("", func(string) {})
				l.behind("http://" + proxyHost + ":3128")
				found := l.probeURL(address)
				if found.Unknown == "" || found.Class != "" {
					t.Errorf("%+v", found)
				}
			})
		})
	}
}
