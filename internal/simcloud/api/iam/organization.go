package api

import "encoding/json"

// organizationPolicy limits all keys of the organization; there is none after a reset.
type organizationPolicy struct {
	row
	Policy json.RawMessage
}

const (
	organizationNoun = "iam-organization-policy"
	allowAll         = `{"default-service-strategy":"allow","services":{}}`
)

func (a *API) registerOrganizationRoutes(register func(string, handler)) {
	register("GET /iam-organization-policy", func(*call) (any, error) { return a.getOrganizationPolicy(), nil })
	register("PUT /iam-organization-policy", a.updateOrganizationPolicy)
	register("POST /iam-organization-policy/:reset", a.resetOrganizationPolicy)
}

func (a *API) getOrganizationPolicy() json.RawMessage {
	if kept, ok := a.tables.organization.table.Get(generateStableID("organization")); ok {
		return kept.Policy
	}
	return json.RawMessage(allowAll)
}

func (a *API) updateOrganizationPolicy(c *call) (any, error) {
	if _, err := a.policies.compile(c.body); err != nil {
		return nil, err
	}
	head, err := a.newRow("")
	if err != nil {
		return nil, err
	}
	head.ID = generateStableID("organization")
	if err := a.tables.organization.put(organizationPolicy{row: head, Policy: c.body}); err != nil {
		return nil, err
	}
	return a.startOperation(head, organizationNoun)
}

func (a *API) resetOrganizationPolicy(*call) (any, error) {
	id := generateStableID("organization")
	if err := a.tables.organization.delete(id); err != nil {
		return nil, err
	}
	return a.startOperation(row{ID: id}, organizationNoun)
}
