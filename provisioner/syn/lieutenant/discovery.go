package lieutenant

import (
	"context"
	"net/url"

	"exoshift/state"
)

// Discover returns the services that Lieutenant names: the single sign-on and Vault. It needs no token.
func (c *Client) Discover(ctx context.Context) (state.SynServices, error) {
	asked := newGetCall("ask Lieutenant for its services", urlField, "/")
	asked.anonymous = true
	if address, err := url.Parse(c.base); err != nil || address.Scheme != "https" || address.Hostname() == "" {
		return state.SynServices{}, c.toFault(ctx, asked, "", &apiError{err: errNoURL})
	}
	var told metadata
	if err := c.do(ctx, asked, &told); err != nil {
		return state.SynServices{}, err
	}
	if told.APIVersion == "" {
		return state.SynServices{}, c.toFault(ctx, asked, "", &apiError{unexpectedBody: "it answers, but not as Lieutenant does"})
	}
	return state.SynServices{
		DiscoveryURL: told.OIDC.DiscoveryURL, ClientID: told.OIDC.ClientID,
		Vault: told.Vault.Address, VaultMethod: told.Vault.LoginMethod,
	}, nil
}
