package iam

import (
	"encoding/json"
	"net/http"

	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

type role struct {
	resource.Row
	Wire wireRole
}

type wireRole struct {
	ID               string            `json:"id"`
	Name             string            `json:"name"`
	Description      string            `json:"description,omitempty"`
	Permissions      []string          `json:"permissions"`
	Editable         bool              `json:"editable"`
	Labels           map[string]string `json:"labels,omitempty"`
	Policy           json.RawMessage   `json:"policy"`
	AssumeRolePolicy json.RawMessage   `json:"assume-role-policy,omitempty"`
	MaxSessionTTL    int64             `json:"max-session-ttl,omitempty"`
}

// Roles are the organization's IAM roles.
type Roles struct {
	table    *resource.Table[role]
	store    *resource.Store
	policies *policies
	keys     *Keys
}

// registerRoutes adds the routes of roles.
func (s *Roles) registerRoutes(register rest.Register) {
	register("GET /iam-role", s.list)
	register("POST /iam-role", s.create)
	register("GET /iam-role/{id}", func(req *rest.Request) (any, error) {
		r, err := s.table.Get("", req.ID())
		return r.Wire, err
	})
	register("PUT /iam-role/{id}", s.update)
	register("PUT /iam-role/{id}/:policy", s.updatePolicy)
	register("DELETE /iam-role/{id}", s.delete)
}

func (s *Roles) list(*rest.Request) (any, error) {
	list := []wireRole{}
	for _, r := range s.table.All() {
		list = append(list, r.Wire)
	}
	return map[string]any{"iam-roles": list}, nil
}

func (s *Roles) create(req *rest.Request) (any, error) {
	body := wireRole{
		Permissions: []string{}, Editable: true, Labels: map[string]string{},
		Policy: json.RawMessage(allowAll), // without one: not known
	}
	if err := req.Decode(&body); err != nil {
		return nil, err
	}
	if _, err := s.policies.compile(body.Policy); err != nil {
		return nil, err
	}
	if err := rest.FirstError(rest.CheckLength("name", body.Name, 1, 191), checkRole(req, body)); err != nil {
		return nil, err
	}
	head, err := s.store.NewRow("")
	if err != nil {
		return nil, err
	}
	body.ID = head.ID
	return s.table.Save(role{Row: head, Wire: body})
}

func checkRole(req *rest.Request, body wireRole) error {
	var given struct {
		Description *string `json:"description"`
	}
	if err := req.Decode(&given); err != nil {
		return err
	}
	for _, permission := range body.Permissions {
		if err := rest.CheckOneOf("permissions", permission, "bypass-governance-retention", resetPermission); err != nil {
			return err
		}
	}
	return rest.CheckOptional("description", given.Description, 1, 255)
}

func (s *Roles) update(req *rest.Request) (any, error) {
	r, err := s.table.Get("", req.ID())
	if err != nil {
		return nil, err
	}
	body := wireRole{Description: r.Wire.Description, MaxSessionTTL: r.Wire.MaxSessionTTL}
	if err := req.Decode(&body); err != nil {
		return nil, err
	}
	if err := checkRole(req, body); err != nil {
		return nil, err
	}
	r.Wire.Description, r.Wire.MaxSessionTTL = body.Description, body.MaxSessionTTL
	if body.Permissions != nil {
		r.Wire.Permissions = body.Permissions
	}
	if body.Labels != nil {
		r.Wire.Labels = body.Labels
	}
	return s.table.Save(r)
}

func (s *Roles) updatePolicy(req *rest.Request) (any, error) {
	r, err := s.table.Get("", req.ID())
	if err != nil {
		return nil, err
	}
	if !r.Wire.Editable {
		return nil, rest.Errorf(http.StatusForbidden, "IAM role %s is not editable", r.Wire.Name)
	}
	if _, err := s.policies.compile(req.Content); err != nil {
		return nil, err
	}
	r.Wire.Policy = req.Content
	return s.table.Save(r)
}

func (s *Roles) delete(req *rest.Request) (any, error) {
	r, err := s.table.Get("", req.ID())
	if err != nil {
		return nil, err
	}
	if _, used := s.keys.table.Find(func(k apiKey) bool { return k.Wire.Role == r.ID }); used {
		return nil, rest.Errorf(http.StatusConflict, "IAM role %s is used by an API key", r.Wire.Name)
	}
	return s.table.Remove(r)
}
