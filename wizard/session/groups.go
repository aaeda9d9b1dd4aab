package session

import (
	"slices"

	"exoshift/state"
)

// groupsKey is the key of the additional groups of machines.
const groupsKey = "sizing.extraGroups"

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
