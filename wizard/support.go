package wizard

import (
	"fmt"
	"slices"
	"strings"

	"exoshift/assets"
	"exoshift/state"
)

// Support returns what is allowed of the machines, but unwise or not supported, and why. What certainly breaks a cluster
// is refused by Check: too few nodes, types that are too small for their role, and disks without room for Ceph.
func Support(spec state.Spec) []Fault {
	var faults []Fault
	for _, rule := range []func(state.Spec) []Fault{growingControlPlane, fewInfra, idleDisks, emptyGroups} {
		faults = append(faults, rule(spec)...)
	}
	return faults
}

const (
	fewWorkers  = 3  // that masters of the default type are enough for
	grownMemory = 24 // GiB of a master with more workers
	logInfra    = 4  // infra nodes, since logging runs on them
	mastersType = "sizing.controlPlane.type"
)

// growingControlPlane points out masters that are too small for the number of workers.
func growingControlPlane(spec state.Spec) []Fault {
	masters, known := findOffer(spec.Sizing.ControlPlane.Type)
	workers := spec.Sizing.Workers.Count
	for _, group := range spec.Sizing.ExtraGroups {
		workers += group.Count
	}
	if !known || workers <= fewWorkers || masters.Memory >= grownMemory {
		return nil
	}
	return of(mastersType, wrong(
		fmt.Sprintf("%d workers are many for masters with %g GiB of memory: they keep the state of all that runs there", workers, masters.Memory),
		fmt.Sprintf("masters with at least %d GiB beyond %d workers, or 500 pods", grownMemory, fewWorkers),
		cheapest(masters.CPUs, grownMemory)))
}

// cheapest returns the instance type of that size at least that costs least, or "". Types for storage and with a GPU are
// for other purposes.
func cheapest(cpus int, memory float64) string {
	prices, err := assets.PriceList()
	if err != nil {
		return ""
	}
	best, least := "", 0.0
	for _, o := range Offers() {
		price, known := prices.Instances[o.Name]
		family, _, _ := strings.Cut(o.Name, ".")
		if known && slices.Contains([]string{"standard", "cpu", "memory"}, family) && o.CPUs >= cpus && o.Memory >= memory &&
			(best == "" || price < least) {
			best, least = o.Name, price
		}
	}
	return best
}

// fewInfra points out infra nodes that the logging may be too much for.
func fewInfra(spec state.Spec) []Fault {
	if n := spec.Sizing.Infra.Count; n >= logInfra || n < minNodes {
		return nil
	}
	return of("sizing.infra.count", wrong(fmt.Sprintf("%d infra nodes are enough without the cluster's logging only", spec.Sizing.Infra.Count),
		fmt.Sprintf("%d or more if the logs of applications are kept in the cluster", logInfra), fmt.Sprint(logInfra)))
}

// idleDisks points out data disks that nothing uses by itself. Those of storage nodes are Ceph's.
func idleDisks(spec state.Spec) []Fault {
	var faults []Fault
	fields := fieldsOf(spec)
	for _, field := range fields {
		key, isData := strings.CutSuffix(field.Key, dataDisk)
		if !isData || key == "sizing.storage" || intOf(fields, spec, field.Key) == 0 {
			continue
		}
		topolvm, has := find(fields, key+topoLVMKey)
		if has && topolvm.Get(spec) == "true" {
			continue
		}
		allowed := "0"
		if has {
			allowed = "0, or TopoLVM on this disk"
		}
		faults = append(faults, of(field.Key, wrong("nothing uses this disk by itself, and it costs money", allowed, ""))...)
	}
	return faults
}

// emptyGroups points out groups without a node.
func emptyGroups(spec state.Spec) []Fault {
	var faults []Fault
	for i, group := range spec.Sizing.ExtraGroups {
		if group.Count == 0 {
			faults = append(faults, of(fmt.Sprintf("%s[%d].count", groupsKey, i), wrong("the group has no node", "1 or more", "1"))...)
		}
	}
	return faults
}
