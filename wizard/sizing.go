package wizard

import (
	"fmt"
	"slices"
	"strings"

	"exoshift/state"
	"exoshift/wizard/instancetype"
	"exoshift/wizard/pool"
)

func checkGroupNames(spec state.Spec) []Problem {
	taken := []string{
		string(state.RoleBootstrap), string(state.RoleLoadBalancer), string(state.RoleMaster),
		string(state.RoleInfra), string(state.RoleStorage), string(state.RoleWorker),
	}
	var faults []Problem
	for i, group := range spec.Sizing.ExtraGroups {
		if slices.Contains(taken, group.Name) {
			faults = append(faults, WithField(fmt.Sprintf("sizing.extraGroups[%d].name", i),
				NewProblem(Quote(group.Name)+" is taken", "a name other than "+strings.Join(taken, ", "), ""))...)
		}
		taken = append(taken, group.Name)
	}
	return faults
}

// The root disk includes the data.
func checkDisks(spec state.Spec) []Problem {
	var faults []Problem
	fields := ListFieldsOf(spec)
	for _, field := range fields {
		key, isType := strings.CutSuffix(field.Key, ".type")
		if !isType {
			continue
		}
		var size int
		for _, disk := range []string{".rootDisk", DataDisk} {
			size += GetInt(fields, spec, key+disk)
		}
		limit := instancetype.MaxRootDisk(field.Get(spec))
		if size > limit {
			faults = append(faults, WithField(key+".rootDisk", NewProblem(
				fmt.Sprintf("root and data disk are %d GiB together", size),
				fmt.Sprintf("at most %d GiB for %s", limit, field.Get(spec)), ""))...)
		}
	}
	return faults
}

func checkPools(spec state.Spec) (faults []Problem) {
	for _, fault := range pool.Check(spec) {
		faults = append(faults, WithField(fault.Key, NewProblem(fault.Message, fault.Allowed, ""))...)
	}
	return faults
}

// GetInt returns 0 if the field does not exist.
func GetInt(fields []Field, spec state.Spec, key string) int {
	field, ok := Find(fields, key)
	if !ok {
		return 0
	}
	var n int
	if _, err := fmt.Sscan(field.Get(spec), &n); err != nil {
		return 0
	}
	return n
}

// Suffixes of the keys of machines.
const (
	TopoLVMKey = ".topolvm"
	DataDisk   = ".dataDisk"
)

// TopoLVM needs a data disk that nothing else uses.
func checkTopoLVM(spec state.Spec) []Problem {
	var faults []Problem
	fields := ListFieldsOf(spec)
	for _, field := range fields {
		key, isTopoLVM := strings.CutSuffix(field.Key, TopoLVMKey)
		if isTopoLVM && field.Get(spec) == "true" && GetInt(fields, spec, key+DataDisk) == 0 {
			faults = append(faults, WithField(field.Key, NewProblem("TopoLVM requires a data disk", "false, or a dataDisk above 0", ""))...)
		}
	}
	for _, other := range []struct {
		key     string
		machine state.MachineSpec
	}{
		{"sizing.bootstrap", spec.Sizing.Bootstrap}, {"sizing.loadBalancers", spec.Sizing.LoadBalancers},
		{"sizing.controlPlane", spec.Sizing.ControlPlane}, {"sizing.storage", spec.Sizing.Storage},
	} {
		if other.machine.TopoLVM {
			faults = append(faults, WithField(other.key+TopoLVMKey, NewProblem("TopoLVM is not available for this role", "infra, workers and additional groups", ""))...)
		}
	}
	return faults
}
