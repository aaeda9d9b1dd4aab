package lieutenant

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"

	"exoshift/internal/fault"
)

// toTokenFault adds why a token is not accepted, which Kubernetes omits.
func (c *Client) toTokenFault(ctx context.Context, told *fault.Error, token string) error {
	from := parseClaims(token)
	services, err := c.Discover(ctx)
	told = told.WithHint("sign in at %s again; a token from COMMODORE_API_TOKEN has to be of this very instance", c.base)
	switch {
	case strings.HasPrefix(from.Subject, "system:serviceaccount:"):
		told.Err = fault.Newf(fault.Denied, "the token has ended or is for another instance", "it is of the service account %s, which %s does not accept",
			sanitize(strings.TrimPrefix(from.Subject, "system:serviceaccount:"), token), c.base)
	case from.Issuer == "" || err != nil:
		return told
	case !strings.HasPrefix(services.DiscoveryURL, strings.TrimRight(from.Issuer, "/")+"/"):
		told.Err = fault.Newf(fault.Denied, "the token is for another instance", "it is of %s, and people sign in to %s at %s",
			sanitize(from.Issuer, token), c.base, sanitize(services.DiscoveryURL, token))
	case from.audience() != "" && from.audience() != services.ClientID:
		told.Err = fault.Newf(fault.Denied, "the token is for another instance", "it was issued for %s, and %s wants one for %s",
			sanitize(from.audience(), token), c.base, sanitize(services.ClientID, token))
	}
	return told
}

// tokenClaims are unverified claims of a token.
type tokenClaims struct {
	Issuer   string `json:"iss"`
	Subject  string `json:"sub"`
	Audience any    `json:"aud"` // a string, or a list
}

// parseClaims verifies nothing; unknown claims are empty.
func parseClaims(token string) (told tokenClaims) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return tokenClaims{}
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(payload, &told) != nil {
		return tokenClaims{}
	}
	return told
}

func (c tokenClaims) audience() string {
	if list, ok := c.Audience.([]any); ok && len(list) == 1 {
		c.Audience = list[0]
	}
	one, _ := c.Audience.(string)
	return one
}
