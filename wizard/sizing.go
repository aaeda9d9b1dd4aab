package wizard

import (
	"fmt"
	"slices"
	"strings"

	"exoshift/state"
)

// groupNames refuses names of groups that are taken.
func groupNames(spec state.Spec) []Fault {
	taken := []string{
		string(state.RoleBootstrap), string(state.RoleLoadBalancer), string(state.RoleMaster),
		string(state.RoleInfra), string(state.RoleStorage), string(state.RoleWorker),
	}
	var faults []Fault
	for i, group := range spec.Sizing.ExtraGroups {
		if slices.Contains(taken, group.Name) {
			faults = append(faults, of(fmt.Sprintf("sizing.extraGroups[%d].name", i),
				wrong(quote(group.Name)+" is taken", "a name other than "+strings.Join(taken, ", "), ""))...)
		}
		taken = append(taken, group.Name)
	}
	return faults
}

// diskBounds wants disks that the instance type can boot from: root and data are one disk.
func diskBounds(spec state.Spec) []Fault {
	var faults []Fault
	for _, field := range fieldsOf(spec) {
		key, isType := strings.CutSuffix(field.Key, ".type")
		if !isType {
			continue
		}
		var size int
		for _, disk := range []string{"rootDisk", "dataDisk"} {
			size += intOf(spec, key+"."+disk)
		}
		limit := rootLimit(field.Get(spec))
		if size > limit {
			faults = append(faults, of(key+".rootDisk", wrong(
				fmt.Sprintf("root and data disk are %d GiB together", size),
				fmt.Sprintf("at most %d GiB for %s", limit, field.Get(spec)), ""))...)
		}
	}
	return faults
}

func intOf(spec state.Spec, key string) int {
	field, ok := find(fieldsOf(spec), key)
	if !ok {
		return 0
	}
	var n int
	if _, err := fmt.Sscan(field.Get(spec), &n); err != nil {
		return 0
	}
	return n
}
