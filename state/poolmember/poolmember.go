// Package poolmember keeps the names of the machines of instance pools: only the cloud knows them, and not before it has made them.
package poolmember

import (
	"maps"
	"slices"
	"sync"
)

// Members are the names of the machines that instance pools have made, by the role of their group. They may be used concurrently; nil has
// none.
type Members[Role ~string] struct {
	mu    sync.Mutex
	names map[Role][]string
}

// New returns members that are known already.
func New[Role ~string](known map[Role][]string) *Members[Role] {
	members := &Members[Role]{names: map[Role][]string{}}
	for role, names := range known {
		members.names[role] = slices.Clone(names)
	}
	return members
}

// List returns the names of a group's members, those that were known first in front.
func (p *Members[Role]) List(role Role) []string {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.names[role])
}

// Map returns the names by role; nil: there are none.
func (p *Members[Role]) Map() map[Role][]string {
	if p == nil {
		return nil
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if len(p.names) == 0 {
		return nil
	}
	all := maps.Clone(p.names)
	for role, names := range all {
		all[role] = slices.Clone(names)
	}
	return all
}

// Replace takes over the members that a pool has now: known ones keep their order, and new ones follow.
func (p *Members[Role]) Replace(role Role, there []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	kept := slices.DeleteFunc(slices.Clone(p.names[role]), func(name string) bool { return !slices.Contains(there, name) })
	for _, name := range slices.Sorted(slices.Values(there)) {
		if !slices.Contains(kept, name) {
			kept = append(kept, name)
		}
	}
	if p.names[role] = kept; len(kept) == 0 {
		delete(p.names, role)
	}
}

// Without returns a copy without one of the names.
func (p *Members[Role]) Without(role Role, name string) *Members[Role] {
	left := New(p.Map())
	left.Replace(role, slices.DeleteFunc(left.List(role), func(n string) bool { return n == name }))
	return left
}

// Equal reports whether both have the same names.
func (p *Members[Role]) Equal(other *Members[Role]) bool {
	return maps.EqualFunc(p.Map(), other.Map(), slices.Equal[[]string])
}

// Has reports whether a group has a member of that name.
func (p *Members[Role]) Has(role Role, name string) bool { return slices.Contains(p.List(role), name) }
