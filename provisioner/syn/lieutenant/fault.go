package lieutenant

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"
	"regexp"

	"exoshift/internal/fault"
)

// Fields of the answers that hints refer to.
const (
	urlField     = "syn.lieutenantURL"
	tenantField  = "syn.tenant"
	factsField   = "syn.facts"
	clusterField = "cluster.id"
)

var errNoURL = errors.New("the address is no https URL")

func (c *Client) toFault(ctx context.Context, asked call, token string, failed *apiError) error {
	if ctx.Err() != nil {
		return fault.New(fault.KindOf(ctx.Err()), asked.op, context.Cause(ctx))
	}
	told := fault.New(failed.toFaultKind(), asked.op, failed)
	switch {
	case failed.err != nil, failed.unexpectedBody != "":
		return told.WithField(urlField).WithHint("%s", c.formatURLHint(failed))
	case failed.isUnauthorized():
		return c.toTokenFault(ctx, told, token)
	case told.Kind == fault.Denied && failed.status == http.StatusForbidden:
		return told.WithHint("ask those who run Lieutenant at %s for the permission to %s", c.base, formatPermission(asked, failed.reason))
	case told.Kind == fault.Denied:
		return told.WithHint("sign in at %s again; if COMMODORE_API_TOKEN is set, check that it is a whole token", c.base)
	case told.Kind == fault.Transient:
		return told.WithHint("run again in a while; what exists already is found. If it stays, tell those who run Lieutenant at %s", c.base)
	case told.Kind == fault.NotFound:
		return told.WithField(asked.field).WithHint("check its ID, and that you may see it at %s", c.base)
	}
	return told.WithField(asked.field).WithHint("correct what Lieutenant objects to in the answers; if nothing there is wrong, report this")
}

// formatURLHint is for a URL where something other than Lieutenant, or nothing, responds.
func (c *Client) formatURLHint(failed *apiError) string {
	switch {
	case errors.Is(failed.err, errNoURL):
		return "give Lieutenant's address, like https://api.syn.vshn.net"
	case failed.unexpectedBody != "":
		return fmt.Sprintf("check that %s is Lieutenant's address, and that no sign-in page of your network or proxy is in between", c.base)
	case isCertificateError(failed.err):
		return "if a proxy inspects TLS here, add its certificate authority to this machine's trust store"
	}
	return fmt.Sprintf("check that %s is right and that this machine reaches it, then run again; what exists already is found", c.base)
}

func isCertificateError(err error) bool {
	var wrong *tls.CertificateVerificationError
	return errors.As(err, &wrong)
}

// formatPermission names the missing permission from the message of Kubernetes, which authorizes Lieutenant's requests; it writes
// ' instead of ".
func formatPermission(asked call, reason string) string {
	found := regexp.MustCompile(`cannot (\w+) resource ['"]([\w/.-]+)['"]`).FindStringSubmatch(reason)
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
