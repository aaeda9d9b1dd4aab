package lieutenant

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"exoshift/internal/fault"
)

// Fields of the answers that hints refer to.
const (
	urlField     = "syn.lieutenantURL"
	tenantField  = "syn.tenant"
	factsField   = "syn.facts"
	clusterField = "cluster.id"
)

var permissionPattern = regexp.MustCompile(`cannot (\w+) resource ['"]([\w/.-]+)['"]`)

var errNoURL = errors.New("the address is not an https URL")

func (c *connection) toFault(ctx context.Context, asked call, token string, failed *apiError) error {
	if ctx.Err() != nil {
		return fault.New(fault.KindOf(ctx.Err()), asked.op, context.Cause(ctx))
	}
	current := fault.New(failed.toFaultKind(), asked.op, failed)
	switch {
	case failed.err != nil, failed.unexpectedBody != "":
		return current.WithField(urlField).WithHint("%s", c.formatURLHint(failed))
	case failed.isUnauthorized():
		return c.toTokenFault(ctx, current, token)
	case current.Kind == fault.Denied && failed.status == http.StatusForbidden:
		return current.WithHint("ask the operator of Lieutenant at %s for the permission to %s", c.base, formatPermission(asked, failed.reason))
	case current.Kind == fault.Denied:
		return current.WithHint("sign in at %s again; if COMMODORE_API_TOKEN is set, check that it is a whole token", c.base)
	case current.Kind == fault.Transient:
		return current.WithHint("run again later; existing objects are found. If the problem persists, contact the operator of Lieutenant at %s", c.base)
	case current.Kind == fault.NotFound:
		return current.WithField(asked.field).WithHint("check its ID, and that you have access to it at %s", c.base)
	}
	return current.WithField(asked.field).WithHint("correct the rejected value in the answers; if nothing there is wrong, report this")
}

// formatURLHint is for a URL where something other than Lieutenant, or nothing, responds.
func (c *connection) formatURLHint(failed *apiError) string {
	switch {
	case errors.Is(failed.err, errNoURL):
		return "use Lieutenant's URL, e.g. https://api.syn.vshn.net"
	case failed.unexpectedBody != "":
		return fmt.Sprintf("check that %s is Lieutenant's address, and that no sign-in page of your network or proxy answers instead", c.base)
	case isCertificateError(failed.err):
		return "if a proxy inspects TLS here, add its certificate authority to this machine's trust store"
	}
	return fmt.Sprintf("check that %s is right and that this machine reaches it, then run again; existing objects are found", c.base)
}

func isCertificateError(err error) bool {
	var wrong *tls.CertificateVerificationError
	return errors.As(err, &wrong)
}

// formatPermission names the missing permission from the message of Kubernetes, which authorizes Lieutenant's requests; it writes
// ' instead of ".
func formatPermission(asked call, reason string) string {
	found := permissionPattern.FindStringSubmatch(reason)
	if found != nil {
		return found[1] + " " + found[2]
	}
	switch asked.method {
	case http.MethodPatch:
		return "update clusters and clusters/status"
	case http.MethodPost:
		return "create clusters"
	case http.MethodDelete:
		return "delete clusters"
	}
	return "get and list tenants and clusters"
}

// toTokenFault adds why a token is not accepted, which Kubernetes omits.
func (c *connection) toTokenFault(ctx context.Context, current *fault.Error, token string) error {
	from := parseClaims(token)
	services, err := c.Discover(ctx)
	current = current.WithHint("sign in at %s again; a token in COMMODORE_API_TOKEN must be of this instance", c.base)
	switch {
	case strings.HasPrefix(from.Subject, "system:serviceaccount:"):
		current.Err = fault.Newf(fault.Denied, "the token has expired or is for another instance", "it belongs to the service account %s, which %s does not accept",
			sanitize(strings.TrimPrefix(from.Subject, "system:serviceaccount:"), token), c.base)
	case from.Issuer == "" || err != nil:
		return current
	case !strings.HasPrefix(services.DiscoveryURL, strings.TrimRight(from.Issuer, "/")+"/"):
		current.Err = fault.Newf(fault.Denied, "the token is for another instance", "it is of %s, but sign-ins to %s are at %s",
			sanitize(from.Issuer, token), c.base, sanitize(services.DiscoveryURL, token))
	case from.audience() != "" && from.audience() != services.ClientID:
		current.Err = fault.Newf(fault.Denied, "the token is for another instance", "it was issued for %s, but %s requires one for %s",
			sanitize(from.audience(), token), c.base, sanitize(services.ClientID, token))
	}
	return current
}

// tokenClaims are unverified claims of a token.
type tokenClaims struct {
	Issuer   string `json:"iss"`
	Subject  string `json:"sub"`
	Audience any    `json:"aud"` // a string, or a list
}

// parseClaims verifies nothing; unknown claims are empty.
func parseClaims(token string) (claims tokenClaims) {
	parts := strings.Split(token, ".")
	if len(parts) != 3 {
		return tokenClaims{}
	}
	payload, err := base64.RawURLEncoding.DecodeString(parts[1])
	if err != nil || json.Unmarshal(payload, &claims) != nil {
		return tokenClaims{}
	}
	return claims
}

func (c tokenClaims) audience() string {
	if list, ok := c.Audience.([]any); ok && len(list) == 1 {
		c.Audience = list[0]
	}
	one, _ := c.Audience.(string)
	return one
}
