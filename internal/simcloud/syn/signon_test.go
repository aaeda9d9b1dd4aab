package syn

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/go-jose/go-jose/v4"
	"github.com/go-jose/go-jose/v4/jwt"
)

// tokens is a response of the token endpoint.
type tokens struct {
	Status  int
	ID      string `json:"id_token"`
	Access  string `json:"access_token"`
	Refresh string `json:"refresh_token"`
	Error   string `json:"error"`
	Text    string `json:"error_description"`
	Device  string `json:"device_code"`
	User    string `json:"user_code"`
}

const verifier = "a-verifier-that-is-at-least-forty-three-characters-long"

func challenge() string {
	sum := sha256.Sum256([]byte(verifier))
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

func request() url.Values {
	return url.Values{
		"client_id": {"lieutenant"}, "redirect_uri": {"http://localhost:18000"}, "response_type": {"code"}, "scope": {"openid"},
		"state": {"s"}, "nonce": {"n"}, "code_challenge": {challenge()}, "code_challenge_method": {"S256"},
	}
}

func (w *world) visit(method, link string, form url.Values) *http.Response {
	r := httptest.NewRequest(method, link, strings.NewReader(form.Encode()))
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	recorder := httptest.NewRecorder()
	w.sign.ServeHTTP(recorder, r)
	return recorder.Result()
}

// code signs in and returns the code of the redirect.
func (w *world) code(values url.Values) string {
	w.t.Helper()
	page := w.visit(http.MethodGet, "https://"+signOnHost+protocolPath+"/auth?"+values.Encode(), nil)
	body := make([]byte, 4096)
	n, _ := page.Body.Read(body)
	_, rest, ok := strings.Cut(string(body[:n]), `action="`)
	action, _, _ := strings.Cut(rest, `"`)
	if !ok {
		w.t.Fatalf("no form: %s", body[:n])
	}
	name, secret := w.SignOn.Account()
	sent := w.visit(http.MethodPost, "https://"+signOnHost+action, url.Values{"username": {name}, "password": {secret}})
	back, err := sent.Location()
	must(w.t, err)
	if !strings.HasPrefix(back.String(), values.Get("redirect_uri")+"?") || back.Query().Get("state") != "s" {
		w.t.Fatalf("sent back to %s", back)
	}
	return back.Query().Get("code")
}

func (w *world) tokens(form url.Values) (got tokens) {
	w.t.Helper()
	response := w.visit(http.MethodPost, "https://"+signOnHost+protocolPath+"/token", form)
	must(w.t, json.NewDecoder(response.Body).Decode(&got))
	got.Status = response.StatusCode
	return got
}

func exchange(code string) url.Values {
	return url.Values{
		"grant_type": {"authorization_code"}, "client_id": {"lieutenant"}, "redirect_uri": {"http://localhost:18000"}, "code": {code}, "code_verifier": {verifier},
	}
}

func TestSignOn_TokensForLieutenant(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, Config{})
		got := w.tokens(exchange(w.code(request())))
		if got.Status != http.StatusOK {
			t.Fatalf("%+v", got)
		}
		parsed, err := jwt.ParseSigned(got.ID, []jose.SignatureAlgorithm{jose.RS256})
		must(t, err)
		var claims struct {
			Nonce string `json:"nonce"`
			Iss   string `json:"iss"`
			Aud   string `json:"aud"`
		}
		must(t, parsed.UnsafeClaimsWithoutVerification(&claims))
		if claims.Nonce != "n" || claims.Iss != issuer || claims.Aud != "lieutenant" {
			t.Errorf("%+v", claims)
		}
		status := func(token string) int {
			return w.send(http.MethodGet, "/tenants", "", "Authorization", "Bearer "+token).Status
		}
		if status(got.ID) != http.StatusOK || status(got.Access) != http.StatusInternalServerError || status(got.Refresh) != http.StatusInternalServerError {
			t.Error("it believes others than ID tokens, or not those")
		}
		time.Sleep(5*time.Minute + time.Second)
		if status(got.ID) != http.StatusUnauthorized {
			t.Error("the ID token never ends")
		}
	})
}

func TestSignOn_TokenAudience(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, Config{})
		values := request()
		values.Set("client_id", "vault")
		values.Set("redirect_uri", "http://localhost:8250/oidc/callback")
		form := exchange(w.code(values))
		form.Set("client_id", "vault")
		form.Set("redirect_uri", "http://localhost:8250/oidc/callback")
		if got := w.tokens(form); got.Error != "invalid_client" {
			t.Errorf("without Vault's secret: %+v", got)
		}
		_, _, secret := VaultClient()
		form.Set("client_secret", secret)
		got := w.tokens(form)
		if got.Status != http.StatusOK || w.send(http.MethodGet, "/tenants", "", "Authorization", "Bearer "+got.ID).Status != http.StatusInternalServerError {
			t.Errorf("%d %s", got.Status, got.Text)
		}
	})
}

func TestSignOn_CodeUsedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, Config{})
		for name, spoil := range map[string]func(url.Values){
			"Incorrect redirect_uri":            func(f url.Values) { f.Set("redirect_uri", "http://localhost:18000/") },
			"PKCE code verifier not specified":  func(f url.Values) { f.Del("code_verifier") },
			"PKCE verification failed":          func(f url.Values) { f.Set("code_verifier", verifier+"x") },
			"Code not valid":                    func(f url.Values) { f.Set("code", "other") },
			"Unsupported grant_type":            func(f url.Values) { f.Set("grant_type", "password") },
			"Invalid client or Invalid client ": func(f url.Values) { f.Set("client_id", "stranger") },
			"":                                  func(url.Values) {},
		} {
			form := exchange(w.code(request()))
			spoil(form)
			if got := w.tokens(form); !strings.Contains(got.Text, name) || (got.Status == http.StatusOK) != (name == "") {
				t.Errorf("%s: %d %s %s", name, got.Status, got.Error, got.Text)
			}
			if again := w.tokens(form); name == "" && again.Error != "invalid_grant" {
				t.Error("a code is good twice")
			}
		}
		late := w.code(request())
		time.Sleep(time.Minute)
		if got := w.tokens(exchange(late)); got.Error != "invalid_grant" {
			t.Error("a code never ends")
		}
	})
}

func TestSignOn_RefreshTokenOnceAndExpiry(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, Config{})
		refresh := func(token string) tokens {
			return w.tokens(url.Values{"grant_type": {"refresh_token"}, "client_id": {"lieutenant"}, "refresh_token": {token}})
		}
		first := w.tokens(exchange(w.code(request())))
		time.Sleep(29 * time.Minute)
		second := refresh(first.Refresh)
		if second.Status != http.StatusOK || second.ID == first.ID {
			t.Fatalf("%+v", second)
		}
		if got := refresh(first.Refresh); got.Error != "invalid_grant" {
			t.Errorf("used twice: %+v", got.Status)
		}
		if got := refresh("abc"); got.Error != "invalid_grant" {
			t.Errorf("none: %+v", got.Status)
		}
		if got := len(w.SignOn.grants.List()); got != 1 {
			t.Errorf("%d grants are kept", got)
		}
		time.Sleep(30 * time.Minute)
		if got := refresh(second.Refresh); got.Error != "invalid_grant" {
			t.Errorf("after half an hour: %+v", got.Status)
		}
	})
}

func TestSignOn_RefusesForeignRedirect(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, Config{})
		for name, test := range map[string]struct {
			key, value string
			status     int
			back       string // of the error
		}{
			"another redirect":      {"redirect_uri", "http://127.0.0.1:18000", 400, ""},
			"a longer redirect":     {"redirect_uri", "http://localhost:18000/callback", 400, ""},
			"an unknown client":     {"client_id", "other", 400, ""},
			"no code":               {"response_type", "token", 302, "unsupported_response_type"},
			"no OpenID":             {"scope", "email", 302, "invalid_scope"},
			"a plain challenge":     {"code_challenge_method", "plain", 302, "invalid_request"},
			"a method alone":        {"code_challenge", "", 302, "invalid_request"},
			"a challenge by itself": {"code_challenge_method", "", 302, "invalid_request"},
		} {
			values := request()
			values.Set(test.key, test.value)
			got := w.visit(http.MethodGet, "https://"+signOnHost+protocolPath+"/auth?"+values.Encode(), nil)
			back, _ := got.Location()
			if got.StatusCode != test.status || test.back != "" && (back.Query().Get("error") != test.back || back.Query().Get("state") != "s") {
				t.Errorf("%s: %s, back to %v", name, got.Status, back)
			}
		}
	})
}

func TestSignOn_DeviceFlow(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, Config{})
		begin := func(client string) (got tokens) {
			must(t, json.NewDecoder(w.visit(http.MethodPost, "https://"+signOnHost+protocolPath+"/auth/device", url.Values{"client_id": {client}}).Body).Decode(&got))
			return got
		}
		if got := begin("vault"); got.Error != "unauthorized_client" {
			t.Errorf("a client that may not: %+v", got)
		}
		device := begin("lieutenant")
		poll := func() tokens {
			return w.tokens(url.Values{"grant_type": {deviceGrant}, "client_id": {"lieutenant"}, "device_code": {device.Device}})
		}
		if first, early := poll(), poll(); first.Error != "authorization_pending" || early.Error != "slow_down" {
			t.Errorf("%s, %s", first.Error, early.Error)
		}
		name, secret := w.SignOn.Account()
		for _, code := range []string{"WRONG-CODE", device.User} {
			if got := poll(); got.Status == http.StatusOK {
				t.Error("nobody has signed in yet")
			}
			w.visit(http.MethodPost, "https://"+signOnHost+realm+"/device", url.Values{"device_user_code": {code}, "username": {name}, "password": {secret}})
		}
		time.Sleep(deviceInterval)
		if got := poll(); got.Status != http.StatusOK || got.ID == "" {
			t.Errorf("%+v", got)
		}
		if got := poll(); got.Error != "invalid_grant" {
			t.Errorf("twice: %s", got.Error)
		}
		device = begin("lieutenant")
		time.Sleep(deviceLife)
		if got := poll(); got.Error != "expired_token" {
			t.Errorf("too late: %s", got.Error)
		}
	})
}

func TestSignOn_WrongPassword(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, Config{})
		kept, err := w.SignOn.grants.save(grant{Kind: pageGrant, Client: lieutenantClient, Redirect: "http://localhost:18000", Until: time.Now().Add(time.Hour)})
		must(t, err)
		for password, want := range map[string]int{"wrong": http.StatusOK, "": http.StatusOK} {
			link := "https://" + signOnHost + realm + "/login-actions/authenticate?session_code=" + kept.ID
			if got := w.visit(http.MethodPost, link, url.Values{"username": {engineer}, "password": {password}}); got.StatusCode != want {
				t.Errorf("%q: %s", password, got.Status)
			}
		}
	})
}

func TestSignOn_UserInfoNeedsAccessToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := open(t, Config{})
		got := w.tokens(exchange(w.code(request())))
		for token, want := range map[string]int{got.Access: 200, got.ID: 401, "": 401} {
			r := httptest.NewRequest(http.MethodGet, "https://"+signOnHost+protocolPath+"/userinfo", nil)
			r.Header.Set("Authorization", "Bearer "+token)
			recorder := httptest.NewRecorder()
			if w.sign.ServeHTTP(recorder, r); recorder.Code != want {
				t.Errorf("%d, want %d", recorder.Code, want)
			}
		}
	})
}
