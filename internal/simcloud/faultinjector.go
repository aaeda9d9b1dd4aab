package simcloud

import (
	"fmt"
	"path"
	"slices"
	"strings"
	"time"

	"exoshift/internal/simcloud/api"
	"exoshift/internal/simcloud/api/compute"
	"exoshift/internal/simcloud/mirror"
	"exoshift/internal/simcloud/scenario"
	"exoshift/internal/simcloud/store"
	"exoshift/internal/simcloud/vm"
)

// faultInjector injects what happens once in the life of a zone, so that it can be repaired.
type faultInjector struct {
	objects          []scenario.ObjectChange
	silentMachines   []string
	withoutPackages  []string
	withoutCloudInit []string
	events           *store.Table[bool] // those that happened
}

// injectObjectFaults changes the zone's objects.
func (f *faultInjector) injectObjectFaults(a *api.API) error {
	for _, change := range f.objects {
		key := fmt.Sprint(change)
		due := func(m compute.Machine) bool { return strings.HasPrefix(m.Name, change.Machine) }
		if _, done := f.events.Get(key); done || !slices.ContainsFunc(a.Instances(), due) || changeObjects(a.Operator(), change) == 0 {
			continue
		}
		if err := f.events.Put(key, true); err != nil {
			return err
		}
	}
	return nil
}

// changeObjects returns the number of changed objects.
func changeObjects(o api.Operator, change scenario.ObjectChange) (n int) {
	if change.Rules.Group != "" {
		n += o.RemoveRules(change.Rules.Group, change.Rules.Port)
	}
	if change.Records != nil {
		n += o.RemoveRecords(func(name string) bool { return matchesAny(change.Records, name) })
	}
	if change.Keys != "" {
		n += o.RevokeKeys(change.Keys)
	}
	if change.Image != "" {
		n += o.ReplaceImages(mirror.ImageName(change.Image))
	}
	if change.Moved != nil {
		n += o.MoveRecords(func(name string) bool { return matchesAny(change.Moved, name) }, foreignAddress)
	}
	if change.Stopped != "" {
		n += o.StopInstances(change.Stopped, stopAge)
	}
	if change.Detached {
		n += o.DetachElasticIPs()
	}
	return n
}

// stopAge is how old machines are that are stopped: those that create machines wait until these run.
const stopAge = 5 * time.Minute

// foreignAddress is that of no machine.
const foreignAddress = "203.0.113.250"

// matchesAny reports whether one of these patterns, as of path.Match, matches a name.
func matchesAny(patterns []string, name string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		matched, _ := path.Match(pattern, name) // a malformed pattern matches nothing
		return matched
	})
}

func (f *faultInjector) hasBootFault(machine vm.Instance) bool {
	return f.affects("boot", f.silentMachines, machine)
}

func (f *faultInjector) lacksPackages(machine vm.Instance) bool {
	return f.affects("packages", f.withoutPackages, machine)
}

func (f *faultInjector) lacksCloudInit(machine vm.Instance) bool {
	return f.affects("cloud-init", f.withoutCloudInit, machine)
}

// affects reports whether a machine has a fault: only the first one of a name, not its replacement.
func (f *faultInjector) affects(fault string, prefixes []string, machine vm.Instance) bool {
	name := machine.Name + "."
	for _, prefix := range prefixes {
		if !strings.HasPrefix(name, prefix) {
			continue
		}
		host, _, _ := strings.Cut(name, ".")
		first, silent := fault+"/"+host, fault+"/"+machine.ID
		if _, happened := f.events.Get(first); !happened {
			_ = f.events.Put(first, true)
			_ = f.events.Put(silent, true) // an error of the store ends the zone elsewhere
		}
		never, _ := f.events.Get(silent)
		return never
	}
	return false
}
