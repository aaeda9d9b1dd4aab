package command_test

import (
	"strings"
	"testing"

	"exoshift/wizard/reach"
	"exoshift/wizard/reach/command"
)

func TestBuild_Equivalents(t *testing.T) {
	through := map[string]string{reach.EvidenceProxy: "proxy.corp:3128"}
	for _, test := range []struct {
		url      string
		class    reach.Class
		evidence map[string]string
		want     string
	}{
		{"https://id.vshn.net/auth?a=b&c", reach.TCPTimeout, nil, "curl -v -o /dev/null --max-time 20 'https://id.vshn.net/auth?a=b&c'"},
		{"http://a.example.net", reach.Captive, nil, "curl -v -o /dev/null --max-time 20 http://a.example.net"},
		{"https://id.vshn.net", reach.ProxyRefused, through, "curl -v -o /dev/null --max-time 20 -x http://proxy.corp:3128 https://id.vshn.net"},
		{"https://user:secret@id.vshn.net", reach.Geo, nil, "curl -v -o /dev/null --max-time 20 https://id.vshn.net"},
		{"https://quay.io", reach.NXDomain, nil, "dig quay.io"},
		{"https://quay.io", reach.SplitView, nil, "dig +short quay.io; dig +short quay.io @1.1.1.1"},
		{"https://quay.io", reach.Untrusted, nil, "openssl s_client -connect quay.io:443 -servername quay.io </dev/null"},
		{"https://quay.io:8443", reach.Untrusted, through, "openssl s_client -connect quay.io:8443 -servername quay.io -proxy proxy.corp:3128 </dev/null"},
		{"https://quay.io", reach.ClockSkew, nil, "date -u; curl -sI --max-time 20 https://quay.io | grep -i '^date:'"},
		{"registry://quay.io", reach.HTTPTimeout, nil, "curl -v -o /dev/null --max-time 20 https://quay.io/v2/"},
		{"release://quay.io", reach.Refused, map[string]string{reach.EvidenceHost: "cdn03.quay.io"}, "curl -v -o /dev/null --max-time 20 https://cdn03.quay.io/"},
		{"release://quay.io", reach.Untrusted, map[string]string{reach.EvidenceHost: "cdn03.quay.io"},
			"openssl s_client -connect cdn03.quay.io:443 -servername cdn03.quay.io </dev/null"},
		{"acme://acme.example.net/directory", reach.Geo, nil, "curl -v -o /dev/null --max-time 20 https://acme.example.net/directory"},
		{"vault://vault.example.net", reach.ServerError, nil, "curl -v -o /dev/null --max-time 20 https://vault.example.net/v1/sys/health"},
		{"lieutenant://api.example.net", reach.Unexpected, nil, "curl -v -o /dev/null --max-time 20 https://api.example.net/healthz"},
		{"oidc://id.example.net/auth/realms/x", reach.Unexpected, nil,
			"curl -v -o /dev/null --max-time 20 https://id.example.net/auth/realms/x/.well-known/openid-configuration"},
		{"s3://sos-ch-gva-2.exo.io", reach.Unexpected, nil, "curl -v -o /dev/null --max-time 20 https://sos-ch-gva-2.exo.io"},
		{"ssh://git.vshn.net#SHA256:abc", reach.HostKey, nil, "ssh-keyscan -T 5 -p 22 git.vshn.net"},
		{"ntp://1.rhel.pool.ntp.org", reach.ClockSkew, nil, "ntpdate -q 1.rhel.pool.ntp.org"},
		{"dns://1.1.1.1:53/quay.io", reach.DNSTimeout, nil, "dig @1.1.1.1 -p 53 quay.io"},
		{"zone://example.net", reach.NXDomain, nil, "dig +nssearch example.net"},
		{"tcp://10.9.0.5:5000", reach.Refused, nil, "nc -vz -w 5 10.9.0.5 5000"},
		{"tcp://[2001:db8::1]:5000", reach.Refused, through, "nc -vz -w 5 -X connect -x proxy.corp:3128 2001:db8::1 5000"},
		{"closed://api.example.net:22623", reach.Exposed, nil, "nc -vz -w 5 api.example.net 22623"},
		{"tls://master.example.net:8140", reach.Refused, nil, "openssl s_client -connect master.example.net:8140 -servername master.example.net </dev/null"},
		{"proxy://proxy.corp:3128", reach.ProxyRefused, nil, "curl -v -o /dev/null --max-time 20 -x http://proxy.corp:3128 https://quay.io/v2/"},
		{"https://a'$(reboot)/x;y", reach.TCPTimeout, nil, `curl -v -o /dev/null --max-time 20 'https://a'"'"'$(reboot)/x;y'`},
		{"https://-oProxyCommand=x/", reach.TCPTimeout, nil, ""},
		{"::", reach.TCPTimeout, nil, ""},
	} {
		got := command.Build(reach.Check{URL: test.url}, reach.Result{Class: test.class, Verdict: reach.Fail, Evidence: test.evidence})
		if got != test.want {
			t.Errorf("%s, %s\ngot  %s\nwant %s", test.url, test.class, got, test.want)
		}
	}
}

func TestBuild_QuotesServerText(t *testing.T) {
	r := reach.Result{Class: reach.Refused, Evidence: map[string]string{reach.EvidenceHost: "a.example.net;reboot", reach.EvidenceProxy: "p;reboot"}}
	got := command.Build(reach.Check{URL: "https://quay.io"}, r)
	for i, part := range strings.Split(got, "'") {
		if i%2 == 0 && strings.Contains(part, "reboot") { // outside of quotes
			t.Error(got)
		}
	}
}
