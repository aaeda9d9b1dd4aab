package fabric

import (
	"net"
	"net/netip"
	"testing"
)

func TestIsRedialable_SameListenerOnly(t *testing.T) {
	elastic, other := address("198.19.0.1"), address("198.18.0.3")
	for name, test := range map[string]struct {
		change func(lab *redialLab)
		want   bool
	}{
		"nothing changed":        {change: func(*redialLab) {}, want: true},
		"the rule is gone":       {change: func(lab *redialLab) { lab.refused = true }},
		"the route is gone":      {change: func(lab *redialLab) { lab.holder = netip.Addr{} }},
		"another host holds it":  {change: func(lab *redialLab) { lab.holder = other }},
		"the listener is closed": {change: func(lab *redialLab) { _ = lab.listener.Close() }},
		"the listener is new": {change: func(lab *redialLab) {
			_ = lab.listener.Close()
			listen(t, lab.server, 6443)
		}},
		"the host is gone": {change: func(lab *redialLab) { lab.server.Close() }},
	} {
		t.Run(name, func(t *testing.T) {
			lab := &redialLab{holder: address("198.18.0.2")}
			var client *Host
			client, lab.server = pair(t, Config{
				Allows: func(_, _ netip.Addr, _ string, _ int) bool { return !lab.refused },
				Translate: func(from netip.Addr, to netip.AddrPort, _ string) (target netip.AddrPort, source netip.Addr, ok bool) {
					return netip.AddrPortFrom(lab.holder, to.Port()), from, to.Addr() == elastic && lab.holder.IsValid()
				},
			})
			second, err := client.fabric.AddHost(other)
			if err != nil {
				t.Fatal(err)
			}
			listen(t, second, 6443)
			lab.listener = listen(t, lab.server, 6443)
			c, err := client.Dial(t.Context(), "tcp", "198.19.0.1:6443")
			if err != nil {
				t.Fatal(err)
			}
			test.change(lab)
			if got := IsRedialable(c); got != test.want {
				t.Errorf("IsRedialable = %v, want %v", got, test.want)
			}
		})
	}
}

func TestIsRedialable_OtherConnections(t *testing.T) {
	client, server := pair(t, Config{})
	l := listen(t, server, 6443)
	if _, err := client.Dial(t.Context(), "tcp", "198.18.0.2:6443"); err != nil {
		t.Fatal(err)
	}
	accepted, err := l.Accept()
	if err != nil {
		t.Fatal(err)
	}
	foreign, _ := net.Pipe()
	for name, c := range map[string]net.Conn{"accepted": accepted, "of another network": foreign, "none": nil} {
		if IsRedialable(c) {
			t.Errorf("a connection that is %s is redialable", name)
		}
	}
}

// redialLab is what may change after a connection to the elastic IP was made.
type redialLab struct {
	refused  bool
	holder   netip.Addr
	server   *Host
	listener net.Listener
}
