package exoscale

import (
	"crypto/tls"
	"errors"
	"fmt"
	"net/http"

	"exoshift/internal/fault"
)

func (c *Client) findHint(kind fault.Kind, failed *requestError) string {
	switch kind {
	case fault.Denied:
		return c.findDeniedHint(failed)
	case fault.Quota:
		return "ask for a higher limit on the quota page of the organization in the Exoscale portal, or choose fewer or other machines"
	case fault.NotFound:
		return fmt.Sprintf("most objects belong to one zone: check that it exists in %s", c.zone)
	case fault.Conflict:
		return "look at the object in the Exoscale portal, remove what holds it or its name, and run again"
	case fault.Transient:
		return c.findTransientHint(failed)
	case fault.Internal:
		return c.findInternalHint(failed)
	}
	return "correct what the API objects to in the answers file; if nothing there is wrong, report this"
}

func (c *Client) findDeniedHint(failed *requestError) string {
	if failed.status == http.StatusForbidden || failed.operation != "" {
		return fmt.Sprintf("check that the API key is valid and that its IAM role allows this in zone %s", c.zone)
	}
	return "check that API key and secret belong together and were not revoked, and that this machine's clock is right"
}

func (c *Client) findTransientHint(failed *requestError) string {
	if failed.err != nil {
		return fmt.Sprintf("check that this machine reaches https://api-%s.exoscale.com, then run again; what exists already is found", c.zone)
	}
	return "run again in a while; what exists already is found"
}

func (c *Client) findInternalHint(failed *requestError) string {
	var certificate *tls.CertificateVerificationError
	if errors.As(failed.err, &certificate) {
		return "if a proxy inspects TLS here, add its certificate authority to this machine's trust store"
	}
	if failed.operation != "" {
		return fmt.Sprintf("look at the event log of zone %s in the Exoscale portal; run again, and ask Exoscale's support if it fails again", c.zone)
	}
	return fmt.Sprintf("check that https://api-%s.exoscale.com is reached directly or through a proxy that passes everything on", c.zone)
}
