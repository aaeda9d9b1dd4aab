package e2e

import (
	"fmt"
	"net"
	"net/http"
	"strings"
	"testing"

	"exoshift/wizard/reach"
)

// pebbleProgram returns the path of a certificate authority that speaks ACME; see builtProgram.
func pebbleProgram(t *testing.T) string {
	t.Helper()
	return builtProgram(t, "pebble", "github.com/letsencrypt/pebble/v2", "github.com/letsencrypt/pebble/v2/cmd/pebble")
}

func (l *lab) runPebble(program, name string) {
	l.t.Helper()
	identity := l.certified(name)
	config := fmt.Sprintf(`{"pebble": {"listenAddress": %q, "managementListenAddress": "127.0.0.1:15000", "certificate": %q, "privateKey": %q,
		"httpPort": 5002, "tlsPort": 5001, "profiles": {"default": {"description": "as usual", "validityPeriod": 7776000}}}}`, l.at(name, "443"), identity, identity)
	daemon(l.t, open(l.at(name, "443")), program, "-config", l.write("pebble.json", config))
}

func TestCheck_ObjectStorageAndACME(t *testing.T) {
	storage, pebble := storageProgram(t), pebbleProgram(t)
	l, ok := newLab(t, bucketServer+" A 203.0.113.10", "acme.example.net A 203.0.113.11")
	if !ok {
		return
	}
	l.runStorage(storage)
	l.runPebble(pebble, "acme.example.net")
	l.ask(map[string]asked{
		"storage":               {url: "s3://" + bucketServer, want: "ok - ++++", seen: "status=403"},
		"authority":             {url: "acme://acme.example.net/dir", want: "ok - ++++", seen: "status=200"},
		"storage, no authority": {url: "acme://" + bucketServer, want: "fail http-unexpected +++x"},
		"authority, no storage": {url: "s3://acme.example.net", want: "fail http-unexpected +++x"},
		"authority, no graph":   {url: "graph://acme.example.net", want: "fail http-unexpected +++x"},
		"storage, no registry":  {url: "registry://" + bucketServer, want: "fail http-unexpected +++x"},
		"storage, no Vault":     {url: "vault://" + bucketServer, want: "fail http-unexpected +++x"},
	})
}

// answering gives answers by their paths, "status body", and 404 to everything else.
func answering(answers map[string]string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		answer, known := answers[r.URL.Path]
		if !known {
			http.NotFound(w, r)
			return
		}
		status := http.StatusOK
		scan(answer, &status)
		_, body, _ := strings.Cut(answer, " ")
		w.Header().Set("Content-Type", "application/json")
		w.WriteHeader(status)
		_, _ = w.Write([]byte(body))
	})
}

// No Vault can be built of published modules, so these are answers as its documentation has them.
func TestCheck_SelfDescribingServices(t *testing.T) {
	l, ok := newLab(t, "active.example.net A 203.0.113.10", "standby.example.net A 203.0.113.11", "sealed.example.net A 203.0.113.12",
		"lieutenant.example.net A 203.0.113.13", "sso.example.net A 203.0.113.14", "graph.example.net A 203.0.113.15")
	if !ok {
		return
	}
	const health = `{"initialized":true,"sealed":%t,"standby":%t,"version":"1.15.0"}`
	for name, answers := range map[string]map[string]string{
		"active.example.net":     {"/v1/sys/health": "200 " + fmt.Sprintf(health, false, false)},
		"standby.example.net":    {"/v1/sys/health": "429 " + fmt.Sprintf(health, false, true)},
		"sealed.example.net":     {"/v1/sys/health": "503 " + fmt.Sprintf(health, true, true)},
		"lieutenant.example.net": {"/healthz": "200 ok", "/": `200 {"oidc":{"clientId":"lieutenant","discoveryUrl":"https://sso.example.net/"},"vault":{"address":"https://active.example.net"}}`},
		"sso.example.net":        {"/realms/main/.well-known/openid-configuration": `200 {"issuer":"https://sso.example.net/realms/main"}`, "/realms/other/.well-known/openid-configuration": `200 {"issuer":"https://elsewhere.example.net/realms/other"}`},
		"graph.example.net":      {"/api/upgrades_info/v1/graph": `200 {"nodes":[{"version":"4.20.4"},{"version":"4.20.5"}],"edges":[[0,1]]}`},
	} {
		l.web(name, answering(answers))
	}
	task := reach.Task{Distribution: "ocp", Version: "4.20.5"}
	l.askAs(task, limits(), map[string]asked{
		"active":       {url: "vault://active.example.net", want: "ok - ++++"},
		"standby":      {url: "vault://standby.example.net", want: "ok - ++++"},
		"sealed":       {url: "vault://sealed.example.net", want: "fail http-5xx +++x"},
		"no Vault":     {url: "vault://sso.example.net", want: "fail http-unexpected +++x"},
		"lieutenant":   {url: "lieutenant://lieutenant.example.net", want: "ok - ++++"},
		"issuer":       {url: "oidc://sso.example.net/realms/main", want: "ok - ++++"},
		"other issuer": {url: "oidc://sso.example.net/realms/other", want: "fail http-unexpected +++x"},
		"graph":        {url: "graph://graph.example.net", want: "ok - ++++"},
	})
	task.Version = "4.20.99"
	l.askAs(task, limits(), map[string]asked{"version is missing": {url: "graph://graph.example.net", want: "fail missing +++x"}})
}

func TestCheck_ExposedPort(t *testing.T) {
	l, ok := newLab(t, "open.example.net A 203.0.113.10", "closed.example.net A 203.0.113.11", "dropped.example.net A 203.0.113.12")
	if !ok {
		return
	}
	l.echo("open.example.net", "22623")
	l.firewall("meta l4proto tcp ip daddr 203.0.113.12 drop")
	l.ask(map[string]asked{
		"open":         {url: "closed://open.example.net:22623", want: "fail exposed +x--"},
		"refused":      {url: "closed://closed.example.net:22623", want: "ok - +---"},
		"dropped":      {url: "closed://dropped.example.net:22623", want: "ok - +---"},
		"no such name": {url: "closed://nobody.example.net:22623", want: "ok - ----"},
	})
}

func TestCheck_IPv6IsSeparate(t *testing.T) {
	l, ok := newLab(t, "both.example.net A 203.0.113.10", "both.example.net AAAA 2001:db8::10", "lost.example.net A 203.0.113.11",
		"lost.example.net AAAA 2001:db8::11", "refused.example.net A 203.0.113.12", "refused.example.net AAAA 2001:db8::12",
		"six.example.net AAAA 2001:db8::13", "four.example.net A 203.0.113.14")
	if !ok {
		return
	}
	l.firewall("meta l4proto tcp ip6 daddr 2001:db8::11 drop")
	for _, address := range []string{"203.0.113.10", "2001:db8::10", "203.0.113.11", "2001:db8::11", "203.0.113.12", "2001:db8::13", "203.0.113.14"} {
		listener, err := net.Listen("tcp", net.JoinHostPort(address, "9000"))
		must(t, err)
		l.accept(listener, func(net.Conn) {})
	}
	l.ask(map[string]asked{
		"both":         {url: "tcp://both.example.net:9000", want: "ok - ++--", seen: "ipv4=ok;ipv6=ok"},
		"IPv6 dropped": {url: "tcp://lost.example.net:9000", want: "ok - ++--", seen: "ipv4=ok;ipv6=no answer"},
		"IPv6 refused": {url: "tcp://refused.example.net:9000", want: "ok - ++--", seen: "ipv4=ok;ipv6=refused"},
		"IPv4 only":    {url: "tcp://four.example.net:9000", want: "ok - ++--", seen: "ipv4=ok"},
		"IPv6 only":    {url: "tcp://six.example.net:9000", want: "fail dns-nxdomain x---"},
		"IPv6 address": {url: "tcp://[2001:db8::13]:9000", want: "ok - -+--", seen: "ipv6=ok"},
	})
}
