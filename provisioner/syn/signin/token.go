package signin

import (
	"encoding/base64"
	"encoding/json"
	"strings"
	"time"

	"golang.org/x/oauth2"
)

// leeway is how long before its expiry a token counts as expired, as in commodore.
const leeway = 10 * time.Second

type tokenSet struct {
	IDToken      string `json:"id_token"`
	RefreshToken string `json:"refresh_token,omitempty"`
	answer       map[string]any
}

func newTokenSet(token *oauth2.Token) tokenSet {
	answer := map[string]any{"access_token": token.AccessToken, "token_type": token.TokenType}
	for _, field := range []string{"id_token", "expires_in", "refresh_expires_in", "scope", "session_state", "not-before-policy"} {
		if value := token.Extra(field); value != nil {
			answer[field] = value
		}
	}
	if token.RefreshToken != "" {
		answer["refresh_token"] = token.RefreshToken
	}
	id, _ := answer["id_token"].(string)
	return tokenSet{IDToken: id, RefreshToken: token.RefreshToken, answer: answer}
}

// isExpired uses the wall clock, by which tokens are signed.
func isExpired(end time.Time) bool { return end.Before(time.Now().Add(leeway)) }

// lastEnd is the end of the year 9999, in seconds: a later expiry counts as none.
const lastEnd = 253_402_300_799

func parseExpiry(token string) (end time.Time, known bool) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return time.Time{}, false
	}
	payload, err := base64.RawURLEncoding.DecodeString(strings.TrimRight(parts[1], "="))
	var claims struct {
		Expires float64 `json:"exp"`
	}
	if err != nil || json.Unmarshal(payload, &claims) != nil || claims.Expires <= 0 || claims.Expires > lastEnd {
		return time.Time{}, false
	}
	return time.Unix(int64(claims.Expires), 0), true
}

func (k tokenSet) listSecrets() []string {
	access, _ := k.answer["access_token"].(string)
	return []string{k.IDToken, k.RefreshToken, access}
}
