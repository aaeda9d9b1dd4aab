package openshift

import (
	"slices"
	"strings"

	"exoshift/state"
)

// bootstrapMember is etcd's name for the member on the bootstrap machine.
const bootstrapMember = "etcd-bootstrap"

// etcdHints is what is known about etcd besides the operator's count: the operator names only members with problems.
type etcdHints struct {
	names  []string          // masters, sorted
	nodeOf map[string]string // by address
	voting map[string]bool   // nodes with a voting member
	added  map[string]bool   // nodes whose member was added
}

func (c *etcdHints) addMaster(name string) {
	if i, found := slices.BinarySearch(c.names, name); !found {
		c.names = slices.Insert(c.names, i, name)
	}
}

// resolveNode returns names and unknown addresses unchanged. A member that has not started has no name yet, the operator then
// writes NAME-PENDING-<address>.
func (c *etcdHints) resolveNode(nameOrAddress string) string {
	nameOrAddress = strings.TrimPrefix(nameOrAddress, "NAME-PENDING-")
	if name, found := c.nodeOf[nameOrAddress]; found {
		return name
	}
	return nameOrAddress
}

func (c *etcdHints) listMembers(counted membership, bootstrapRemoved bool) []state.EtcdMember {
	troubled := map[string]string{}
	for _, member := range counted.unavailable {
		troubled[c.resolveNode(member.name)] = member.state
	}
	candidates := c.listCandidates(troubled)
	places := counted.total
	withBootstrap := !bootstrapRemoved && places > 0 && c.hasBootstrapMember(candidates, counted, troubled)
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
		members[i] = state.EtcdMember{Name: name, State: c.resolveState(name, troubled)}
	}
	return members
}

// hasBootstrapMember reports whether the bootstrap member is among those counted: it is, unless it has just been removed and as
// many masters are certainly members as were counted.
func (c *etcdHints) hasBootstrapMember(candidates []string, counted membership, troubled map[string]string) bool {
	if _, named := troubled[bootstrapMember]; named {
		return true
	}
	certain := 0
	for _, name := range candidates {
		if c.rank(name, troubled) >= certainMember {
			certain++
		}
	}
	return certain < counted.total
}

func (c *etcdHints) listCandidates(troubled map[string]string) []string {
	names := slices.Clone(c.names)
	for name := range troubled {
		if name != bootstrapMember && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	slices.SortStableFunc(names, func(a, b string) int {
		return c.rank(b, troubled) - c.rank(a, troubled)
	})
	return names
}

const (
	possibleMember = iota
	addedMember
	certainMember
)

func (c *etcdHints) rank(name string, troubled map[string]string) int {
	switch {
	case c.voting[name] || troubled[name] != "":
		return certainMember
	case c.added[name]:
		return addedMember
	}
	return possibleMember
}

func (c *etcdHints) resolveState(name string, troubled map[string]string) string {
	switch {
	case troubled[name] != "":
		return troubled[name]
	case c.voting[name], name == bootstrapMember:
		return voter
	}
	return learner
}
