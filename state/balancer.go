package state

import "slices"

// BalancerReplacement is a replacement of a load balancer that a run has begun. It is recorded before the elastic IPs are taken from the
// machine, and kept until all load balancers of the same command are replaced.
type BalancerReplacement struct {
	Name      string `json:"name"`
	MachineID string `json:"machineId"` // of the machine that is replaced
	Address   string `json:"address"`   // of that machine
	// Of are the load balancers of the same command, in its order: a run of that command leaves alone what was replaced already.
	Of []string `json:"of"`
}

// FindBalancer returns the replacement of a load balancer that was begun; nil: there is none.
func (f Facts) FindBalancer(name string) *BalancerReplacement {
	for i := range f.Balancers {
		if f.Balancers[i].Name == name {
			return &f.Balancers[i]
		}
	}
	return nil
}

// SetBalancer keeps a replacement in the place of an earlier one of the same load balancer.
func (f *Facts) SetBalancer(replacement BalancerReplacement) {
	f.DropBalancer(replacement.Name)
	f.Balancers = append(f.Balancers, replacement)
}

// DropBalancer forgets the replacement of a load balancer.
func (f *Facts) DropBalancer(name string) {
	f.Balancers = slices.DeleteFunc(slices.Clone(f.Balancers), func(b BalancerReplacement) bool { return b.Name == name })
	if len(f.Balancers) == 0 {
		f.Balancers = nil // so that the facts do not mention them
	}
}
