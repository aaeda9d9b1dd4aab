package fleet

import (
	"context"
	"fmt"
	"slices"
	"strings"
)

// PhaseElsewhere is of a cluster that Lieutenant knows and this shared state does not.
const PhaseElsewhere = "not in state"

// listOthers returns the clusters of the tenants whose clusters are in shared state that Lieutenant alone knows, and notes about what
// it does not know, or about why it could not be asked.
func (r *Refresh) listOthers(ctx context.Context, clusters []Cluster) (others []Cluster, notes []string) {
	known := map[string]bool{}
	tenants := map[[2]string][]string{} // IDs of installed clusters by Lieutenant and tenant
	for _, c := range clusters {
		known[c.ID] = true
		if key := [2]string{c.Lieutenant, c.Tenant}; c.Lieutenant != "" {
			tenants[key] = append(tenants[key], c.ID)
		}
	}
	for key, ids := range tenants {
		found, err := r.Access.NewLieutenantClient(r.Net, key[0]).ListClusters(ctx, key[1])
		if err != nil {
			notes = append(notes, fmt.Sprintf("Lieutenant's clusters of %s are missing: %v", key[1], err))
			continue
		}
		var there []string
		for _, cluster := range found {
			there = append(there, cluster.ID)
			if !known[cluster.ID] {
				known[cluster.ID] = true
				others = append(others, Cluster{ID: cluster.ID, Phase: PhaseElsewhere, Zone: cluster.Facts["region"], Findings: []string{}, Tenant: cluster.Tenant, Lieutenant: key[0]})
			}
		}
		if gone := slices.DeleteFunc(ids, func(id string) bool { return slices.Contains(there, id) }); len(gone) > 0 {
			notes = append(notes, fmt.Sprintf("Lieutenant does not know %s of tenant %s", strings.Join(gone, ", "), key[1]))
		}
	}
	return others, notes
}
