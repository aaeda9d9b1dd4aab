package e2e

import "testing"

func TestCheck_FirewallBehaviour(t *testing.T) {
	l, ok := newLab(t,
		"open.example.net A 203.0.113.10", "closed.example.net A 203.0.113.11", "dropped.example.net A 203.0.113.12",
		"reset.example.net A 203.0.113.13", "prohibited.example.net A 203.0.113.14", "unreachable.example.net A 203.0.113.15",
		"nowhere.example.net A 198.51.100.99")
	if !ok {
		return
	}
	l.firewall(
		"meta l4proto tcp ip daddr 203.0.113.12 drop",
		"ip daddr 203.0.113.13 tcp dport 9000 reject with tcp reset",
		"meta l4proto tcp ip daddr 203.0.113.14 reject with icmp admin-prohibited",
		"meta l4proto tcp ip daddr 203.0.113.15 reject with icmp port-unreachable")
	l.echo("open.example.net", "9000")
	l.ask(map[string]asked{
		"open":        {url: "tcp://open.example.net:9000", want: "ok - ++--", seen: "address=203.0.113.10"},
		"closed":      {url: "tcp://closed.example.net:9000", want: "fail tcp-refused +x--", seen: "error=refused"},
		"dropped":     {url: "tcp://dropped.example.net:9000", want: "fail tcp-timeout +x--"},
		"reset":       {url: "tcp://reset.example.net:9000", want: "fail tcp-refused +x--"},
		"prohibited":  {url: "tcp://prohibited.example.net:9000", want: "fail prohibited +x--"},
		"unreachable": {url: "tcp://unreachable.example.net:9000", want: "fail tcp-refused +x--"},
		"nowhere":     {url: "tcp://nowhere.example.net:9000", want: "fail no-route +x--"},
	})
}

func TestCheck_LocalFirewall(t *testing.T) {
	l, ok := newLab(t, "udp.example.net A 203.0.113.10", "tcp.example.net A 203.0.113.11")
	if !ok {
		return
	}
	l.nft("add table inet own\nadd chain inet own out { type filter hook output priority 0; }\n" +
		"add rule inet own out meta l4proto udp ip daddr 203.0.113.10 drop\n" +
		"add rule inet own out meta l4proto tcp ip daddr 203.0.113.11 drop\n")
	l.ask(map[string]asked{
		"UDP": {url: "ntp://udp.example.net", want: "fail prohibited +x--", seen: "error=not permitted"},
		"TCP": {url: "tcp://tcp.example.net:9000", want: "fail tcp-timeout +x--"},
	})
}
