package nodes

import (
	"slices"

	"exoshift/internal/stable"
)

// chooseReplacements gives each target the machine that takes its place: the one that an earlier run has chosen, or else the lowest name of
// its group that nothing has. Targets that are not ready come first, as no machine joins while the answers ask for a node that is not.
func (r review) chooseReplacements() error {
	if !r.isReplacement() {
		return nil
	}
	taken := map[string]bool{}
	for _, node := range r.all {
		taken[node.Name] = true
	}
	for _, removal := range r.facts.Get().Removals {
		taken[removal.Node] = true
	}
	for i := range r.targets {
		if err := r.checkReplaceable(r.targets[i]); err != nil {
			return err
		}
		r.targets[i].chooseReplacement(r.spec, taken)
	}
	stable.Sort(r.targets, func(a, b Target) int { return a.rank() - b.rank() })
	broken := 0
	for _, target := range r.targets {
		if target.rank() == rankBroken {
			broken++
		}
	}
	if broken > max(1, r.options.Parallel) {
		return r.refuse("%d of the nodes are not ready, which have to be replaced at the same time", broken).
			WithHint("give --parallel %d, or replace them one by one", broken)
	}
	return nil
}

// checkReplaceable refuses what nothing can take the place of.
func (r review) checkReplaceable(t Target) error {
	replaced := t.Removal != nil && t.Removal.ReplacedBy != ""
	switch {
	case replaced:
		return nil
	case t.isCommitted():
		return r.refuse("the answers have no place for %s any more, whose removal has not ended", t.Name).
			WithHint("end it, and add a node: exoshift nodes remove %s; exoshift nodes add", t.Name)
	case t.Answer == nil:
		return r.refuse("the answers do not ask for %s: there is no place to take", t.Name).WithHint("remove it: exoshift nodes remove %s", t.Name)
	case t.Machine == nil:
		return r.refuse("the machine of %s is gone", t.Name).WithHint("have it made again: oc delete node %s, then exoshift install", t.Name)
	}
	return nil
}

func isMember(all []Node, name string) bool {
	return slices.ContainsFunc(all, func(n Node) bool { return n.Name == name && n.Node != nil })
}
