package e2e

import "testing"

func TestCheck_NameServerAnswers(t *testing.T) {
	l, ok := newLab(t, "good.example.net A 203.0.113.10", "empty.example.net TXT \"no address\"", "alias.example.net CNAME good.example.net.",
		"dangling.example.net CNAME nobody.example.net.", "circle.example.net CNAME circle.example.net.")
	if !ok {
		return
	}
	l.echo("good.example.net", "9000")
	l.ask(map[string]asked{
		"good":             {url: "tcp://good.example.net:9000", want: "ok - ++--", seen: "addresses=203.0.113.10;resolver=10.0.0.53"},
		"alias":            {url: "tcp://alias.example.net:9000", want: "ok - ++--"},
		"no such name":     {url: "tcp://nobody.example.net:9000", want: "fail dns-nxdomain x---"},
		"no such zone":     {url: "tcp://host.nozone.example:9000", want: "fail dns-nxdomain x---"},
		"no address":       {url: "tcp://empty.example.net:9000", want: "fail dns-nxdomain x---"},
		"alias of nobody":  {url: "tcp://dangling.example.net:9000", want: "fail dns-nxdomain x---"},
		"alias of itself":  {url: "tcp://circle.example.net:9000", want: "fail dns-servfail x---"},
		"nobody serves it": {url: "tcp://host.lame.lab.example:9000", want: "fail dns-servfail x---"},
		"an address":       {url: "tcp://203.0.113.10:9000", want: "ok - -+--"},
		"zone":             {url: "zone://example.net", want: "ok - ++-+"},
		"zone without":     {url: "zone://nozone.example", want: "fail dns-nxdomain x---"},
		"zone of nobody":   {url: "zone://lame.lab.example", want: "fail dns-servfail ++-x"},
		"no resolver":      {url: "dns://" + zoneHost + ":53/good.example.net", want: "fail dns-refused -+-x"},
		"resolver":         {url: "dns://" + nameServer + ":53/good.example.net", want: "ok - -+-+"},
		"no server":        {url: "dns://203.0.113.10:53/good.example.net", want: "fail tcp-refused -x--"},
	})
}

func TestCheck_DroppingResolver(t *testing.T) {
	l, ok := newLab(t, "good.example.net A 203.0.113.10")
	if !ok {
		return
	}
	l.firewall("ip daddr " + nameServer + " meta l4proto { tcp, udp } drop")
	l.ask(map[string]asked{
		"resolver":  {url: "tcp://good.example.net:9000", want: "fail dns-timeout x---", seen: "resolver=" + nameServer},
		"by itself": {url: "dns://" + nameServer + ":53/good.example.net", want: "fail udp-timeout -x--"},
	})
}

func TestCheck_SplitDNS(t *testing.T) {
	l, ok := newLab(t, "inner.example.net A 203.0.113.11", "inside inner.example.net A 10.0.0.77",
		"other.example.net A 203.0.113.12", "inside other.example.net A 203.0.113.99", "same.example.net A 203.0.113.13",
		"inside same.example.net A 203.0.113.13", "inside secret.example.net A 203.0.113.14")
	if !ok {
		return
	}
	l.own("10.0.0.77")
	for _, name := range []string{"inner.example.net", "other.example.net", "same.example.net", "secret.example.net"} {
		l.echo(name, "9000")
	}
	l.ask(map[string]asked{
		"an inner address":      {url: "tcp://inner.example.net:9000", want: "warn dns-split-view ++--", group: "redhat", seen: "addresses=10.0.0.77"},
		"another outer address": {url: "tcp://other.example.net:9000", group: "redhat", want: "ok - ++--"},
		"the same":              {url: "tcp://same.example.net:9000", want: "ok - ++--"},
		"a name of our own":     {url: "tcp://secret.example.net:9000", want: "ok - ++--"},
	})
}
