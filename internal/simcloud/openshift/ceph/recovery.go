package ceph

import (
	"slices"
	"strconv"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/volumes"
)

const (
	// copyTime is how long a copy of a group takes, and replayTime what an OSD missed while it was down (both inferred).
	copyTime   = 60 * time.Second
	replayTime = 5 * time.Second
	// faultTime is for how long the OSD of a scenario is down.
	faultTime = 40 * time.Minute
)

// recovery is what the daemons do by themselves.
type recovery struct{ *storage }

// advance brings everything up to date: which daemons run, what was taken out, what was copied.
func (s recovery) advance(c *cluster.Cluster) {
	now := c.Clock.Now()
	elapsed := now.Sub(s.Updated)
	if s.Updated.IsZero() {
		elapsed = 0
	}
	s.Updated = now.UTC()
	s.followDaemons(c, now)
	if elapsed == 0 {
		return
	}
	s.recover(elapsed)
	s.trim()
}

func (s recovery) followDaemons(c *cluster.Cluster, now time.Time) {
	running := map[string]kube.Object{}
	for _, pod := range c.Objects.List(cluster.PodResource, Namespace) {
		if id, labelled := pod.Label(osdLabel); labelled && pod.IsReady() && pod.Get("metadata.deletionTimestamp") == nil {
			running[id] = pod
		}
	}
	s.beginFault(c, now)
	for _, one := range s.OSDs {
		destroyed := isDestroyed(c, one)
		if destroyed {
			s.erase(one.ID)
		}
		pod, runs := running[strconv.Itoa(one.ID)]
		s.setUp(one, runs && !destroyed && pod.GetString("spec.nodeName") == one.Host && !s.isFailing(one, now), now)
	}
}

// setUp also has Ceph take out what is silent for too long, and take it in again when it is back.
func (s recovery) setUp(one *osd, up bool, now time.Time) {
	if !up && one.Up {
		one.DownSince = now.UTC()
	}
	if up && one.TakenOut {
		one.In, one.TakenOut = true, false
	}
	one.Up = up
	if !up && one.In && !one.DownSince.IsZero() && now.Sub(one.DownSince) > downOutInterval && !s.hasFlag("noout") {
		one.In, one.TakenOut = false, true
	}
}

// isDestroyed reports whether the disk is gone: its volume was deleted, or the claim, after which the volume is wiped, or the machine is
// another one of the same name.
func isDestroyed(c *cluster.Cluster, one *osd) bool {
	_, kept := c.Objects.Get(volumes.VolumeResource, "", one.Volume)
	if _, claimed := c.Objects.Get(volumes.ClaimResource, Namespace, one.Claim); !kept || !claimed {
		return true
	}
	node, exists := c.Objects.Get(cluster.NodeResource, "", one.Host)
	return exists && node.GetString("metadata.uid") != one.NodeUID
}

// beginFault has an OSD fail once data is moved away from another one.
func (s recovery) beginFault(c *cluster.Cluster, now time.Time) {
	if !c.Faults.FailingOSD || !s.Fault.IsZero() {
		return
	}
	for _, one := range s.OSDs {
		if one.Weight == 0 && one.Up && s.usedMiB(one.ID) > 0 {
			s.Fault = now.UTC()
		}
	}
}

// isFailing: it is the first OSD that is to keep its data.
func (s recovery) isFailing(one *osd, now time.Time) bool {
	if s.Fault.IsZero() || now.Sub(s.Fault) > faultTime {
		return false
	}
	for _, other := range s.OSDs {
		if other.Weight > 0 {
			return other == one
		}
	}
	return false
}

// recover copies groups to the OSDs that are to have them. Each OSD makes some copies at a time.
func (s recovery) recover(elapsed time.Duration) {
	left := map[int]float64{}
	for _, one := range s.OSDs {
		left[one.ID] = elapsed.Seconds() * float64(s.countBackfills())
	}
	for _, g := range s.Groups {
		if len(s.listCurrent(g)) == 0 || s.isHeld(g) {
			continue
		}
		for _, id := range s.mapGroup(g.ID) {
			s.copyGroup(g, s.find(id), left)
		}
	}
}

func (s recovery) copyGroup(g *group, to *osd, left map[int]float64) {
	version, has := g.Copies[to.ID]
	if !to.Up || has && version == g.Version || !has && s.isTooFull(g, to) {
		return
	}
	wanted := copyTime.Seconds()
	if has {
		wanted = replayTime.Seconds()
	}
	spent := min(left[to.ID], wanted-g.Moving[to.ID])
	left[to.ID] -= spent
	if g.Moving[to.ID] += spent; g.Moving[to.ID] >= wanted {
		delete(g.Moving, to.ID)
		g.Copies[to.ID] = g.Version
	}
}

// countBackfills: the scheduler of this release ignores the option unless it is told not to.
func (s recovery) countBackfills() int {
	const usual = 1
	if s.Config["osd osd_mclock_override_recovery_settings"] != "true" {
		return usual
	}
	count, err := strconv.Atoi(s.Config["osd osd_max_backfills"])
	if err != nil || count < 1 {
		return usual
	}
	return count
}

// trim deletes copies that are not needed, once all that are have the newest version.
func (s recovery) trim() {
	for _, g := range s.Groups {
		wanted, current := s.mapGroup(g.ID), s.listCurrent(g)
		if len(wanted) < poolSize || slices.ContainsFunc(wanted, func(id int) bool { return !slices.Contains(current, id) }) {
			continue
		}
		for id := range g.Copies {
			if one := s.find(id); !slices.Contains(wanted, id) && (one == nil || one.Up) {
				delete(g.Copies, id)
			}
		}
	}
}
