package session

import (
	"fmt"
	"slices"

	"exoshift/state"
	"exoshift/wizard"
)

// groupsKey is the key of the additional groups of machines.
const groupsKey = "sizing.extraGroups"

// NewGroup returns a group of one machine like a worker, without a name.
func NewGroup(spec state.Spec) state.GroupSpec {
	workers := spec.Sizing.Workers
	return state.GroupSpec{MachineSpec: state.MachineSpec{Type: workers.Type, Count: 1, RootDisk: workers.RootDisk}}
}

// AddGroup adds a group of machines and returns its key, e.g. sizing.extraGroups[0]. It changes nothing if there are too many.
func AddGroup(s *Session, group state.GroupSpec) (key string, err error) {
	spec := s.Spec()
	key = fmt.Sprintf("%s[%d]", groupsKey, len(spec.Sizing.ExtraGroups))
	groups := append(slices.Clone(spec.Sizing.ExtraGroups), group)
	spec.Sizing.ExtraGroups = groups
	for _, problem := range wizard.Check(spec) {
		if problem.Field == groupsKey {
			return "", problem
		}
	}
	s.Edit(groupsKey, func(spec *state.Spec) { spec.Sizing.ExtraGroups = groups })
	return key, nil
}

// RemoveGroup removes an additional group of machines. Those behind it move up, so rejected texts of all groups are dropped.
func RemoveGroup(s *Session, i int) {
	for key := range s.rejections {
		if HasPrefix(key, groupsKey) {
			delete(s.rejections, key)
		}
	}
	s.Edit(groupsKey, func(spec *state.Spec) {
		spec.Sizing.ExtraGroups = slices.Delete(slices.Clone(spec.Sizing.ExtraGroups), i, i+1)
	})
}

// CopyGroups returns answers whose groups can be changed without changing those of spec.
func CopyGroups(spec state.Spec) state.Spec {
	spec.Sizing.ExtraGroups = slices.Clone(spec.Sizing.ExtraGroups)
	return spec
}
