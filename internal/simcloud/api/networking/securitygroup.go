package networking

import (
	"net/http"
	"net/netip"
	"slices"

	"exoshift/internal/simcloud/api/instance"
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

// securityGroup is a group of the organization. Public ones belong to Exoscale and are generated on demand.
type securityGroup struct {
	resource.Row
	Wire wireGroup
}

type wireGroup struct {
	ID              string     `json:"id"`
	Name            string     `json:"name"`
	Description     string     `json:"description,omitempty"`
	Visibility      string     `json:"visibility"` // undeclared, but returned by the live service
	Rules           []wireRule `json:"rules,omitempty"`
	ExternalSources []string   `json:"external-sources,omitempty"`
}

const defaultGroup = "default"

// SecurityGroups are the organization's security groups with their rules.
type SecurityGroups struct {
	store  *resource.Store
	tables *instance.Tables
	table  *resource.Table[securityGroup]
}

// registerRoutes adds the routes of security groups and their rules.
func (s *SecurityGroups) registerRoutes(register rest.Register) {
	register("GET /security-group", s.list)
	register("POST /security-group", s.create)
	register("GET /security-group/{id}", func(req *rest.Request) (any, error) {
		group, err := s.table.Get("", req.ID())
		return group.Wire, err
	})
	register("DELETE /security-group/{id}", s.delete)
	register("POST /security-group/{id}/rules", s.addRule)
	register("DELETE /security-group/{id}/rules/{rule}", s.deleteRule)
	register("PUT /security-group/{id}/:add-source", s.updateSources)
	register("PUT /security-group/{id}/:remove-source", s.updateSources)
	register("PUT /security-group/{id}/:attach", s.attach)
	register("PUT /security-group/{id}/:detach", s.detach)
}

// AddDefault adds the default group, if it is missing.
func (s *SecurityGroups) AddDefault() error {
	if _, ok := s.table.Find(isDefault); ok {
		return nil
	}
	head, err := s.store.NewRow("")
	if err != nil {
		return err
	}
	wire := wireGroup{ID: head.ID, Name: defaultGroup, Description: "Default Security Group", Visibility: "private"}
	return s.table.Put(securityGroup{Row: head, Wire: wire})
}

func isDefault(g securityGroup) bool { return g.Wire.Name == defaultGroup }

// listPublicGroups returns the groups of Exoscale. Their addresses are not known.
func listPublicGroups() []wireGroup {
	var groups []wireGroup
	for _, name := range []string{"public-nlb-healthcheck-sources", "public-sos-endpoints", "public-sks-apiservers"} {
		groups = append(groups, wireGroup{ID: resource.StableID("security-group/" + name), Name: name, Visibility: "public"})
	}
	return groups
}

func (s *SecurityGroups) list(req *rest.Request) (any, error) {
	list := []wireGroup{}
	if req.Query("visibility") == "public" {
		list = listPublicGroups()
	} else {
		for _, group := range s.table.All() {
			list = append(list, group.Wire)
		}
	}
	return map[string]any{"security-groups": list}, nil
}

func (s *SecurityGroups) create(req *rest.Request) (any, error) {
	var body wireGroup
	if err := req.Decode(&body); err != nil {
		return nil, err
	}
	err := rest.FirstError(rest.CheckLength("name", body.Name, 1, 255), rest.CheckLength("description", body.Description, 0, 255))
	if err != nil {
		return nil, err
	}
	head, err := s.store.NewRow("")
	if err != nil {
		return nil, err
	}
	wire := wireGroup{ID: head.ID, Name: body.Name, Description: body.Description, Visibility: "private"}
	return s.table.Save(securityGroup{Row: head, Wire: wire})
}

func (s *SecurityGroups) delete(req *rest.Request) (any, error) {
	group, err := s.table.Get("", req.ID())
	if err != nil {
		return nil, err
	}
	if err := s.checkUnused(group); err != nil {
		return nil, err
	}
	return s.table.Remove(group)
}

// checkUnused refuses a group that an instance uses or that a rule, even its own, refers to.
func (s *SecurityGroups) checkUnused(group securityGroup) error {
	if isDefault(group) {
		return rest.Errorf(http.StatusConflict, "The default security group can not be deleted")
	}
	for _, i := range s.tables.Instances.All() {
		if slices.Contains(i.Groups, group.ID) {
			return rest.Errorf(http.StatusConflict, "Security group %s is in use by instance %s", group.Wire.Name, i.Name)
		}
	}
	for _, other := range s.table.All() {
		for _, rule := range other.Wire.Rules {
			if rule.Group != nil && rule.Group.ID == group.ID {
				return rest.Errorf(http.StatusConflict, "Security group %s is referenced by a rule of %s", group.Wire.Name, other.Wire.Name)
			}
		}
	}
	return nil
}

// updateSources serves both :add-source and :remove-source; both are idempotent.
func (s *SecurityGroups) updateSources(req *rest.Request) (any, error) {
	var body struct {
		CIDR string `json:"cidr"`
	}
	if err := req.Decode(&body); err != nil {
		return nil, err
	}
	if _, err := netip.ParsePrefix(body.CIDR); err != nil {
		return nil, rest.Invalidf("cidr: %v", err)
	}
	group, err := s.table.Get("", req.ID())
	if err != nil {
		return nil, err
	}
	group.Wire.ExternalSources = resource.Without(group.Wire.ExternalSources, body.CIDR)
	if req.Action() == "add-source" {
		group.Wire.ExternalSources = append(group.Wire.ExternalSources, body.CIDR)
	}
	return s.table.Save(group)
}

func (s *SecurityGroups) attach(req *rest.Request) (any, error) {
	return s.updateInstance(req, func(groups []string, id string) []string { return append(resource.Without(groups, id), id) })
}

func (s *SecurityGroups) detach(req *rest.Request) (any, error) {
	return s.updateInstance(req, resource.Without)
}

func (s *SecurityGroups) updateInstance(req *rest.Request, change func(groups []string, id string) []string) (any, error) {
	group, err := s.table.Get("", req.ID())
	if err != nil {
		return nil, err
	}
	i, err := s.tables.FindNamed(req)
	if err != nil {
		return nil, err
	}
	i.Groups = change(i.Groups, group.ID)
	if err := s.tables.Instances.Put(i); err != nil {
		return nil, err
	}
	return s.store.StartOperation(group.Row, "security-group")
}

// Check returns an error if there is no such group.
func (s *SecurityGroups) Check(id string) error {
	_, err := s.table.Get("", id)
	return err
}

// DefaultID returns the ID of the default group.
func (s *SecurityGroups) DefaultID() string {
	group, _ := s.table.Find(isDefault)
	return group.ID
}
