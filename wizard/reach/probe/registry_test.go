package probe

import (
	"encoding/base64"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"exoshift/wizard/reach"
)

const (
	authHost = "auth.example.net"
	secret   = "hunter2-secret"
	token    = "tok-hunter3-secret"
)

func pullSecret(host, user string) string {
	return fmt.Sprintf(`{"auths":{%q:{"auth":%q}}}`, host, base64.StdEncoding.EncodeToString([]byte(user+":"+secret)))
}

func wants(realm string) http.HandlerFunc {
	return says(http.StatusUnauthorized, map[string]string{"WWW-Authenticate": `Bearer realm="` + realm + `",service="registry"`}, `{"errors":[]}`)
}

// gives is a token service that knows one user; others handles all other requests.
func gives(body string, others http.HandlerFunc) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		user, password, _ := r.BasicAuth()
		if r.URL.Query().Get("service") == "registry" && user == "somebody" && password == secret {
			data(body)(w, r)
			return
		}
		others(w, r)
	}
}

func refuses(status int) http.HandlerFunc {
	return dataWith(status, `{"errors":[{"code":"UNAUTHORIZED"}]}`)
}

// registryCase is a registry, its token service, and the expected finding.
type registryCase struct {
	root       http.HandlerFunc
	tokens     http.HandlerFunc // nil: the token service does not exist
	pullSecret string
	group      string
	class      reach.Class
	layers     string
	reached    bool
	says       string
	at         string // the host where it failed
}

func TestProbe_RegistryToken(t *testing.T) {
	const realm = "https://" + authHost + "/token"
	granted, ours := `{"token":"`+token+`"}`, pullSecret(service, "somebody")
	v2 := map[string]string{"Docker-Distribution-Api-Version": "registry/2.0"}
	for name, c := range map[string]registryCase{
		"open":                        {says(200, v2, "{}"), nil, "", "", "", good, true, "", ""},
		"with the pull secret":        {wants(realm), gives(granted, refuses(401)), ours, "redhat", "", good, true, "", ""},
		"as nobody":                   {wants(realm), data(granted), "", "redhat", "", good, true, "", ""},
		"access_token":                {wants(realm), data(`{"access_token":"` + token + `"}`), "", "redhat", "", good, true, "", ""},
		"nobody gave a secret":        {wants(realm), refuses(401), "", "redhat", reach.Unauthorized, good, true, "", ""},
		"no entry":                    {wants(realm), refuses(401), pullSecret("other.example", "x"), "redhat", reach.Credentials, good, true, "no entry for " + service, ""},
		"no entry is needed":          {wants(realm), refuses(403), pullSecret("other.example", "x"), "third-party", reach.Unauthorized, good, true, "", ""},
		"refused":                     {wants(realm), gives(granted, refuses(401)), pullSecret(service, "nobody"), "redhat", reach.Credentials, badHTTP, false, "is rejected", authHost + ":443"},
		"refused with a web page":     {wants(realm), page(401), ours, "redhat", reach.BlockPage, badHTTP, false, "401", authHost + ":443"},
		"unreadable secret":           {wants(realm), data(granted), "{" + secret, "redhat", reach.Credentials, badHTTP, false, "unexpected format", ""},
		"nobody gives tokens":         {wants(realm), nil, "", "", reach.NXDomain, "fail none none none", false, "does not resolve", authHost + ":443"},
		"tokens in clear":             {wants("http://" + authHost + "/token"), data(granted), ours, "", reach.Unexpected, badHTTP, false, "no https token endpoint", ""},
		"no realm":                    {wants(""), data(granted), ours, "", reach.Unexpected, badHTTP, false, "no https token endpoint", ""},
		"token is no JSON":            {wants(realm), data("tok " + token), ours, "", reach.Unexpected, badHTTP, false, "invalid token response", authHost + ":443"},
		"token is empty":              {wants(realm), data("{}"), ours, "", reach.Unexpected, badHTTP, false, "invalid token response", authHost + ":443"},
		"token behind a login page":   {wants(realm), page(200), ours, "", reach.BlockPage, badHTTP, false, "", authHost + ":443"},
		"token service is down":       {wants(realm), says(503, nil, ""), ours, "", reach.ServerError, badHTTP, false, "503", authHost + ":443"},
		"too many tokens":             {wants(realm), refuses(429), "", "third-party", reach.Slow, good, true, "rate limit", ""},
		"too many calls":              {says(429, nil, ""), nil, "", "third-party", reach.Slow, good, true, "rate limit", ""},
		"not a container registry":    {says(200, nil, "{}"), nil, "", "", reach.Unexpected, badHTTP, false, "not a container registry", ""},
		"a login page":                {page(200), nil, "", "", reach.BlockPage, badHTTP, false, "web page", ""},
		"a proxy's login":             {says(401, map[string]string{"WWW-Authenticate": `Basic realm="corp"`}, ""), nil, "", "", reach.Unexpected, badHTTP, false, "not a container registry", ""},
		"401 without a challenge":     {says(401, v2, ""), nil, "", "", reach.Unexpected, badHTTP, false, "not a container registry", ""},
		"down":                        {says(500, v2, ""), nil, "", "", reach.ServerError, badHTTP, false, "500", ""},
		"a country is kept out":       {says(403, v2, "export control"), nil, "", "", reach.Geo, badHTTP, false, "", ""},
		"a token service that blocks": {wants(realm), says(403, nil, "this region is blocked by law"), ours, "", reach.Geo, badHTTP, false, "", authHost + ":443"},
	} {
		t.Run(name, c.run)
	}
}

func (c registryCase) run(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.site(service, routes{"/v2/": c.root}.serve)
		if c.tokens != nil {
			l.names[authHost] = []string{"203.0.113.9"}
			l.web("203.0.113.9:443", l.authority.issue(t, authHost), routes{"/token": c.tokens}.serve)
		}
		l.task = reach.Task{PullSecret: c.pullSecret}
		got := l.probe(reach.Check{URL: "registry://" + service, Group: c.group})
		expect(t, got, c.class, c.layers, c.reached)
		if !strings.Contains(got.Evidence[reach.EvidenceError], c.says) || got.Evidence[reach.EvidenceHost] != c.at {
			t.Errorf("it says %q at %q, want %q at %q", got.Evidence[reach.EvidenceError], got.Evidence[reach.EvidenceHost], c.says, c.at)
		}
		noSecrets(t, got)
	})
}

// noSecrets checks that a finding holds no secret.
func noSecrets(t *testing.T, got reach.Finding) {
	t.Helper()
	for key, value := range got.Evidence {
		for _, forbidden := range []string{secret, token, base64.StdEncoding.EncodeToString([]byte("somebody:" + secret))} {
			if strings.Contains(value, forbidden) {
				t.Errorf("%s tells a secret: %s", key, value)
			}
		}
	}
}

func TestProbe_RegistryByPassword(t *testing.T) {
	v2 := map[string]string{"Docker-Distribution-Api-Version": "registry/2.0", "WWW-Authenticate": `Basic realm="inner"`}
	root := func(w http.ResponseWriter, r *http.Request) {
		if user, password, _ := r.BasicAuth(); user == "somebody" && password == secret {
			says(200, v2, "{}")(w, r)
			return
		}
		says(401, v2, "{}")(w, r)
	}
	for name, c := range map[string]registryCase{
		"known":                {root, nil, pullSecret(service, "somebody"), "customer", "", good, true, "", ""},
		"refused":              {root, nil, pullSecret(service, "nobody"), "customer", reach.Credentials, badHTTP, false, "is rejected", ""},
		"no entry":             {root, nil, pullSecret("other.example", "x"), "customer", reach.Credentials, good, true, "no entry", ""},
		"nobody gave a secret": {root, nil, "", "customer", reach.Unauthorized, good, true, "", ""},
	} {
		t.Run(name, c.run)
	}
}

func TestProbe_RegistryRedirect(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.site(service, func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, "https://europe.example.net/v2/", http.StatusTemporaryRedirect)
		})
		l.names["europe.example.net"] = []string{"203.0.113.9"}
		l.web("203.0.113.9:443", l.authority.issue(t, "europe.example.net"), routes{
			"/v2/": wants("https://europe.example.net/v2/token"), "/v2/token": data(`{"token":"x"}`),
		}.serve)
		expect(t, l.probeURL("registry://"+service), "", good, true)
	})
}

func TestProbe_SlowRegistry(t *testing.T) {
	inLab(t, func(t *testing.T, l *lab) {
		l.site(service, func(w http.ResponseWriter, r *http.Request) {
			pause(4 * time.Second)
			says(200, map[string]string{"Docker-Distribution-Api-Version": "registry/2.0"}, "{}")(w, r)
		})
		expect(t, l.probeURL("registry://"+service), reach.Slow, good, true)
	})
}
