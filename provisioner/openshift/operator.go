package openshift

import (
	"cmp"
	"slices"
	"time"

	"exoshift/state"
)

// clusterOperator is the part of config.openshift.io/v1 ClusterOperator that tells how it is.
type clusterOperator struct {
	Metadata named `json:"metadata"`
	Status   struct {
		Conditions conditions `json:"conditions"`
	} `json:"status"`
}

const (
	// stableTime is for how long an operator has to be well before it counts as stable: openshift-install waits as long
	// for operators that no longer progress.
	stableTime = 30 * time.Second
	// skew is how far the clocks of the cluster and of this machine may be apart.
	skew = 5 * time.Minute
)

// An operator that changed so often in a while is not believed, whatever it says, until it stays as it is. It counts when
// one that has come up ceases to be sound, or is sound again, and when a sound one begins to progress: each roll-out of a
// revision is a change, and takes minutes on each master; to lose something once is normal while an API rolls, but not
// twice in a while.
const (
	enoughChanges = 4
	changesTime   = 10 * time.Minute
	calmAfter     = 5 * time.Minute
)

// health is how an operator is, by its conditions.
type health struct{ available, progressing, degraded bool }

func (h health) sound() bool { return h.available && !h.degraded }
func (h health) well() bool  { return h.sound() && !h.progressing }

// operatorRecord is what the looks together saw of an operator. Times are by our clock: of the server's only whether they
// change matters, and whether they are long ago.
type operatorRecord struct {
	health   health
	up       bool        // it has been sound
	changed  [3]string   // when the conditions changed, by the server's clock
	since    time.Time   // since when it is like this
	counted  []time.Time // changes
	flapping bool
}

func newRecord(operator clusterOperator, now time.Time) *operatorRecord {
	record := &operatorRecord{since: now}
	record.health, record.changed = operator.health()
	latest := slices.Max(record.changed[:]) // of RFC 3339 in UTC: the text sorts as the time does
	if at, err := time.Parse(time.RFC3339, latest); err == nil && now.Sub(at) > skew {
		record.since = at
	}
	return record
}

func (o clusterOperator) health() (health, [3]string) {
	available, progressing, degraded := o.condition("Available"), o.condition("Progressing"), o.condition("Degraded")
	return health{
		available:   available.Status == "True",
		progressing: progressing.Status == "True",
		degraded:    degraded.Status == "True",
	}, [3]string{available.Changed, progressing.Changed, degraded.Changed}
}

func (o clusterOperator) condition(kind string) condition { return o.Status.Conditions.find(kind) }

// note adds a look.
func (r *operatorRecord) note(operator clusterOperator, now time.Time) {
	found, changed := operator.health()
	for range r.changes(found, changed) {
		r.counted = append(r.counted, now)
	}
	if found != r.health || changed != r.changed {
		r.health, r.changed, r.since = found, changed, now
	}
	r.up = r.up || found.sound()
	r.calm(now)
}

// changes returns how many changes count. Conditions that changed and changed back between two looks are known by their
// times.
func (r *operatorRecord) changes(found health, changed [3]string) int {
	switch {
	case !r.up:
		return 0
	case found.sound() != r.health.sound(), found.sound() && found.progressing && !r.health.progressing:
		return 1
	case !found.sound() || found != r.health:
		return 0
	case changed[0] != r.changed[0], changed[2] != r.changed[2]:
		return 2
	case changed[1] != r.changed[1]:
		return 1
	}
	return 0
}

// calm forgets what is long ago.
func (r *operatorRecord) calm(now time.Time) {
	r.counted = slices.DeleteFunc(r.counted, func(at time.Time) bool { return now.Sub(at) > changesTime })
	r.flapping = r.flapping || len(r.counted) >= enoughChanges
	if last := len(r.counted) - 1; r.flapping && (last < 0 || now.Sub(r.counted[last]) >= calmAfter) {
		r.flapping, r.counted = false, nil
	}
}

func (r *operatorRecord) status(operator clusterOperator, now time.Time) state.OperatorStatus {
	decisive := operator.decisive()
	return state.OperatorStatus{
		Name: operator.Metadata.Name, Available: r.health.available, Progressing: r.health.progressing, Degraded: r.health.degraded,
		Reason: decisive.Reason, Message: cmp.Or(decisive.Message, decisive.Reason), Since: r.since, Flapping: r.flapping,
		Stable: r.health.well() && !r.flapping && now.Sub(r.since) > stableTime,
	}
}

// decisive returns the condition that keeps an operator from being well; the zero condition if it is, or has not
// reported.
func (o clusterOperator) decisive() condition {
	for _, kind := range []string{"Degraded", "Progressing"} {
		if found := o.condition(kind); found.Status == "True" {
			return found
		}
	}
	if found := o.condition("Available"); found.Status != "True" {
		return found
	}
	return condition{}
}
