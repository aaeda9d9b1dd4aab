package ceph

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"

	"exoshift/internal/fault"
	"exoshift/state/rook"
)

const (
	// minNodes is what a pool of three copies, each on a node of its own, needs.
	minNodes = 3
	// maxUsed is how full disks may be without those that go.
	maxUsed = .75
)

// listAllowedChecks are warnings that say nothing about the copies of data.
func listAllowedChecks() []string {
	return []string{"RECENT_CRASH", "SLOW_OPS", "MON_DISK_LOW", "PG_NOT_SCRUBBED", "PG_NOT_DEEP_SCRUBBED"}
}

// listFatalChecks are those with which nothing may go on, not even work that was begun.
func listFatalChecks() []string {
	return []string{"OBJECT_UNFOUND", "OSD_FULL", "OSD_SCRUB_ERRORS", "PG_DAMAGED", "POOL_FULL"}
}

// Finding is what is known of Ceph before a node is changed.
type Finding struct {
	Refusals []string // why it must not be: each names what Ceph reports
	Warnings []string // of Ceph that do not matter for it
	Busy     bool     // the refusals are about what may pass by itself
}

// Review finds what keeps a storage node from being changed: nodes are those for storage that are ready. It changes nothing.
func (w *Work) Review(ctx context.Context, of Change, nodes []string) (Finding, error) {
	setup, seen, found, err := w.inspect(ctx, of)
	if err != nil || len(found.Refusals) > 0 {
		return found, err
	}
	begun := w.get(of.Node)
	if begun.Added && of.Next != "" {
		return Finding{Refusals: []string{"its addition has not ended: end that with exoshift nodes add --group storage --count 1, or remove the node"}}, nil
	}
	found = reviewHealth(seen, w.isBegun(of) || of.IsCommitted)
	if !begun.Emptied && !of.IsCommitted {
		found.Refusals = append(found.Refusals, reviewRoom(seen, of)...)
		found.Refusals = append(found.Refusals, reviewHosts(seen, of)...)
		more, err := w.reviewPlaces(ctx, of, nodes, setup)
		found.Refusals = append(found.Refusals, more...)
		if err != nil || len(more) > 0 {
			found.Busy = false
			return found, err
		}
	}
	return found, nil
}

// inspect reads how Ceph is; without a refusal, it can be reviewed.
func (w *Work) inspect(ctx context.Context, of Change) (setup rook.Setup, seen rook.Ceph, found Finding, err error) {
	if other := w.facts.Get().Storage; other != nil && other.Node != of.Node {
		found.Refusals = []string{fmt.Sprintf("the change of the storage node %s has not ended, and there is one at a time: end that first", other.Node)}
		return setup, seen, found, nil
	}
	setup, err = w.cluster.GetCephSetup(ctx)
	if fault.Is(err, fault.NotFound) || fault.Is(err, fault.Conflict) {
		found.Refusals = []string{"its data is not kept by Rook and Ceph as Project Syn installs them: " + err.Error()}
		return setup, seen, found, nil
	}
	if err != nil {
		return setup, seen, found, err
	}
	seen, err = w.cluster.GetCeph(ctx)
	if fault.Is(err, fault.Transient) || fault.Is(err, fault.Conflict) {
		return setup, seen, Finding{Refusals: []string{"Ceph does not answer: " + err.Error()}, Busy: true}, nil
	}
	return setup, seen, found, err
}

// reviewHealth: work that was begun has its own signs.
func reviewHealth(seen rook.Ceph, begun bool) (found Finding) {
	for _, check := range seen.Checks {
		switch {
		case slices.Contains(listAllowedChecks(), check.Code):
			found.Warnings = append(found.Warnings, check.Code+": "+check.Message)
		case !begun, slices.Contains(listFatalChecks(), check.Code):
			found.Refusals = append(found.Refusals, check.Code+": "+check.Message)
		}
	}
	found.Busy = true
	if begun {
		return found
	}
	if seen.Health != "HEALTH_OK" && len(seen.Checks) == 0 {
		found.Refusals = append(found.Refusals, "its health is "+seen.Health)
	}
	if unclean := describeUnclean(seen); unclean != "" && len(found.Refusals) == 0 {
		found.Refusals = append(found.Refusals, unclean)
	}
	if len(seen.Quorum) < minNodes && len(found.Refusals) == 0 {
		found.Refusals = append(found.Refusals, fmt.Sprintf("MON_DOWN: %d mons are in quorum, and not %d", len(seen.Quorum), minNodes))
	}
	if len(seen.OSDs) < minNodes {
		found.Refusals = append(found.Refusals, fmt.Sprintf("it has %d OSDs, and not %d", len(seen.OSDs), minNodes))
	}
	for _, osd := range seen.OSDs {
		if !osd.Up || !osd.In {
			found.Refusals = append(found.Refusals, fmt.Sprintf("OSD_DOWN: osd.%d of %s is not up and in", osd.ID, osd.Host))
		}
	}
	return found
}

// reviewRoom requires that the disks that stay have room for everything, by all of them and by the fullest.
func reviewRoom(seen rook.Ceph, of Change) (refusals []string) {
	var used, total int64
	hosts := map[string]bool{}
	for _, osd := range seen.OSDs {
		used += osd.Used
		hosts[osd.Host] = true
		if osd.Host == of.Node {
			continue
		}
		total += osd.Total
		if float64(osd.Used) >= maxUsed*float64(osd.Total) {
			refusals = append(refusals, fmt.Sprintf("OSD_NEARFULL: osd.%d of %s is %d %% full, and may be below %d %%", osd.ID, osd.Host, percent(osd.Used, osd.Total), int(100*maxUsed)))
		}
	}
	if of.Next != "" && !hosts[of.Next] { // a disk of the same size is added first
		for _, osd := range seen.OSDs {
			if osd.Host == of.Node {
				total += osd.Total
			}
		}
	}
	if float64(used) >= maxUsed*float64(total) {
		refusals = append(refusals, fmt.Sprintf("without %s, the disks would be %d %% full, and may be below %d %%", of.Node, percent(used, total), int(100*maxUsed)))
	}
	return refusals
}

// reviewHosts requires that enough other nodes have disks of Ceph: with fewer, the data would have no place to go to.
func reviewHosts(seen rook.Ceph, of Change) []string {
	hosts := map[string]bool{}
	if of.Next != "" {
		hosts[of.Next] = true
	}
	for _, osd := range seen.OSDs {
		if osd.Host != of.Node && osd.In {
			hosts[osd.Host] = true
		}
	}
	if len(hosts) >= minNodes {
		return nil
	}
	return []string{fmt.Sprintf("%d other nodes would have OSDs, and Ceph keeps each of its %d copies on a node of its own", len(hosts), minNodes)}
}

func percent(part, whole int64) int64 { return 100 * part / max(1, whole) }

// reviewPlaces requires a node for each copy of the data, one for the monitor, and that the configuration does without the node.
func (w *Work) reviewPlaces(ctx context.Context, of Change, nodes []string, setup rook.Setup) (refusals []string, err error) {
	left := slices.DeleteFunc(slices.Clone(nodes), func(n string) bool { return n == of.Node })
	if of.Next != "" {
		left = append(left, of.Next)
	}
	slices.Sort(left)
	left = slices.Compact(left)
	if len(left) < minNodes {
		return []string{fmt.Sprintf("%d storage nodes would be ready, and Ceph keeps each of its %d copies on a node of its own", len(left), minNodes)}, nil
	}
	mons, err := w.cluster.ListCephMons(ctx)
	if err != nil {
		return nil, err
	}
	free := slices.DeleteFunc(slices.Clone(left), func(n string) bool {
		return slices.ContainsFunc(mons, func(m rook.Mon) bool { return m.Node == n })
	})
	if slices.ContainsFunc(mons, func(m rook.Mon) bool { return m.Node == of.Node }) && len(free) == 0 {
		refusals = append(refusals, "no storage node would be free for the monitor of "+of.Node)
	}
	refusals = append(refusals, w.reviewOperator(of, setup)...)
	policies, err := w.cluster.GetSyncPolicies(ctx, listApplications()...)
	if _, managed := policies[applicationRook]; managed && of.Next == "" && setup.Devices > len(left) && !of.IsConfigured {
		refusals = append(refusals, fmt.Sprintf("the configuration of the tenant wants %d disks: lower parameters.rook_ceph.ceph_cluster.node_count to %d, and wait until Argo CD has synchronized it", setup.Devices, len(left)))
	}
	return refusals, err
}

// reviewOperator requires that nobody else has stopped the operator.
func (w *Work) reviewOperator(of Change, setup rook.Setup) []string {
	if setup.Replicas > 0 || w.get(of.Node).Replicas != nil {
		return nil
	}
	return []string{"Rook's operator is scaled down by somebody else: oc -n " + rook.OperatorNamespace + " scale deployment " + rook.Operator + " --replicas 1"}
}

const stateClean = "active+clean"

// isClean reports whether a placement group has all of its copies where they are to be.
func isClean(groupState string) bool {
	rest, clean := strings.CutPrefix(groupState, stateClean)
	return clean && (rest == "" || strings.HasPrefix(rest, "+scrubbing") || strings.HasPrefix(rest, "+snaptrim"))
}

// describeUnclean returns "" if all groups are clean.
func describeUnclean(seen rook.Ceph) string {
	var states []string
	for _, name := range slices.Sorted(maps.Keys(seen.Groups)) {
		if !isClean(name) {
			states = append(states, fmt.Sprintf("%d %s", seen.Groups[name], name))
		}
	}
	if len(states) == 0 {
		return ""
	}
	return "placement groups are not clean: " + strings.Join(states, ", ")
}
