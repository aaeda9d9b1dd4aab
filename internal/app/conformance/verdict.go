package conformance

import (
	"fmt"
	"slices"
	"sync"

	"exoshift/internal/fault"
)

// Verdict is one assumption of an installation, and whether the zone keeps it. Its JSON form is an interface of the program.
type Verdict struct {
	Type string `json:"type"` // always "verdict"
	ID   string `json:"id"`
	OK   bool   `json:"ok"`
	Text string `json:"text"` // what was seen, one sentence for humans
}

// IDs of the verdicts.
const (
	CreateRight         = "create-right"
	KnownSSHKey         = "ssh-key-known"
	OwnBucket           = "role-own-bucket"
	OtherBucket         = "role-other-bucket"
	ImageUpload         = "image-upload"
	ImageTemplate       = "image-template"
	ImageDeleted        = "image-deleted"
	NameServers         = "dns-name-servers"
	Wildcard            = "dns-wildcard"
	Duplicates          = "dns-duplicates"
	Served              = "dns-served"
	BalancerReady       = "balancer-ready"
	ElasticIPForwards   = "elastic-ip-forwards"
	MachineConfigOut    = "machine-config-outside"
	MachineConfigInside = "machine-config-inside"
	ElasticIPSource     = "elastic-ip-source"
	ElasticIPHolder     = "elastic-ip-holder"
	Protection          = "protection"
	Swept               = "swept"
)

// IDs returns the IDs of all verdicts, in the order of the catalogue. A run reaches each of them once.
func IDs() []string {
	return []string{
		CreateRight, KnownSSHKey, OwnBucket, OtherBucket, ImageUpload, ImageTemplate, ImageDeleted,
		NameServers, Wildcard, Duplicates, Served,
		BalancerReady, ElasticIPForwards, MachineConfigOut, MachineConfigInside, ElasticIPSource, ElasticIPHolder,
		Protection, Swept,
	}
}

// IsNeeded reports whether a default installation depends on what a verdict is about. The others say how the zone differs from
// what the simulated one does, and what a choice beside the defaults would meet.
func IsNeeded(id string) bool {
	return !slices.Contains([]string{KnownSSHKey, Duplicates, ElasticIPSource, ElasticIPHolder}, id)
}

// ledger collects the verdicts of a run. Each is reached once: the first one counts.
type ledger struct {
	emit func(Verdict)

	mu   sync.Mutex
	done []Verdict
}

func (l *ledger) settle(id string, ok bool, format string, args ...any) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if slices.ContainsFunc(l.done, func(v Verdict) bool { return v.ID == id }) {
		return
	}
	v := Verdict{Type: "verdict", ID: id, OK: ok, Text: fmt.Sprintf(format, args...)}
	l.done = append(l.done, v)
	l.emit(v)
}

// check settles a verdict that an error denies.
func (l *ledger) check(id string, err error, format string, args ...any) {
	if err != nil {
		l.settle(id, false, "%s", describe(err))
		return
	}
	l.settle(id, true, format, args...)
}

// abandon settles those that are open still: what was to settle them has failed.
func (l *ledger) abandon(ids []string, err error) {
	for _, id := range ids {
		l.settle(id, false, "not checked: %s", describe(err))
	}
}

func (l *ledger) list() []Verdict {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.done)
}

func describe(err error) string {
	if hint := fault.HintOf(err); hint != "" {
		return err.Error() + "; " + hint
	}
	return err.Error()
}
