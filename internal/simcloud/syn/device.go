package syn

import (
	"crypto/rand"
	"net/http"
	"net/url"
	"time"
)

const (
	deviceGrant    = "urn:ietf:params:oauth:grant-type:device_code"
	deviceInterval = 5 * time.Second
)

// serveDevice begins a device authorization (RFC 8628, 3.1).
func (s *SignOn) serveDevice(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	client, ok := s.findClient(r)
	if !ok || client != lieutenantClient {
		writeOAuthError(w, http.StatusUnauthorized, "unauthorized_client", "Client is not allowed to initiate OAuth 2.0 Device Authorization Grant. The flow is disabled for the client.")
		return
	}
	text := rand.Text()
	kept, err := s.grants.save(grant{Kind: waitingGrant, Client: client, UserCode: text[:4] + "-" + text[4:8], Until: s.getServerTime(r).Add(deviceLife)})
	if err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	const page = "https://" + signOnHost + realm + "/device"
	writeJSON(w, http.StatusOK, map[string]any{
		"device_code": kept.ID, "user_code": kept.UserCode, "verification_uri": page,
		"verification_uri_complete": page + "?" + url.Values{"user_code": {kept.UserCode}}.Encode(),
		"expires_in":                int(deviceLife / time.Second), "interval": int(deviceInterval / time.Second),
	})
}

// serveDevicePage is the sign-in page for a device's user code.
func (s *SignOn) serveDevicePage(w http.ResponseWriter, r *http.Request) {
	s.mu.Lock()
	defer s.mu.Unlock()
	form := pageData{Title: "Device Login", Action: realm + "/device", Code: true, Password: true, UserCode: r.URL.Query().Get("user_code")}
	if r.Method == http.MethodGet {
		show(w, http.StatusOK, form)
		return
	}
	form.UserCode = r.PostFormValue("device_user_code")
	for _, g := range s.grants.List() {
		if g.Kind != waitingGrant || g.UserCode != form.UserCode || !s.getServerTime(r).Before(g.Until) {
			continue
		}
		if !s.checkPassword(r) {
			form.Text = "Invalid username or password."
			show(w, http.StatusOK, form)
			return
		}
		g.Approved = true
		if err := s.grants.Put(g.ID, g); err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		show(w, http.StatusOK, pageData{Title: "Device Login Successful", Text: "You may close this browser window and go back to your device."})
		return
	}
	form.Text, form.UserCode = "Invalid code, please try again.", ""
	show(w, http.StatusOK, form)
}

// poll returns tokens as soon as the device is approved. The polling interval is measured by the zone's clock, as the client's
// waits are.
func (s *SignOn) poll(w http.ResponseWriter, r *http.Request, client string) {
	g, ok := s.grants.Get(r.PostFormValue("device_code"))
	now := s.clock.Now()
	switch {
	case !ok || g.Kind != waitingGrant || g.Client != client:
		writeOAuthError(w, http.StatusBadRequest, "invalid_grant", "Device code not valid")
		return
	case !s.getServerTime(r).Before(g.Until):
		writeOAuthError(w, http.StatusBadRequest, "expired_token", "Device code is expired")
		return
	case g.Approved:
		_ = s.grants.Delete(g.ID) // a leftover expires soon
		s.issueTokens(w, r, g)
		return
	}
	early := now.Sub(g.Polled) < deviceInterval
	g.Polled = now
	if err := s.grants.Put(g.ID, g); err != nil {
		http.Error(w, err.Error(), http.StatusInternalServerError)
		return
	}
	if early {
		writeOAuthError(w, http.StatusBadRequest, "slow_down", "Slow down")
		return
	}
	writeOAuthError(w, http.StatusBadRequest, "authorization_pending", "The authorization request is still pending")
}
