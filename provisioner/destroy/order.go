package destroy

import (
	"slices"

	"exoshift/state"
)

// listStages are the kinds in the order in which they can be deleted; kinds of one stage do not hold each other. Pools go
// before instances because they replace members that vanish; keys go after what uses them and before their roles.
func listStages() [][]string {
	return [][]string{
		{state.KindLoadBalancer},
		{state.KindInstancePool},
		{state.KindInstance},
		{state.KindSnapshot, state.KindVolumeSnapshot},
		{
			state.KindVolume, state.KindElasticIP, state.KindPrivateNetwork, state.KindSecurityGroup, state.KindAntiAffinityGroup,
			state.KindTemplate, state.KindRecord, state.KindZone, state.KindBucket,
		},
		{state.KindAPIKey},
		{state.KindRole},
		{state.KindSSHKey},
	}
}

// findRank is the place of a kind in the order; kinds that nobody knows come last.
func findRank(kind string) int {
	place := 0
	for _, stage := range listStages() {
		for _, known := range stage {
			if known == kind {
				return place
			}
			place++
		}
	}
	return place
}

// findStage is the number of a kind's stage.
func findStage(kind string) int {
	all := listStages()
	if n := slices.IndexFunc(all, func(stage []string) bool { return slices.Contains(stage, kind) }); n >= 0 {
		return n
	}
	return len(all)
}

// groupByKind groups what is sorted by kind.
func groupByKind(objects []Found) [][]Found {
	var groups [][]Found
	for _, o := range objects {
		if last := len(groups) - 1; last >= 0 && groups[last][0].Kind == o.Kind {
			groups[last] = append(groups[last], o)
		} else {
			groups = append(groups, []Found{o})
		}
	}
	return groups
}
