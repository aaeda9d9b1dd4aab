package api

import (
	"crypto/rand"
	"encoding/json"
	"net/http"
	"strings"
)

type role struct {
	row
	Wire wireRole
}

type wireRole struct {
	ID               string            `json:"id"`
	Name             string            `json:"name"`
	Description      string            `json:"description,omitempty"`
	Permissions      []string          `json:"permissions"`
	Editable         bool              `json:"editable"`
	Labels           map[string]string `json:"labels"`
	Policy           json.RawMessage   `json:"policy"`
	AssumeRolePolicy json.RawMessage   `json:"assume-role-policy,omitempty"`
	MaxSessionTTL    int64             `json:"max-session-ttl,omitempty"`
}

type apiKey struct {
	row
	Wire   wireAPIKey
	Secret string
}

type wireAPIKey struct {
	Key    string `json:"key"`
	Name   string `json:"name"`
	Role   string `json:"role-id"`
	Secret string `json:"secret,omitempty"` // returned once, by the call that creates the key
}

const roleNoun = "iam-role"

func (a *API) registerIAMRoutes(register func(string, handler)) {
	register("GET /iam-role", a.listRoles)
	register("POST /iam-role", a.createRole)
	register("GET /iam-role/{id}", func(c *call) (any, error) {
		r, err := a.tables.roles.get("", c.id())
		return r.Wire, err
	})
	register("PUT /iam-role/{id}", a.updateRole)
	register("PUT /iam-role/{id}/:policy", a.updatePolicy)
	register("DELETE /iam-role/{id}", a.deleteRole)
	register("GET /api-key", a.listAPIKeys)
	register("POST /api-key", a.createAPIKey)
	register("GET /api-key/{id}", func(c *call) (any, error) {
		k, err := a.tables.apiKeys.get("", c.id())
		return k.Wire, err
	})
	register("DELETE /api-key/{id}", a.deleteAPIKey)
}

func (a *API) listRoles(*call) (any, error) {
	list := []wireRole{}
	for _, r := range a.tables.roles.listAll() {
		list = append(list, r.Wire)
	}
	return map[string]any{"iam-roles": list}, nil
}

func (a *API) createRole(c *call) (any, error) {
	body := wireRole{
		Permissions: []string{}, Editable: true, Labels: map[string]string{},
		Policy: json.RawMessage(allowAll), // without one: not known
	}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	if _, err := a.policies.compile(body.Policy); err != nil {
		return nil, err
	}
	if err := check(checkLength("name", body.Name, 1, 191), checkRole(c, body)); err != nil {
		return nil, err
	}
	head, err := a.newRow("")
	if err != nil {
		return nil, err
	}
	body.ID = head.ID
	return a.putRole(role{row: head, Wire: body})
}

func (a *API) putRole(r role) (any, error) {
	if err := a.tables.roles.put(r); err != nil {
		return nil, err
	}
	return a.startOperation(r.row, roleNoun)
}

func checkRole(c *call, body wireRole) error {
	var given struct {
		Description *string `json:"description"`
	}
	if err := c.decode(&given); err != nil {
		return err
	}
	for _, permission := range body.Permissions {
		if err := checkOneOf("permissions", permission, "bypass-governance-retention", resetPermission); err != nil {
			return err
		}
	}
	return checkGiven("description", given.Description, 1, 255)
}

func (a *API) updateRole(c *call) (any, error) {
	r, err := a.tables.roles.get("", c.id())
	if err != nil {
		return nil, err
	}
	body := wireRole{Description: r.Wire.Description, MaxSessionTTL: r.Wire.MaxSessionTTL}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	if err := checkRole(c, body); err != nil {
		return nil, err
	}
	r.Wire.Description, r.Wire.MaxSessionTTL = body.Description, body.MaxSessionTTL
	if body.Permissions != nil {
		r.Wire.Permissions = body.Permissions
	}
	if body.Labels != nil {
		r.Wire.Labels = body.Labels
	}
	return a.putRole(r)
}

func (a *API) updatePolicy(c *call) (any, error) {
	r, err := a.tables.roles.get("", c.id())
	if err != nil {
		return nil, err
	}
	if !r.Wire.Editable {
		return nil, newAPIError(http.StatusForbidden, "IAM role %s is not editable", r.Wire.Name)
	}
	if _, err := a.policies.compile(c.body); err != nil {
		return nil, err
	}
	r.Wire.Policy = c.body
	return a.putRole(r)
}

func (a *API) deleteRole(c *call) (any, error) {
	r, err := a.tables.roles.get("", c.id())
	if err != nil {
		return nil, err
	}
	if _, used := a.tables.apiKeys.find(func(k apiKey) bool { return k.Wire.Role == r.ID }); used {
		return nil, newAPIError(http.StatusConflict, "IAM role %s is used by an API key", r.Wire.Name)
	}
	if err := a.tables.roles.delete(r.ID); err != nil {
		return nil, err
	}
	return a.startOperation(r.row, roleNoun)
}

func (a *API) listAPIKeys(*call) (any, error) {
	list := []wireAPIKey{}
	for _, k := range a.tables.apiKeys.listAll() {
		list = append(list, k.Wire)
	}
	return map[string]any{"api-keys": list}, nil
}

func (a *API) createAPIKey(c *call) (any, error) {
	var body wireAPIKey
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	if err := check(checkLength("name", body.Name, 1, 255), a.checkQuota("iam-key", 1)); err != nil {
		return nil, err
	}
	if _, err := a.tables.roles.get("", body.Role); err != nil {
		return nil, err
	}
	head, err := a.newRow("")
	if err != nil {
		return nil, err
	}
	key := "EXO" + strings.ToLower(rand.Text())[:24]
	head.ID = key
	body.Key, body.Secret = key, ""
	secret := rand.Text() + rand.Text()
	if err := a.tables.apiKeys.put(apiKey{row: head, Wire: body, Secret: secret}); err != nil {
		return nil, err
	}
	body.Secret = secret
	return body, nil
}

func (a *API) deleteAPIKey(c *call) (any, error) {
	k, err := a.tables.apiKeys.get("", c.id())
	if err != nil {
		return nil, err
	}
	if err := a.tables.apiKeys.delete(k.ID); err != nil {
		return nil, err
	}
	// The description wants a UUID in every operation, which a key is not; the live service's value is not known.
	answer := newReference("api-key", k.ID)
	answer.ID = generateStableID(answer.Link)
	return a.begin("", computeDuration(k.ID), operation{Wire: wireOperation{Reference: answer}})
}
