package simcloud

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
)

const signOn = "https://id.vshn.net/realms/simulated/protocol/openid-connect"

// await serves the redirect of a sign-in at a port of the operator's machine, and returns its query.
func (o *operator) await(port int) <-chan url.Values {
	o.t.Helper()
	l, err := o.Listen(port)
	o.must(err)
	queries := make(chan url.Values, 1)
	server := &http.Server{Handler: http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { queries <- r.URL.Query() })}
	o.t.Cleanup(func() { _ = server.Close() })
	go func() { _ = server.Serve(l) }()
	return queries
}

func signInLink(challenge string) string {
	return signOn + "/auth?" + url.Values{
		"client_id": {"lieutenant"}, "redirect_uri": {"http://localhost:18000"}, "response_type": {"code"}, "scope": {"openid email profile"},
		"state": {"a-state"}, "nonce": {"a-nonce"}, "code_challenge": {challenge}, "code_challenge_method": {"S256"},
	}.Encode()
}

func (o *operator) send(method, link, token string, body io.Reader, into any) int {
	o.t.Helper()
	client := o.Zone.Network().NewClient()
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(o.t.Context(), method, link, body)
	o.must(err)
	if token != "" {
		request.Header.Set("Authorization", "Bearer "+token)
	}
	if method == http.MethodPost {
		request.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	}
	response, err := client.Do(request)
	o.must(err)
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	o.must(err)
	if into != nil {
		if err := json.Unmarshal(content, into); err != nil {
			o.t.Fatalf("%s: %v: %s", link, err, content)
		}
	}
	return response.StatusCode
}

func TestSignIn_LieutenantByBrowser(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{})
		defer o.close()
		queries := o.await(18000)
		verifier := strings.Repeat("v", 43)
		sum := sha256.Sum256([]byte(verifier))
		o.must(o.SignIn(t.Context(), signInLink(base64.RawURLEncoding.EncodeToString(sum[:]))))
		query := <-queries
		if query.Get("state") != "a-state" {
			t.Errorf("sent back with %v", query)
		}
		form := url.Values{
			"grant_type": {"authorization_code"}, "client_id": {"lieutenant"}, "redirect_uri": {"http://localhost:18000"},
			"code": {query.Get("code")}, "code_verifier": {verifier},
		}
		var tokens struct {
			ID string `json:"id_token"`
		}
		if status := o.send(http.MethodPost, signOn+"/token", "", strings.NewReader(form.Encode()), &tokens); status != http.StatusOK {
			t.Fatalf("the code is worth %d", status)
		}
		var tenants []struct{ ID string }
		if status := o.send(http.MethodGet, "https://api.syn.vshn.net/tenants", tokens.ID, nil, &tenants); status != http.StatusOK || len(tenants) != 2 {
			t.Errorf("%d: %v", status, tenants)
		}
	})
}

func TestSignIn_Device(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{})
		defer o.close()
		var device struct {
			Code string `json:"device_code"`
			Link string `json:"verification_uri_complete"`
		}
		o.send(http.MethodPost, signOn+"/auth/device", "", strings.NewReader("client_id=lieutenant"), &device)
		form := url.Values{"grant_type": {"urn:ietf:params:oauth:grant-type:device_code"}, "client_id": {"lieutenant"}, "device_code": {device.Code}}
		if status := o.send(http.MethodPost, signOn+"/token", "", strings.NewReader(form.Encode()), nil); status != http.StatusBadRequest {
			t.Errorf("before: %d", status)
		}
		o.must(o.SignIn(t.Context(), device.Link))
		if status := o.send(http.MethodPost, signOn+"/token", "", strings.NewReader(form.Encode()), nil); status != http.StatusOK {
			t.Errorf("after: %d", status)
		}
	})
}

func TestBrowser_LoopbackPorts(t *testing.T) {
	o := open(t, Options{Scenario: "proxy-auth"})
	defer o.close()
	asked := make(chan string, 1)
	server := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) { asked <- r.URL.Path }))
	defer server.Close()
	o.must(o.SignIn(t.Context(), strings.Replace(server.URL, "127.0.0.1", "localhost", 1)+"/callback"))
	if got := <-asked; got != "/callback" {
		t.Error(got)
	}
}

func TestSignIn_UnknownPage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{})
		defer o.close()
		if err := o.SignIn(t.Context(), strings.Replace(signInLink("x"), "18000", "18001", 1)); err == nil {
			t.Error("somebody is sent to an address that nobody registered")
		}
	})
}

func TestCredentials_TokensOutlastZone(t *testing.T) {
	dir := t.TempDir()
	var first Credentials
	for range 2 {
		o := open(t, Options{Dir: dir})
		credentials := o.Credentials()
		if first == (Credentials{}) {
			first = credentials
		}
		if credentials != first || credentials.APIToken == "" || credentials.VaultToken == "" || credentials.GitToken == "" {
			t.Error("other tokens, or none")
		}
		for link, token := range map[string]string{
			"https://api.syn.vshn.net/clusters":                         credentials.APIToken,
			"https://vault-prod.syn.vshn.net/v1/auth/token/lookup-self": credentials.VaultToken,
			"https://git.vshn.net/api/v4/user":                          credentials.GitToken,
		} {
			if status := o.send(http.MethodGet, link, token, nil, nil); status != http.StatusOK {
				t.Errorf("%s: %d", link, status)
			}
		}
		o.close()
	}
}
