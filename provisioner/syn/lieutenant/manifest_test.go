package lieutenant_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/provisioner/syn/lieutenant"
)

const steward = `{"kind": "List", "apiVersion": "v1", "items": [{"kind": "Namespace", "metadata": {"name": "syn"}},
	{"kind": "Deployment", "apiVersion": "apps/v1", "metadata": {"name": "steward", "namespace": "syn"}}]}`

func (s *server) installURL() string { return s.http.URL + "/install/steward.json?token=" + canary }

func TestFetchInstallManifest_TokenOnly(t *testing.T) {
	s := newServer(t)
	s.next("GET /install/steward.json", 200, steward)
	got, err := lieutenant.New(s.network, s.http.URL+"/", nil).FetchInstallManifest(t.Context(), s.installURL())
	if string(got) != steward || err != nil {
		t.Errorf("%s, %v", got, err)
	}
	if len(s.requests) != 1 || s.requests[0] != "GET /install/steward.json?token="+canary {
		t.Errorf("asked %v", s.requests)
	}
}

func TestFetchInstallManifest_TokenToLieutenantOnly(t *testing.T) {
	s := newServer(t)
	host := strings.TrimPrefix(s.http.URL, "https://")
	for name, url := range map[string]string{
		"another host":                  "https://evil.example/install/steward.json?token=" + canary,
		"another port":                  "https://127.0.0.1:1/install/steward.json?token=" + canary,
		"a host that begins so":         "https://" + host + ".evil.example/install/steward.json?token=" + canary,
		"another protocol":              "ftp://" + host + "/install/steward.json?token=" + canary,
		"in the clear, of another host": "http://evil.example/install/steward.json?token=" + canary,
		"with credentials":              "https://" + canary + "@" + host + "/install/steward.json?token=" + canary,
		"no token":                      s.http.URL + "/install/steward.json",
		"no URL":                        s.http.URL + "/install/steward.json?token=" + canary + "\x7f",
		"a host with a secret":          "https://" + canary + ".example/install/steward.json?token=" + canary,
	} {
		_, err := s.client().FetchInstallManifest(t.Context(), url)
		checkFault(t, name, err, fault.Invalid, "not sent")
	}
	_, err := s.client().FetchInstallManifest(t.Context(), "")
	checkFault(t, "none", err, fault.Conflict, "used", "reset")
	if len(s.requests) > 0 {
		t.Errorf("asked %v", s.requests)
	}
}

func TestLieutenant_UpgradesInstallURLToTLS(t *testing.T) {
	s := newServer(t)
	s.next("GET /install/steward.json", 200, steward)
	if got, err := s.client().FetchInstallManifest(t.Context(), "http"+strings.TrimPrefix(s.installURL(), "https")); string(got) != steward || err != nil {
		t.Errorf("%s, %v", got, err)
	}
}

func TestFetchInstallManifest_ReportsTokenState(t *testing.T) {
	for name, test := range map[string]struct {
		override
		kind fault.Kind
		says []string
	}{
		"used":                {override{status: 401, body: `{"reason": "Unauthorized ` + canary + `"}`}, fault.Conflict, []string{"used or has expired:", "reset", "the operator of Lieutenant"}},
		"of no cluster":       {override{status: 404, body: `{"reason": "no"}`}, fault.Conflict, []string{"reset"}},
		"missing":             {override{status: 400, body: `{"reason": "no token"}`}, fault.Conflict, []string{"reset"}},
		"too early":           {override{status: 503, body: `{"reason": "try again"}`}, fault.Transient, []string{"not used", "try again"}},
		"a failure":           {override{status: 500, body: `{"reason": "oh ` + canary + `"}`}, fault.Transient, []string{"oh (secret)"}},
		"a web page":          {override{status: 200, body: "<html>" + canary, strange: true}, fault.Internal, []string{"web page", "this attempt used it"}},
		"no list":             {override{status: 200, body: `{"kind": "Status"}`}, fault.Internal, []string{"does not install Steward", "reset"}},
		"a list of others":    {override{status: 200, body: strings.ReplaceAll(steward, `"steward"`, `"other"`)}, fault.Internal, []string{"does not install Steward", "reset"}},
		"no list, with items": {override{status: 200, body: strings.Replace(steward, `"List"`, `"Status"`, 1)}, fault.Internal, []string{"does not install Steward", "reset"}},
		"a deployment only":   {override{status: 200, body: `{"kind": "Deployment", "metadata": {"name": "steward"}}`}, fault.Internal, []string{"does not install Steward", "reset"}},
		"not marked as used":  {override{status: 200, body: steward + "\n" + `{"reason": "clusters.syn.tools is forbidden ` + canary + `"}`}, fault.Internal, []string{"is forbidden (secret)", "remains valid:"}},
		"something after it":  {override{status: 200, body: steward + `{"kind": "List"}`}, fault.Internal, []string{"after the manifest", "reset"}},
		"no end":              {override{status: 200, body: steward + strings.Repeat(" ", 2<<20)}, fault.Internal, []string{"larger than 1 MiB", "reset"}},
		"somewhere else": {override{status: 302, header: "Location: https://evil.example/?" + canary, strange: true}, fault.Internal,
			[]string{"another address"}},
	} {
		s := newServer(t)
		test.request = "GET /install/steward.json"
		s.overrides = []override{test.override}
		got, err := s.client().FetchInstallManifest(t.Context(), s.installURL())
		checkFault(t, name, err, test.kind, test.says...)
		if got != nil || len(s.requests) != 1 {
			t.Errorf("%s: %s after %v", name, got, s.requests)
		}
	}
}

func TestFetchInstallManifest_LostIsNotRepeated(t *testing.T) {
	s := newServer(t)
	dials := 0
	broken := s.network
	broken.Dial = func(context.Context, string, string) (net.Conn, error) {
		dials++
		return nil, errors.New("cut off")
	}
	_, err := lieutenant.New(broken, s.http.URL, nil).FetchInstallManifest(t.Context(), s.installURL())
	checkFault(t, "cut off", err, fault.Transient, "cut off")
	if dials != 1 {
		t.Errorf("%d attempts", dials)
	}
	client := s.client()
	_, err = client.ListTenants(t.Context()) // leaves a connection on which the transport would repeat requests
	must(t, err)
	s.overrides = []override{{request: "GET /install/steward.json", header: "X-Strange: lost"}}
	_, err = client.FetchInstallManifest(t.Context(), s.installURL())
	checkFault(t, "lost", err, fault.Transient, "this attempt used it")
	if len(s.requests) != 2 {
		t.Errorf("asked %v", s.requests)
	}
}
