package api

import (
	"encoding/json"
	"net/http"
	"slices"
)

// resetPermission is a role's permission to undo an organization policy that locks everybody out.
const resetPermission = "reset-iam-organization-policy"

// checkAuthorization refuses a request without a known key, or that a policy denies.
func (a *API) checkAuthorization(c *call, pattern string) error {
	key, err := a.authenticate(c.request, c.body)
	if err != nil {
		return err
	}
	policies, err := a.findPolicies(key)
	if err != nil {
		return err
	}
	q := policyInput{}
	q.service, q.operation = lookupOperation(a.operations, pattern)
	if slices.ContainsFunc(policies, (*policy).hasRules) {
		q = a.buildPolicyInput(c, pattern)
	}
	if q.operation == resetPermission && a.canResetOrgPolicy(key) || isPermitted(policies, q) {
		return nil
	}
	return newAPIError(http.StatusForbidden, "Forbidden by IAM policy: operation %s of service %s", q.operation, q.service)
}

// findPolicies returns the policies that apply to a key: that of the organization, and that of its role. The configured key is
// the owner's and has no role.
func (a *API) findPolicies(key string) ([]*policy, error) {
	texts := []json.RawMessage{a.getOrganizationPolicy()}
	if made, ok := a.tables.apiKeys.table.Get(key); ok {
		role, _ := a.tables.roles.table.Get(made.Wire.Role) // a role cannot be deleted while it has keys
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

func (a *API) canResetOrgPolicy(key string) bool {
	made, ok := a.tables.apiKeys.table.Get(key)
	if !ok {
		return true
	}
	role, _ := a.tables.roles.table.Get(made.Wire.Role)
	return slices.Contains(role.Wire.Permissions, resetPermission)
}

// Credentials returns the secret of an API key, and its permissions in the object storage: an operation, named as in
// "put-object", on a bucket and an object, where it has them. The last result reports whether the key exists.
func (a *API) Credentials(key string) (secret string, allows func(operation, bucket, object string) bool, ok bool) {
	a.mu.Lock()
	defer a.mu.Unlock()
	if a.config.RefuseCredentials {
		return "", nil, false
	}
	secret, ok = a.lookupSecret(key)
	return secret, func(operation, bucket, object string) bool { return a.isStorageAllowed(key, operation, bucket, object) }, ok
}

// isStorageAllowed evaluates the policies for the service "sos". Operations and "parameters.bucket" are those of policies that
// people use; "parameters.key" and "resources.bucket" are our reading.
func (a *API) isStorageAllowed(key, operation, bucket, object string) bool {
	a.mu.Lock()
	defer a.mu.Unlock()
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
