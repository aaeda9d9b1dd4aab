package lieutenant

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"strings"

	"exoshift/internal/fault"
)

// unknown explains why a token is not accepted: Kubernetes only says that it is not.
func (c *Client) unknown(ctx context.Context, told *fault.Error, token string) error {
	issuer, audience := origin(token)
	services, err := c.Discover(ctx)
	told = told.WithHint("sign in at %s again; a token from COMMODORE_API_TOKEN has to be of this very instance", c.base)
	switch {
	case issuer == "" || err != nil:
		return told
	case !strings.HasPrefix(services.DiscoveryURL, strings.TrimRight(issuer, "/")+"/"):
		told.Err = fault.Newf(fault.Denied, "the token is for another instance", "it is of %s, and people sign in to %s at %s",
			clean(issuer, token), c.base, clean(services.DiscoveryURL, token))
	case audience != "" && audience != services.ClientID:
		told.Err = fault.Newf(fault.Denied, "the token is for another instance", "it was issued for %s, and %s wants one for %s",
			clean(audience, token), c.base, clean(services.ClientID, token))
	}
	return told
}

// origin reads who issued a token and for whom, without belief in it; "" if it does not tell.
func origin(token string) (issuer, audience string) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return "", ""
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil {
		return "", ""
	}
	var claims struct {
		Issuer   string `json:"iss"`
		Audience any    `json:"aud"` // one, or a list
	}
	_ = json.Unmarshal(payload, &claims) // what is not understood is not told
	if list, ok := claims.Audience.([]any); ok && len(list) == 1 {
		claims.Audience = list[0]
	}
	audience, _ = claims.Audience.(string)
	return claims.Issuer, audience
}
