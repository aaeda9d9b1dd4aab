package iam

import (
	"encoding/json"

	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

// organizationPolicy limits all keys of the organization; there is none after a reset.
type organizationPolicy struct {
	resource.Row
	Policy json.RawMessage
}

const (
	organizationNoun = "iam-organization-policy"
	allowAll         = `{"default-service-strategy":"allow","services":{}}`
)

// Organization is the policy of the organization.
type Organization struct {
	table    *resource.Table[organizationPolicy]
	store    *resource.Store
	policies *policies
}

// registerRoutes adds the routes of the policy.
func (s *Organization) registerRoutes(register rest.Register) {
	register("GET /iam-organization-policy", func(*rest.Request) (any, error) { return s.policy(), nil })
	register("PUT /iam-organization-policy", s.update)
	register("POST /iam-organization-policy/:reset", s.reset)
}

func (s *Organization) policy() json.RawMessage {
	if kept, ok := s.table.Lookup(resource.StableID("organization")); ok {
		return kept.Policy
	}
	return json.RawMessage(allowAll)
}

func (s *Organization) update(req *rest.Request) (any, error) {
	if _, err := s.policies.compile(req.Content); err != nil {
		return nil, err
	}
	head, err := s.store.NewRow("")
	if err != nil {
		return nil, err
	}
	head.ID = resource.StableID("organization")
	if err := s.table.Put(organizationPolicy{Row: head, Policy: req.Content}); err != nil {
		return nil, err
	}
	return s.store.StartOperation(head, organizationNoun)
}

func (s *Organization) reset(*rest.Request) (any, error) {
	id := resource.StableID("organization")
	if err := s.table.Delete(id); err != nil {
		return nil, err
	}
	return s.store.StartOperation(resource.Row{ID: id}, organizationNoun)
}
