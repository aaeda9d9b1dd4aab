package install

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"exoshift/state"
)

// ApproveNewKeys allows each machine that waits for the operator's decision its first certificate for one more key. The
// next poll approves it.
func (i *Installation) ApproveNewKeys() {
	i.mu.Lock()
	defer i.mu.Unlock()
	for node, keys := range i.undecided {
		i.allowed[node] = keys + 1
	}
}

// Machines that the options name are decided at once, but only once.
func (i *Installation) recordUndecided(requests []state.NodeRequest) {
	if len(requests) == 0 { // the requests could not be read
		return
	}
	i.mu.Lock()
	defer i.mu.Unlock()
	clear(i.undecided)
	for _, request := range requests {
		if request.State != state.RequestPending || request.Keys == 0 {
			continue
		}
		i.undecided[request.Node] = request.Keys
		if slices.Contains(i.options.NewKeys, request.Node) && i.allowed[request.Node] == 0 {
			i.allowed[request.Node] = request.Keys + 1
		}
	}
	maps.DeleteFunc(i.undecided, func(node string, keys int) bool { return keys < i.allowed[node] })
}

// The approvals are recorded, as Kubernetes deletes old requests.
func (i *Installation) saveNewKeys(decisions []state.CSRDecision) error {
	return i.facts.Update(func(facts *state.Facts) {
		known := maps.Clone(facts.NewKeys)
		for _, decision := range decisions {
			if instance, _ := i.findInstance(decision.Node); decision.NewKey > 0 {
				if known == nil {
					known = map[string]int{}
				}
				known[instance.ID] = decision.NewKey
			}
		}
		facts.NewKeys = known
	})
}

func (i *Installation) describeDecision() string {
	i.mu.Lock()
	defer i.mu.Unlock()
	if len(i.undecided) == 0 {
		return ""
	}
	nodes := slices.Sorted(maps.Keys(i.undecided))
	return fmt.Sprintf("These machines ask for their first certificate with one key after the other and do not register: %s\n"+
		"Look at their consoles: either their certificates get lost, or somebody else asks in their name.\n"+
		"To approve one more key of each, press a on the dashboard, or run the same command again with\n--approve-new-key %s",
		joinLimited(nodes), strings.Join(nodes[:min(len(nodes), 12)], ","))
}
