package api

import (
	"net/http"
	"net/netip"
	"slices"
)

// securityGroup is a group of the organization. Public ones belong to Exoscale and are generated on demand.
type securityGroup struct {
	row
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

func (a *API) groupRoutes(register func(string, handler)) {
	register("GET /security-group", a.listGroups)
	register("POST /security-group", a.createGroup)
	register("GET /security-group/{id}", func(c *call) (any, error) {
		group, err := a.tables.groups.get("", c.id())
		return group.Wire, err
	})
	register("DELETE /security-group/{id}", a.deleteGroup)
	register("POST /security-group/{id}/rules", a.addRule)
	register("DELETE /security-group/{id}/rules/{rule}", a.deleteRule)
	register("PUT /security-group/{id}/:add-source", a.updateSources)
	register("PUT /security-group/{id}/:remove-source", a.updateSources)
	register("PUT /security-group/{id}/:attach", a.attachGroup)
	register("PUT /security-group/{id}/:detach", a.detachGroup)
}

func (a *API) addDefaultGroup() error {
	if _, ok := a.tables.groups.find(isDefault); ok {
		return nil
	}
	head, err := a.newRow("")
	if err != nil {
		return err
	}
	wire := wireGroup{ID: head.ID, Name: defaultGroup, Description: "Default Security Group", Visibility: "private"}
	return a.tables.groups.put(securityGroup{row: head, Wire: wire})
}

func isDefault(g securityGroup) bool { return g.Wire.Name == defaultGroup }

// listPublicGroups returns the groups of Exoscale. Their addresses are not known.
func listPublicGroups() []wireGroup {
	var groups []wireGroup
	for _, name := range []string{"public-nlb-healthcheck-sources", "public-sos-endpoints", "public-sks-apiservers"} {
		groups = append(groups, wireGroup{ID: generateStableID("security-group/" + name), Name: name, Visibility: "public"})
	}
	return groups
}

func (a *API) listGroups(c *call) (any, error) {
	list := []wireGroup{}
	if c.query("visibility") == "public" {
		list = listPublicGroups()
	} else {
		for _, group := range a.tables.groups.listAll() {
			list = append(list, group.Wire)
		}
	}
	return map[string]any{"security-groups": list}, nil
}

func (a *API) createGroup(c *call) (any, error) {
	var body wireGroup
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	err := check(checkLength("name", body.Name, 1, 255), checkLength("description", body.Description, 0, 255))
	if err != nil {
		return nil, err
	}
	head, err := a.newRow("")
	if err != nil {
		return nil, err
	}
	wire := wireGroup{ID: head.ID, Name: body.Name, Description: body.Description, Visibility: "private"}
	return a.putGroup(securityGroup{row: head, Wire: wire})
}

func (a *API) putGroup(group securityGroup) (any, error) {
	if err := a.tables.groups.put(group); err != nil {
		return nil, err
	}
	return a.startOperation(group.row, "security-group")
}

func (a *API) deleteGroup(c *call) (any, error) {
	group, err := a.tables.groups.get("", c.id())
	if err != nil {
		return nil, err
	}
	if err := a.checkGroupUnused(group); err != nil {
		return nil, err
	}
	if err := a.tables.groups.delete(group.ID); err != nil {
		return nil, err
	}
	return a.startOperation(group.row, "security-group")
}

// checkGroupUnused refuses a group that an instance uses or that a rule, even its own, refers to.
func (a *API) checkGroupUnused(group securityGroup) error {
	if isDefault(group) {
		return newAPIError(http.StatusConflict, "The default security group can not be deleted")
	}
	for _, i := range a.tables.instances.listAll() {
		if slices.Contains(i.Groups, group.ID) {
			return newAPIError(http.StatusConflict, "Security group %s is in use by instance %s", group.Wire.Name, i.Name)
		}
	}
	for _, other := range a.tables.groups.listAll() {
		for _, rule := range other.Wire.Rules {
			if rule.Group != nil && rule.Group.ID == group.ID {
				return newAPIError(http.StatusConflict, "Security group %s is referenced by a rule of %s", group.Wire.Name, other.Wire.Name)
			}
		}
	}
	return nil
}

// updateSources serves both :add-source and :remove-source; both are idempotent.
func (a *API) updateSources(c *call) (any, error) {
	var body struct {
		CIDR string `json:"cidr"`
	}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	if _, err := netip.ParsePrefix(body.CIDR); err != nil {
		return nil, newInvalidError("cidr: %v", err)
	}
	group, err := a.tables.groups.get("", c.id())
	if err != nil {
		return nil, err
	}
	group.Wire.ExternalSources = removeItem(group.Wire.ExternalSources, body.CIDR)
	if c.action() == "add-source" {
		group.Wire.ExternalSources = append(group.Wire.ExternalSources, body.CIDR)
	}
	return a.putGroup(group)
}

func (a *API) attachGroup(c *call) (any, error) {
	return a.updateGroups(c, func(groups []string, id string) []string { return append(removeItem(groups, id), id) })
}

func (a *API) detachGroup(c *call) (any, error) { return a.updateGroups(c, removeItem) }

func (a *API) updateGroups(c *call, change func(groups []string, id string) []string) (any, error) {
	group, err := a.tables.groups.get("", c.id())
	if err != nil {
		return nil, err
	}
	i, err := a.findAttachedInstance(c)
	if err != nil {
		return nil, err
	}
	i.Groups = change(i.Groups, group.ID)
	if err := a.tables.instances.put(i); err != nil {
		return nil, err
	}
	return a.startOperation(group.row, "security-group")
}
