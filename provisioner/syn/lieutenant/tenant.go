package lieutenant

import (
	"context"
	"net/url"

	"exoshift/state"
)

// Tenants returns those that the person may see, as Lieutenant orders them.
func (c *Client) Tenants(ctx context.Context) ([]state.SynTenant, error) {
	var answered []tenant
	if err := c.do(ctx, get("list the tenants in Lieutenant", tenantField, "/tenants"), &answered); err != nil {
		return nil, err
	}
	tenants := make([]state.SynTenant, len(answered))
	for i, t := range answered {
		tenants[i] = t.tenant()
	}
	return tenants, nil
}

// Tenant fails with fault.NotFound for one that does not exist or that the person may not see.
func (c *Client) Tenant(ctx context.Context, id string) (state.SynTenant, error) {
	op := "find tenant " + clean(id, "") + " in Lieutenant"
	if err := checkID(op, tenantField, id, "t-"); err != nil {
		return state.SynTenant{}, err
	}
	var answered tenant
	asked := get(op, tenantField, "/tenants/"+url.PathEscape(id))
	err := c.do(ctx, asked, &answered)
	if err == nil && answered.ID != id {
		err = c.translate(ctx, asked, "", &refusal{strange: "it answers with another tenant"})
	}
	if err != nil {
		return state.SynTenant{}, err
	}
	return answered.tenant(), nil
}
