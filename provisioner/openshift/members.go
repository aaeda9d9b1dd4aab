package openshift

import (
	"slices"
	"strings"

	"exoshift/state"
)

// bootstrapMember is how etcd calls the member on the bootstrap machine.
const bootstrapMember = "etcd-bootstrap"

// etcdClues is what is known about etcd besides the operator's count: the operator tells names only of members in
// trouble.
type etcdClues struct {
	names  []string          // masters, sorted
	nodeOf map[string]string // by address
	voting map[string]bool   // nodes whose member votes
	added  map[string]bool   // nodes whose member was added
}

// know adds the name of a master.
func (c *etcdClues) know(name string) {
	if i, found := slices.BinarySearch(c.names, name); !found {
		c.names = slices.Insert(c.names, i, name)
	}
}

// node returns the name of the node with an address; a name is returned as it is, and so is an unknown address. A
// member that has not started has no name yet, the operator then writes NAME-PENDING-<address>.
func (c *etcdClues) node(nameOrAddress string) string {
	nameOrAddress = strings.TrimPrefix(nameOrAddress, "NAME-PENDING-")
	if name, found := c.nodeOf[nameOrAddress]; found {
		return name
	}
	return nameOrAddress
}

// members lists as many members as were counted: the bootstrap member first, then the masters by name.
func (c *etcdClues) members(counted membership, bootstrapRemoved bool) []state.EtcdMember {
	troubled := map[string]string{}
	for _, member := range counted.troubled {
		troubled[c.node(member.name)] = member.state
	}
	candidates := c.candidates(troubled)
	places := counted.total
	withBootstrap := !bootstrapRemoved && places > 0 && c.bootstrapCounts(candidates, counted, troubled)
	if withBootstrap {
		places--
	}
	candidates = candidates[:min(places, len(candidates))]
	slices.Sort(candidates)
	for len(candidates) < places {
		candidates = append(candidates, "unknown")
	}
	if withBootstrap {
		candidates = slices.Insert(candidates, 0, bootstrapMember)
	}
	members := make([]state.EtcdMember, len(candidates))
	for i, name := range candidates {
		members[i] = state.EtcdMember{Name: name, State: c.state(name, troubled)}
	}
	return members
}

// bootstrapCounts tells whether the bootstrap member is among those counted: it is, unless it has just been removed
// and the masters that certainly are members are as many as were counted.
func (c *etcdClues) bootstrapCounts(candidates []string, counted membership, troubled map[string]string) bool {
	if _, named := troubled[bootstrapMember]; named {
		return true
	}
	certain := 0
	for _, name := range candidates {
		if c.certainty(name, troubled) >= certainMember {
			certain++
		}
	}
	return certain < counted.total
}

// candidates returns the nodes that may be members, the likeliest first.
func (c *etcdClues) candidates(troubled map[string]string) []string {
	names := slices.Clone(c.names)
	for name := range troubled {
		if name != bootstrapMember && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	slices.SortStableFunc(names, func(a, b string) int {
		return c.certainty(b, troubled) - c.certainty(a, troubled)
	})
	return names
}

// Certainties that a node has a member.
const (
	possibleMember = iota
	addedMember
	certainMember
)

func (c *etcdClues) certainty(name string, troubled map[string]string) int {
	switch {
	case c.voting[name] || troubled[name] != "":
		return certainMember
	case c.added[name]:
		return addedMember
	}
	return possibleMember
}

func (c *etcdClues) state(name string, troubled map[string]string) string {
	switch {
	case troubled[name] != "":
		return troubled[name]
	case c.voting[name], name == bootstrapMember:
		return voter
	}
	return learner
}
