package lieutenant

import (
	"context"
	"net/url"

	"exoshift/state"
)

// ListTenants returns those that the person may see, in Lieutenant's order.
func (c *Client) ListTenants(ctx context.Context) ([]state.SynTenant, error) {
	var answered []tenant
	if err := c.do(ctx, newGetCall("list the tenants in Lieutenant", tenantField, "/tenants"), &answered); err != nil {
		return nil, err
	}
	tenants := make([]state.SynTenant, len(answered))
	for i, t := range answered {
		tenants[i] = t.toTenant()
	}
	return tenants, nil
}

// GetTenant fails with fault.NotFound for one that does not exist or that the person may not see.
func (c *Client) GetTenant(ctx context.Context, id string) (state.SynTenant, error) {
	op := "find tenant " + sanitize(id, "") + " in Lieutenant"
	if err := checkID(op, tenantField, id, "t-"); err != nil {
		return state.SynTenant{}, err
	}
	var answered tenant
	asked := newGetCall(op, tenantField, "/tenants/"+url.PathEscape(id))
	err := c.do(ctx, asked, &answered)
	if err == nil && answered.ID != id {
		err = c.toFault(ctx, asked, "", &apiError{unexpectedBody: "the response is about another tenant"})
	}
	if err != nil {
		return state.SynTenant{}, err
	}
	return answered.toTenant(), nil
}
