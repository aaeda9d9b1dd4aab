// Package support knows what machines a supported cluster should have, beyond what is allowed.
package support

import (
	"fmt"
	"slices"
	"strings"

	"exoshift/assets"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/instancetype"
)

const (
	fewWorkers  = 3  // that masters of the default type are enough for
	grownMemory = 24 // GiB of a master with more workers
	logInfra    = 4  // infra nodes, since logging runs on them
	mastersType = "sizing.controlPlane.type"
)

// Check returns warnings about machines that are allowed, but unwise or not supported, with the reason. What
// certainly breaks a cluster is refused by Check: too few nodes, types that are too small for their role, and disks
// without room for Ceph.
func Check(spec state.Spec) []wizard.Problem {
	var faults []wizard.Problem
	for _, rule := range []func(state.Spec) []wizard.Problem{checkControlPlane, checkInfra, checkConsequences, checkUnusedDisks, checkEmptyGroups} {
		faults = append(faults, rule(spec)...)
	}
	return faults
}

func checkControlPlane(spec state.Spec) []wizard.Problem {
	masters, known := instancetype.Find(spec.Sizing.ControlPlane.Type)
	workers := spec.Sizing.Workers.Count
	for _, group := range spec.Sizing.ExtraGroups {
		workers += group.Count
	}
	if !known || workers <= fewWorkers || masters.Memory >= grownMemory {
		return nil
	}
	return wizard.WithField(mastersType, wizard.NewProblem(
		fmt.Sprintf("%d workers are more than recommended for masters with %g GiB of memory", workers, masters.Memory),
		fmt.Sprintf("masters with at least %d GiB beyond %d workers, or 500 pods", grownMemory, fewWorkers),
		findCheapest(masters.CPUs, grownMemory)))
}

// Types for storage and with a GPU are excluded.
func findCheapest(cpus int, memory float64) string {
	prices, err := assets.ReadPrices()
	if err != nil {
		return ""
	}
	best, least := "", 0.0
	for _, o := range instancetype.List() {
		price, known := prices.Instances[o.Name]
		family, _, _ := strings.Cut(o.Name, ".")
		if known && slices.Contains([]string{"standard", "cpu", "memory"}, family) && o.CPUs >= cpus && o.Memory >= memory &&
			(best == "" || price < least) {
			best, least = o.Name, price
		}
	}
	return best
}

func checkInfra(spec state.Spec) []wizard.Problem {
	if n := spec.Sizing.Infra.Count; n >= logInfra || n < wizard.MinNodes {
		return nil
	}
	return wizard.WithField("sizing.infra.count", wizard.NewProblem(fmt.Sprintf("%d infra nodes suffice only without cluster logging", spec.Sizing.Infra.Count),
		fmt.Sprintf("%d or more if application logs are stored in the cluster", logInfra), fmt.Sprint(logInfra)))
}

func checkConsequences(spec state.Spec) []wizard.Problem {
	var faults []wizard.Problem
	for _, consequence := range spec.ListConsequences() {
		if field, found := wizard.Find(wizard.ListFieldsOf(spec), consequence.Field); found {
			faults = append(faults, wizard.WithField(field.Key, wizard.NewProblem(strings.TrimSuffix(consequence.Text, "."), field.DescribeAllowed(), ""))...)
		}
	}
	return faults
}

// The data disks of storage nodes are Ceph's.
func checkUnusedDisks(spec state.Spec) []wizard.Problem {
	var faults []wizard.Problem
	fields := wizard.ListFieldsOf(spec)
	for _, field := range fields {
		key, isData := strings.CutSuffix(field.Key, wizard.DataDisk)
		if !isData || key == "sizing.storage" || wizard.GetInt(fields, spec, field.Key) == 0 {
			continue
		}
		topolvm, has := wizard.Find(fields, key+wizard.TopoLVMKey)
		if has && topolvm.Get(spec) == "true" {
			continue
		}
		allowed := "0"
		if has {
			allowed = "0, or TopoLVM on this disk"
		}
		faults = append(faults, wizard.WithField(field.Key, wizard.NewProblem("nothing uses this disk by default, and it costs money", allowed, ""))...)
	}
	return faults
}

func checkEmptyGroups(spec state.Spec) []wizard.Problem {
	var faults []wizard.Problem
	for i, group := range spec.Sizing.ExtraGroups {
		if group.Count == 0 {
			faults = append(faults, wizard.WithField(fmt.Sprintf("%s[%d].count", wizard.GroupsKey, i), wizard.NewProblem("the group has no nodes", "1 or more", "1"))...)
		}
	}
	return faults
}
