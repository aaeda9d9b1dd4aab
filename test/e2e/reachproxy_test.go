package e2e

import (
	"net/http"
	"strings"
	"testing"

	"exoshift/wizard/reach"
)

// Forward proxies as Debian has them.
const (
	squid     = "/usr/sbin/squid"
	tinyproxy = "/usr/bin/tinyproxy"
)

// gatekeeper takes the password of the proxies, in the protocol of squid's helpers.
const gatekeeper = "#!/bin/sh\nwhile read -r user password; do\n[ \"$user $password\" = \"nodes s3cret\" ] && echo OK || echo ERR\ndone\n"

// runSquid runs a forward proxy, and says on top of the usual who may do what.
func (l *lab) runSquid(name, rules string) {
	l.t.Helper()
	needUsers(l.t, squid)
	address := l.at(name, "3128")
	if !strings.Contains(rules, "_port ") {
		rules += "\nhttp_port " + address
	}
	config := "pid_filename none\naccess_log none\ncache_log stdio:/dev/stderr\ncache deny all\nshutdown_lifetime 1 second\n" +
		"dns_nameservers " + nameServer + "\nvisible_hostname " + name + "\nnetdb_filename none\n" + rules + "\n"
	daemon(l.t, open(address), squid, "-N", "-f", l.write("squid.conf", config))
}

func (l *lab) runTinyproxy(name, rules string) {
	l.t.Helper()
	host, _, _ := strings.Cut(l.at(name, "8888"), ":")
	config := "Port 8888\nListen " + host + "\nTimeout 60\nMaxClients 50\n" + rules + "\n"
	daemon(l.t, open(l.at(name, "8888")), tinyproxy, "-d", "-c", l.write("tinyproxy.conf", config))
}

func proxied(url string) reach.Task { return reach.Task{Proxy: &reach.Proxy{HTTP: url, HTTPS: url}} }

// proxiedLab has services that only the proxies reach, and no firewall lets through from elsewhere.
func proxiedLab(t *testing.T) (*lab, bool) {
	t.Helper()
	l, ok := newLab(t, "good.example.net A 203.0.113.10", "denied.example.net A 203.0.113.11", "gone.example.net A 203.0.113.12",
		"proxy.example.net A 203.0.113.20", "strict.example.net A 203.0.113.21", "tiny.example.net A 203.0.113.22", "shut.example.net A 203.0.113.23")
	if !ok {
		return nil, false
	}
	for _, name := range []string{"good.example.net", "denied.example.net"} {
		l.web(name, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("hello")) }))
	}
	l.serveAt(l.at("good.example.net", "80"), http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write([]byte("hello")) }))
	return l, true
}

func TestCheck_SquidAndTarget(t *testing.T) {
	l, ok := proxiedLab(t)
	if !ok {
		return
	}
	l.runSquid("proxy.example.net", "acl denied dstdomain denied.example.net\nhttp_access deny denied\nacl web port 80 443 444\nhttp_access deny !web\nhttp_access allow all")
	l.askAs(proxied("http://proxy.example.net:3128"), limits(), map[string]asked{
		"good":            {url: "https://good.example.net/", want: "ok - -+++", seen: "proxy=proxy.example.net:3128;status=200"},
		"plain":           {url: "http://good.example.net/", want: "ok - -+-+"},
		"not let through": {url: "https://denied.example.net/", want: "fail proxy-refused -x--", seen: "proxy=proxy.example.net:3128"},
		"refused behind":  {url: "https://good.example.net:444/", want: "fail proxy-refused -x--"},
		"unknown behind":  {url: "https://nobody.example.net/", want: "fail proxy-refused -x--"},
		"another port":    {url: "tls://good.example.net:8443", want: "fail proxy-refused -x--"},
		"let through":     {url: "proxy://proxy.example.net:3128/good.example.net:443", want: "ok - ++-+"},
		"refuses":         {url: "proxy://proxy.example.net:3128/denied.example.net:443", want: "fail proxy-refused ++-x"},
	})
}

func TestCheck_SquidWithPassword(t *testing.T) {
	l, ok := proxiedLab(t)
	if !ok {
		return
	}
	l.runSquid("strict.example.net", "auth_param basic program "+l.write("gatekeeper", gatekeeper)+"\nauth_param basic realm lab\nacl known proxy_auth REQUIRED\nhttp_access allow known\nhttp_access deny all")
	l.askAs(proxied("http://strict.example.net:3128"), limits(), map[string]asked{
		"nobody":       {url: "https://good.example.net/", want: "fail proxy-auth -x--", seen: "proxy=strict.example.net:3128"},
		"nobody plain": {url: "http://good.example.net/", want: "fail proxy-auth -+-x"},
	})
	l.askAs(proxied("http://nodes:wrong@strict.example.net:3128"), limits(), map[string]asked{
		"wrong password": {url: "https://good.example.net/", want: "fail proxy-password -x--"},
	})
	l.askAs(proxied("http://nodes:s3cret@strict.example.net:3128"), limits(), map[string]asked{
		"password":       {url: "https://good.example.net/", want: "ok - -+++", seen: "proxy=strict.example.net:3128"},
		"password plain": {url: "http://good.example.net/", want: "ok - -+-+"},
	})
}

func TestCheck_Tinyproxy(t *testing.T) {
	l, ok := proxiedLab(t)
	if !ok {
		return
	}
	l.runTinyproxy("tiny.example.net", "ConnectPort 443\nFilterURLs Off\nFilterType fnmatch\nFilter \""+l.write("filter", "denied.example.net\n")+"\"")
	l.askAs(proxied("http://tiny.example.net:8888"), limits(), map[string]asked{
		"good":            {url: "https://good.example.net/", want: "ok - -+++", seen: "proxy=tiny.example.net:8888"},
		"not let through": {url: "https://denied.example.net/", want: "fail proxy-refused -x--"},
		"another port":    {url: "tls://good.example.net:8443", want: "fail proxy-refused -x--"},
	})
}

func TestCheck_MissingProxy(t *testing.T) {
	l, ok := proxiedLab(t)
	if !ok {
		return
	}
	l.firewall("ip daddr 203.0.113.23 drop")
	l.askAs(proxied("http://good.example.net:3128"), limits(), map[string]asked{
		"refused": {url: "https://good.example.net/", want: "fail proxy-port -x--", seen: "proxy=good.example.net:3128"},
	})
	l.askAs(proxied("http://shut.example.net:3128"), limits(), map[string]asked{
		"dropped": {url: "https://good.example.net/", want: "fail proxy-timeout -x--"},
	})
	l.askAs(proxied("http://nobody.example.net:3128"), limits(), map[string]asked{
		"unknown": {url: "https://good.example.net/", want: "fail proxy-unresolved -x--"},
	})
	l.askAs(reach.Task{Proxy: &reach.Proxy{HTTPS: "http://shut.example.net:3128", NoProxy: ".example.net"}}, limits(), map[string]asked{
		"excepted": {url: "https://good.example.net/", want: "ok - ++++"},
	})
}

// A transparent interceptor, as companies have them: nobody asks for it, and it signs for every site by itself.
func TestCheck_InterceptorIssuer(t *testing.T) {
	l, ok := proxiedLab(t)
	if !ok {
		return
	}
	corporate := authority(t, "Corp Proxy CA")
	l.intercept("proxy.example.net", together(t, corporate))
	l.ask(map[string]asked{
		"web":      {url: "https://good.example.net/", want: "fail tls-untrusted-issuer ++x-", seen: "issuer=CN=Corp Proxy CA"},
		"registry": {url: "registry://good.example.net", want: "fail tls-untrusted-issuer ++x-", seen: "issuer=CN=Corp Proxy CA"},
		"plain":    {url: "http://good.example.net/", want: "ok - ++-+"},
	})
	trusting := reach.Task{Authorities: string(l.authority.CertPEM()) + string(corporate.CertPEM())}
	l.askAs(trusting, limits(), map[string]asked{
		"trusted": {url: "https://good.example.net/", want: "ok - ++++", seen: "issuer=CN=Corp Proxy CA"},
	})
}

// intercept turns everything to port 443 to a squid that opens TLS; what it sends itself is marked.
func (l *lab) intercept(name, identity string) {
	l.t.Helper()
	certificates := "/run/certificates"
	l.run("/usr/lib/squid/security_file_certgen", "-c", "-s", certificates, "-M", "4MB")
	l.run("/bin/chmod", "-R", "777", certificates)
	key := l.write("corporate.pem", identity)
	l.runSquid(name, strings.Join([]string{
		"http_port " + l.at(name, "3128"),
		"https_port " + l.at(name, "3129") + " intercept ssl-bump cert=" + key + " generate-host-certificates=on dynamic_cert_mem_cache_size=4MB",
		"sslcrtd_program /usr/lib/squid/security_file_certgen -s " + certificates + " -M 4MB",
		"sslcrtd_children 2", "tls_outgoing_options cafile=" + l.write("ca.pem", string(l.authority.CertPEM())),
		"ssl_bump bump all", "tcp_outgoing_mark 0x1 all", "http_access allow all",
	}, "\n"))
	l.nft("add table ip lab\nadd chain ip lab out { type nat hook output priority -100; }\n" +
		"add rule ip lab out meta mark != 0x1 tcp dport 443 dnat to " + l.at(name, "3129") + "\n")
}
