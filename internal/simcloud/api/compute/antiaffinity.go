package compute

import (
	"net/http"
	"slices"

	"exoshift/internal/simcloud/api/instance"
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

// maxAntiAffinity is the size limit of a group; one hypervisor never runs two of its instances.
const maxAntiAffinity = 8

type antiAffinityGroup struct {
	resource.Row
	Wire wireAntiAffinity
}

type wireAntiAffinity struct {
	ID          string         `json:"id"`
	Name        string         `json:"name"`
	Description string         `json:"description"`
	Instances   []resource.Ref `json:"instances"` // always present
}

const antiAffinityNoun = "anti-affinity-group"

// AntiAffinityGroups are the organization's anti-affinity groups.
type AntiAffinityGroups struct {
	store  *resource.Store
	tables *instance.Tables
	table  *resource.Table[antiAffinityGroup]
}

// registerRoutes adds the routes of anti-affinity groups.
func (s *AntiAffinityGroups) registerRoutes(register rest.Register) {
	register("GET /anti-affinity-group", s.list)
	register("POST /anti-affinity-group", s.create)
	register("GET /anti-affinity-group/{id}", func(req *rest.Request) (any, error) {
		group, err := s.table.Get("", req.ID())
		return s.view(group), err
	})
	register("DELETE /anti-affinity-group/{id}", s.delete)
}

func (s *AntiAffinityGroups) view(group antiAffinityGroup) wireAntiAffinity {
	group.Wire.Instances = resource.ToRefs(s.listMembers(group.ID))
	return group.Wire
}

func (s *AntiAffinityGroups) listMembers(id string) []string {
	members := []string{}
	for _, i := range s.tables.Instances.All() {
		if slices.Contains(i.AntiAffinity, id) {
			members = append(members, i.ID)
		}
	}
	return members
}

func (s *AntiAffinityGroups) list(*rest.Request) (any, error) {
	list := []wireAntiAffinity{}
	for _, group := range s.table.All() {
		list = append(list, s.view(group))
	}
	return map[string]any{"anti-affinity-groups": list}, nil
}

func (s *AntiAffinityGroups) create(req *rest.Request) (any, error) {
	var body wireAntiAffinity
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
	wire := wireAntiAffinity{ID: head.ID, Name: body.Name, Description: body.Description}
	if err := s.table.Put(antiAffinityGroup{Row: head, Wire: wire}); err != nil {
		return nil, err
	}
	return s.store.StartOperation(head, antiAffinityNoun)
}

func (s *AntiAffinityGroups) delete(req *rest.Request) (any, error) {
	group, err := s.table.Get("", req.ID())
	if err != nil {
		return nil, err
	}
	if len(s.listMembers(group.ID)) > 0 {
		return nil, rest.Errorf(http.StatusConflict, "Anti-affinity group %s is in use", group.Wire.Name)
	}
	if err := s.table.Delete(group.ID); err != nil {
		return nil, err
	}
	wire := resource.WireOperation{Reference: resource.NewReference(antiAffinityNoun, group.ID)}
	return s.store.Begin("", resource.Duration(group.ID), resource.Operation{Wire: wire, Forget: true})
}

// check refuses groups that do not exist or are too full for that many more instances.
func (s *AntiAffinityGroups) check(ids []string, more int) error {
	for _, id := range ids {
		group, err := s.table.Get("", id)
		if err != nil {
			return err
		}
		if len(s.listMembers(id))+more > maxAntiAffinity {
			return rest.Errorf(http.StatusConflict, "Anti-affinity group %s is full: it holds at most %d instances",
				group.Wire.Name, maxAntiAffinity)
		}
	}
	return nil
}
