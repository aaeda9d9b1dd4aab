package syn

import (
	"crypto/subtle"
	"net/http"
	"net/url"
	"strings"
)

// serveAuthorize serves the sign-in page (OpenID Connect Core, 3.1.2). It never redirects for an unknown client.
func (s *Syn) serveAuthorize(w http.ResponseWriter, r *http.Request) {
	query := r.URL.Query()
	asked := grant{
		Kind: pageGrant, Client: query.Get("client_id"), Redirect: query.Get("redirect_uri"), State: query.Get("state"),
		Nonce: query.Get("nonce"), Challenge: query.Get("code_challenge"), Until: s.getServerTime(r).Add(signInLife),
	}
	if _, known := listRedirects(asked.Client); !known {
		show(w, http.StatusBadRequest, pageData{Title: "We are sorry...", Text: "Client not found."})
		return
	}
	if !isRegisteredRedirect(asked.Client, asked.Redirect) {
		show(w, http.StatusBadRequest, pageData{Title: "We are sorry...", Text: "Invalid parameter: redirect_uri"})
		return
	}
	method := query.Get("code_challenge_method")
	switch {
	case query.Get("response_type") != "code":
		asked.redirectBack(w, r, url.Values{"error": {"unsupported_response_type"}})
	case !strings.Contains(" "+query.Get("scope")+" ", " openid "):
		asked.redirectBack(w, r, url.Values{"error": {"invalid_scope"}, "error_description": {"Missing openid scope"}})
	case method != "" && method != "S256":
		asked.redirectBack(w, r, url.Values{"error": {"invalid_request"}, "error_description": {"Invalid parameter: code_challenge_method"}})
	case (method == "") != (asked.Challenge == ""):
		asked.redirectBack(w, r, url.Values{"error": {"invalid_request"}, "error_description": {"Missing parameter: code_challenge"}})
	default:
		s.mu.Lock()
		defer s.mu.Unlock()
		kept, err := s.saveGrant(asked)
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		show(w, http.StatusOK, renderLoginPage(kept.ID, ""))
	}
}

func (g grant) redirectBack(w http.ResponseWriter, r *http.Request, values url.Values) {
	if g.State != "" {
		values.Set("state", g.State)
	}
	values.Set("iss", issuer)
	http.Redirect(w, r, g.Redirect+"?"+values.Encode(), http.StatusFound)
}

func renderLoginPage(session, text string) pageData {
	return pageData{
		Title: "Sign in to your account", Text: text, Password: true,
		Action: realm + "/login-actions/authenticate?" + url.Values{"session_code": {session}}.Encode(),
	}
}

// serveLogin verifies name and password, and redirects the browser with a code.
func (s *Syn) serveLogin(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	session := r.URL.Query().Get("session_code")
	asked, ok := s.grants.Get(session)
	if !ok || asked.Kind != pageGrant || !s.getServerTime(r).Before(asked.Until) {
		show(w, http.StatusBadRequest, pageData{Title: "We are sorry...", Text: "Action expired. Please start again."})
		return
	}
	if !s.checkPassword(r) {
		show(w, http.StatusOK, renderLoginPage(session, "Invalid username or password."))
		return
	}
	asked.Kind, asked.Until = codeGrant, s.getServerTime(r).Add(codeLife)
	code, err := s.saveGrant(asked)
	if err == nil {
		err = s.grants.Delete(session)
	}
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	code.redirectBack(w, r, url.Values{"code": {code.ID}, "session_state": {session}})
}

func (s *Syn) checkPassword(r *http.Request) bool {
	name, secret := s.Account()
	right := subtle.ConstantTimeCompare([]byte(r.PostFormValue("password")), []byte(secret)) == 1
	return secret != "" && right && r.PostFormValue("username") == name
}

// Account returns the name and the password of an engineer.
func (s *Syn) Account() (name, secret string) {
	secret, err := s.ensureSecretText(password)
	if err != nil {
		return engineer, ""
	}
	return engineer, secret
}
