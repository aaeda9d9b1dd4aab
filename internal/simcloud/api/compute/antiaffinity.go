package api

import (
	"net/http"
	"slices"
)

// maxAntiAffinity is the size limit of a group; one hypervisor never runs two of its instances.
const maxAntiAffinity = 8

type antiAffinityGroup struct {
	row
	Wire wireAntiAffinity
}

type wireAntiAffinity struct {
	ID          string `json:"id"`
	Name        string `json:"name"`
	Description string `json:"description"`
	Instances   []ref  `json:"instances"` // always present
}

const antiAffinityNoun = "anti-affinity-group"

func (a *API) registerAntiAffinityRoutes(register func(string, handler)) {
	register("GET /anti-affinity-group", a.listAntiAffinity)
	register("POST /anti-affinity-group", a.createAntiAffinity)
	register("GET /anti-affinity-group/{id}", func(c *call) (any, error) {
		group, err := a.tables.antiAffinity.get("", c.id())
		return a.viewAntiAffinity(group), err
	})
	register("DELETE /anti-affinity-group/{id}", a.deleteAntiAffinity)
}

func (a *API) viewAntiAffinity(group antiAffinityGroup) wireAntiAffinity {
	group.Wire.Instances = toRefs(a.listAntiAffinityMembers(group.ID))
	return group.Wire
}

func (a *API) listAntiAffinityMembers(id string) []string {
	members := []string{}
	for _, i := range a.tables.instances.listAll() {
		if slices.Contains(i.AntiAffinity, id) {
			members = append(members, i.ID)
		}
	}
	return members
}

func (a *API) listAntiAffinity(*call) (any, error) {
	list := []wireAntiAffinity{}
	for _, group := range a.tables.antiAffinity.listAll() {
		list = append(list, a.viewAntiAffinity(group))
	}
	return map[string]any{"anti-affinity-groups": list}, nil
}

func (a *API) createAntiAffinity(c *call) (any, error) {
	var body wireAntiAffinity
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
	wire := wireAntiAffinity{ID: head.ID, Name: body.Name, Description: body.Description}
	if err := a.tables.antiAffinity.put(antiAffinityGroup{row: head, Wire: wire}); err != nil {
		return nil, err
	}
	return a.startOperation(head, antiAffinityNoun)
}

func (a *API) deleteAntiAffinity(c *call) (any, error) {
	group, err := a.tables.antiAffinity.get("", c.id())
	if err != nil {
		return nil, err
	}
	if len(a.listAntiAffinityMembers(group.ID)) > 0 {
		return nil, newAPIError(http.StatusConflict, "Anti-affinity group %s is in use", group.Wire.Name)
	}
	if err := a.tables.antiAffinity.delete(group.ID); err != nil {
		return nil, err
	}
	wire := wireOperation{Reference: newReference(antiAffinityNoun, group.ID)}
	return a.begin("", computeDuration(group.ID), operation{Wire: wire, Forget: true})
}

// checkAntiAffinity refuses groups that do not exist or are too full for that many more instances.
func (a *API) checkAntiAffinity(ids []string, more int) error {
	for _, id := range ids {
		group, err := a.tables.antiAffinity.get("", id)
		if err != nil {
			return err
		}
		if len(a.listAntiAffinityMembers(id))+more > maxAntiAffinity {
			return newAPIError(http.StatusConflict, "Anti-affinity group %s is full: it holds at most %d instances",
				group.Wire.Name, maxAntiAffinity)
		}
	}
	return nil
}
