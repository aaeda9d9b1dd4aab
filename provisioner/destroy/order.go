package destroy

import (
	"slices"

	"exoshift/state"
)

// Kinds in the order of deletion; kinds of one stage do not depend on each other. Pools come before instances because
// they replace deleted members; API keys come after what uses them and before their roles.
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

func findStage(kind string) int {
	all := listStages()
	if n := slices.IndexFunc(all, func(stage []string) bool { return slices.Contains(stage, kind) }); n >= 0 {
		return n
	}
	return len(all)
}

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
