package ceph

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/stable"
)

// The ratios of Project Syn's component.
const (
	nearfullRatio     = .75
	backfillfullRatio = .80
	fullRatio         = .85
)

const (
	healthOK   = "HEALTH_OK"
	healthWarn = "HEALTH_WARN"
	healthErr  = "HEALTH_ERR"
)

// reporter says how the storage is.
type reporter struct{ *storage }

// check is a health check that fails.
type check struct{ code, severity, message string }

// describeGroup returns the state of a group in Ceph's words.
func (s reporter) describeGroup(g *group) string {
	wanted, current := s.mapGroup(g.ID), s.listServing(g)
	lacking := slices.DeleteFunc(slices.Clone(wanted), func(id int) bool { return slices.Contains(current, id) })
	switch {
	case len(current) == 0:
		return s.describeGone(g)
	case len(lacking) == 0 && len(wanted) == poolSize:
		return "active+clean"
	}
	parts := []string{"active"}
	if len(current) < minSize {
		parts = nil
	}
	if len(current) < poolSize {
		if len(wanted)-len(s.listDown(lacking)) < poolSize {
			parts = append(parts, "undersized")
		}
		parts = append(parts, "degraded")
	}
	if len(wanted) == poolSize && !slices.Equal(wanted, current) {
		parts = append(parts, "remapped")
	}
	if len(current) < minSize {
		return strings.Join(append(parts, "peered"), "+")
	}
	return strings.Join(append(parts, s.listMoves(g, lacking)...), "+")
}

// listMoves says how far the copies are that are made.
func (s reporter) listMoves(g *group, lacking []int) []string {
	for _, id := range lacking {
		one := s.find(id)
		switch {
		case !one.Up || s.isHeld(g):
		case s.isTooFull(g, one):
			return []string{"backfill_toofull"}
		case g.Moving[id] > 0:
			return []string{"backfilling"}
		default:
			return []string{"backfill_wait"}
		}
	}
	return nil
}

// listServing leaves out what has no place for good: of too few hosts, only those that are to have the group serve it.
func (s reporter) listServing(g *group) []int {
	wanted, current := s.mapGroup(g.ID), s.listCurrent(g)
	if len(wanted) < poolSize {
		return slices.DeleteFunc(current, func(id int) bool { return !slices.Contains(wanted, id) })
	}
	return current
}

func (s reporter) listDown(ids []int) []int {
	return slices.DeleteFunc(slices.Clone(ids), func(id int) bool { return s.find(id).Up })
}

// describeGone is about a group whose newest version nobody serves: it is somewhere else, or nowhere.
func (s reporter) describeGone(g *group) string {
	for _, version := range g.Copies {
		if version == g.Version {
			return "down"
		}
	}
	if len(g.Copies) > 0 {
		return "recovery_unfound+undersized+degraded+peered"
	}
	return "incomplete"
}

func (s reporter) countStates() map[string]int {
	counts := map[string]int{}
	for _, g := range s.Groups {
		counts[s.describeGroup(g)]++
	}
	return counts
}

// countLacking returns how many copies of objects are missing, and how many are not where they are to be.
func (s reporter) countLacking() (degraded, misplaced, total int) {
	for _, g := range s.Groups {
		total += poolSize * groupObjects
		current := s.listServing(g)
		degraded += max(0, poolSize-len(current)) * groupObjects
		if len(current) >= poolSize {
			for _, id := range s.mapGroup(g.ID) {
				if !slices.Contains(current, id) {
					misplaced += groupObjects
				}
			}
		}
	}
	return degraded, misplaced, total
}

func (s reporter) listChecks(mons monitors) []check {
	all := append(s.checkGroups(), s.checkDisks()...)
	if down := len(mons.all) - len(mons.quorum); down > 0 {
		all = append(all, check{"MON_DOWN", healthWarn, fmt.Sprintf("%d/%d mons down, quorum %s", down, len(mons.all), strings.Join(mons.quorum, ","))})
	}
	if len(s.Flags) > 0 {
		all = append(all, check{"OSDMAP_FLAGS", healthWarn, strings.Join(s.Flags, ",") + " flag(s) set"})
	}
	stable.Sort(all, func(a, b check) int { return cmp.Compare(a.code, b.code) })
	return all
}

func (s reporter) checkGroups() (all []check) {
	counts := map[string]int{}
	for state, n := range s.countStates() {
		for _, part := range []string{"degraded", "undersized", "backfill_toofull", "recovery_unfound", "incomplete"} {
			if strings.Contains(state, part) {
				counts[part] += n
			}
		}
		if !strings.HasPrefix(state, "active") {
			counts["inactive"] += n
		}
	}
	degraded, _, total := s.countLacking()
	add := func(n int, code, severity, format string, args ...any) {
		if n > 0 {
			all = append(all, check{code, severity, fmt.Sprintf(format, args...)})
		}
	}
	add(counts["inactive"], "PG_AVAILABILITY", healthWarn, "Reduced data availability: %d pgs inactive, %d pgs incomplete", counts["inactive"], counts["incomplete"])
	add(degraded, "PG_DEGRADED", healthWarn, "Degraded data redundancy: %d/%d objects degraded (%.3f%%), %d pgs degraded, %d pgs undersized",
		degraded, total, 100*float64(degraded)/float64(max(1, total)), counts["degraded"], counts["undersized"])
	add(counts["recovery_unfound"], "PG_DAMAGED", healthErr, "Possible data damage: %d pgs recovery_unfound", counts["recovery_unfound"])
	unfound := s.countUnfound()
	add(unfound, "OBJECT_UNFOUND", healthWarn, "%d/%d objects unfound", unfound, total/poolSize)
	add(counts["backfill_toofull"], "PG_BACKFILL_FULL", healthWarn, "Low space hindering backfill (add storage if this doesn't resolve itself): %d pgs backfill_toofull", counts["backfill_toofull"])
	return all
}

// countUnfound counts what was acknowledged, and what no disk has any more.
func (s reporter) countUnfound() (lost int) {
	for _, one := range s.Objects {
		g := s.Groups[one.Group]
		found := false
		for _, version := range g.Copies {
			found = found || version >= one.Version
		}
		if !found {
			lost++
		}
	}
	return lost
}

func (s reporter) checkDisks() (all []check) {
	down, near, backfill, full := 0, 0, 0, 0
	for _, one := range s.OSDs {
		if one.In && !one.Up {
			down++
		}
		switch used := float64(s.usedMiB(one.ID)) / float64(one.MiB); {
		case used >= fullRatio:
			full++
		case used >= backfillfullRatio:
			backfill++
		case used >= nearfullRatio:
			near++
		}
	}
	for _, one := range []struct {
		n              int
		code, severity string
		what           string
	}{{down, "OSD_DOWN", healthWarn, "osds down"}, {near, "OSD_NEARFULL", healthWarn, "nearfull osd(s)"}, {backfill, "OSD_BACKFILLFULL", healthWarn, "backfillfull osd(s)"}, {full, "OSD_FULL", healthErr, "full osd(s)"}} {
		if one.n > 0 {
			all = append(all, check{one.code, one.severity, fmt.Sprintf("%d %s", one.n, one.what)})
		}
	}
	return all
}

func summarize(checks []check) string {
	health := healthOK
	for _, one := range checks {
		if one.severity == healthErr {
			return healthErr
		}
		health = healthWarn
	}
	return health
}

// monitors are the mons that there are, and those that agree.
type monitors struct{ all, quorum []string }

func (m monitors) hasQuorum() bool { return len(m.quorum) > len(m.all)/2 }

// listMonitors: the deployments are the map of the mons, as the operator keeps both the same.
func listMonitors(c *cluster.Cluster) (found monitors) {
	ready := map[string]bool{}
	for _, pod := range c.Objects.List(cluster.PodResource, Namespace) {
		if name, _ := pod.Label("mon"); name != "" && pod.IsReady() {
			ready[name] = true
		}
	}
	for _, deployment := range c.Objects.List(cluster.DeploymentResource, Namespace) {
		name, _ := deployment.Label("mon")
		if app, _ := deployment.Label("app"); app != monApp {
			continue
		}
		found.all = append(found.all, name)
		if ready[name] {
			found.quorum = append(found.quorum, name)
		}
	}
	slices.Sort(found.all)
	slices.Sort(found.quorum)
	return found
}

// renderStatus is the answer to "ceph status -f json".
func (s reporter) renderStatus(mons monitors) kube.Object {
	checks := kube.Object{}
	all := s.listChecks(mons)
	for _, one := range all {
		checks[one.code] = kube.Object{"severity": one.severity, "summary": kube.Object{"message": one.message, "count": 1}, "muted": false}
	}
	states := []kube.Object{}
	counts := s.countStates()
	for state, n := range counts {
		states = append(states, kube.Object{"state_name": state, "count": n})
	}
	stable.Sort(states, func(a, b kube.Object) int { return cmp.Compare(a.GetString("state_name"), b.GetString("state_name")) })
	degraded, misplaced, total := s.countLacking()
	used, room, up, in := 0, 0, 0, 0
	for _, one := range s.OSDs {
		if one.Up {
			up++
		}
		if one.In {
			in++
			used, room = used+s.usedMiB(one.ID), room+one.MiB
		}
	}
	return kube.Object{
		"health": kube.Object{"status": summarize(all), "checks": checks, "mutes": []any{}}, "quorum_names": mons.quorum, "monmap": kube.Object{"num_mons": len(mons.all)},
		"osdmap": kube.Object{"num_osds": len(s.OSDs), "num_up_osds": up, "num_in_osds": in},
		"pgmap": kube.Object{"pgs_by_state": states, "num_pgs": len(s.Groups), "bytes_used": used << 20, "bytes_total": room << 20, "bytes_avail": (room - used) << 20,
			"degraded_objects": degraded, "misplaced_objects": misplaced, "degraded_total": total, "misplaced_total": total, "unfound_objects": s.countUnfound()},
	}
}
