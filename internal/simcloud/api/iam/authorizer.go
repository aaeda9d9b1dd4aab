package iam

import (
	"encoding/json"
	"net/http"
	"net/netip"
	"slices"
	"time"

	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

// Config configures the authorization of requests.
type Config struct {
	// Key and Secret are accepted in addition to the API keys created through the API.
	Key, Secret string
	// RefuseCredentials answers every signed request with 403.
	RefuseCredentials bool
	// Now is the clock against which a client's signatures are verified; nil is the wall clock.
	Now func(asker netip.Addr) time.Time
}

// Authorizer authorizes requests by their signatures and the policies of their keys.
type Authorizer struct {
	// Keys are the API keys.
	Keys         *Keys
	roles        *Roles
	organization *Organization

	config     Config
	policies   *policies // compiled, by source
	operations Operations
	shows      map[string]rest.Handler // by noun
}

// New opens the roles, the keys and the policy of the organization.
func New(store *resource.Store, config Config, operations Operations) *Authorizer {
	policies := &policies{}
	roles := resource.Open[role](store, "iam-role")
	keys := &Keys{table: resource.Open[apiKey](store, "api-key"), roles: roles, store: store}
	store.Quotas.Count("iam-key", keys.table.Len)
	return &Authorizer{
		Keys: keys, roles: &Roles{table: roles, store: store, policies: policies, keys: keys},
		organization: &Organization{table: resource.Open[organizationPolicy](store, organizationNoun), store: store, policies: policies},
		config:       config, policies: policies, operations: operations, shows: map[string]rest.Handler{},
	}
}

// RegisterRoutes adds the routes of roles, API keys and the organization's policy.
func (a *Authorizer) RegisterRoutes(register rest.Register) {
	a.roles.registerRoutes(register)
	a.Keys.registerRoutes(register)
	a.organization.registerRoutes(register)
}

// Show sets the handler that returns a resource, which expressions of policies see as "resources.<noun>".
func (a *Authorizer) Show(noun string, get rest.Handler) { a.shows[noun] = get }

// resetPermission is a role's permission to undo an organization policy that locks everybody out.
const resetPermission = "reset-iam-organization-policy"

// Check refuses a request without a known key, or that a policy denies.
func (a *Authorizer) Check(req *rest.Request, pattern string) error {
	key, err := a.authenticate(req)
	if err != nil {
		return err
	}
	policies, err := a.findPolicies(key)
	if err != nil {
		return err
	}
	q := policyInput{}
	q.service, q.operation = a.operations.Lookup(pattern)
	if slices.ContainsFunc(policies, (*policy).hasRules) {
		q = a.buildPolicyInput(req, pattern)
	}
	if q.operation == resetPermission && a.canResetOrgPolicy(key) || isPermitted(policies, q) {
		return nil
	}
	return rest.Errorf(http.StatusForbidden, "Forbidden by IAM policy: operation %s of service %s", q.operation, q.service)
}

// findPolicies returns the policies that apply to a key: that of the organization, and that of its role. The configured key is
// the owner's and has no role.
func (a *Authorizer) findPolicies(key string) ([]*policy, error) {
	texts := []json.RawMessage{a.organization.policy()}
	if made, ok := a.Keys.table.Lookup(key); ok {
		role, _ := a.roles.table.Lookup(made.Wire.Role) // a role cannot be deleted while it has keys
		texts = append(texts, role.Wire.Policy)
	}
	var list []*policy
	for _, text := range texts {
		compiled, err := a.policies.compile(text)
		if err != nil {
			return nil, err
		}
		list = append(list, compiled)
	}
	return list, nil
}

func isPermitted(policies []*policy, q policyInput) bool {
	return !slices.ContainsFunc(policies, func(p *policy) bool { return !p.isAllowed(q) })
}

func (a *Authorizer) canResetOrgPolicy(key string) bool {
	made, ok := a.Keys.table.Lookup(key)
	if !ok {
		return true
	}
	role, _ := a.roles.table.Lookup(made.Wire.Role)
	return slices.Contains(role.Wire.Permissions, resetPermission)
}

// AllowsStorage evaluates the policies for the service "sos". Operations and "parameters.bucket" are those of policies that
// people use; "parameters.key" and "resources.bucket" are our reading.
func (a *Authorizer) AllowsStorage(key, operation, bucket, object string) bool {
	q := policyInput{service: "sos", operation: operation, parameters: map[string]any{}, resources: map[string]any{}}
	if bucket != "" {
		q.parameters["bucket"], q.resources["bucket"] = bucket, bucket
	}
	if object != "" {
		q.parameters["key"] = object
	}
	policies, err := a.findPolicies(key)
	return err == nil && isPermitted(policies, q)
}

// Secret returns the secret of an API key, if it exists.
func (a *Authorizer) Secret(key string) (string, bool) {
	if a.config.RefuseCredentials {
		return "", false
	}
	return a.lookupSecret(key)
}
