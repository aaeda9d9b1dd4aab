package wizard

import (
	"fmt"
	"slices"
	"strings"

	"exoshift/assets"
	"exoshift/state"
)

func checkGroupNames(spec state.Spec) []Problem {
	taken := []string{
		string(state.RoleBootstrap), string(state.RoleLoadBalancer), string(state.RoleMaster),
		string(state.RoleInfra), string(state.RoleStorage), string(state.RoleWorker),
	}
	var faults []Problem
	for i, group := range spec.Sizing.ExtraGroups {
		if slices.Contains(taken, group.Name) {
			faults = append(faults, withField(fmt.Sprintf("sizing.extraGroups[%d].name", i),
				newProblem(quote(group.Name)+" is taken", "a name other than "+strings.Join(taken, ", "), ""))...)
		}
		taken = append(taken, group.Name)
	}
	return faults
}

// The root disk includes the data.
func checkDisks(spec state.Spec) []Problem {
	var faults []Problem
	fields := listFieldsOf(spec)
	for _, field := range fields {
		key, isType := strings.CutSuffix(field.Key, ".type")
		if !isType {
			continue
		}
		var size int
		for _, disk := range []string{".rootDisk", dataDisk} {
			size += getInt(fields, spec, key+disk)
		}
		limit := maxRootDisk(field.Get(spec))
		if size > limit {
			faults = append(faults, withField(key+".rootDisk", newProblem(
				fmt.Sprintf("root and data disk are %d GiB together", size),
				fmt.Sprintf("at most %d GiB for %s", limit, field.Get(spec)), ""))...)
		}
	}
	return faults
}

// getInt returns 0 if the field does not exist.
func getInt(fields []Field, spec state.Spec, key string) int {
	field, ok := find(fields, key)
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
	topoLVMKey = ".topolvm"
	dataDisk   = ".dataDisk"
)

// TopoLVM needs a data disk that nothing else uses.
func checkTopoLVM(spec state.Spec) []Problem {
	var faults []Problem
	fields := listFieldsOf(spec)
	for _, field := range fields {
		key, isTopoLVM := strings.CutSuffix(field.Key, topoLVMKey)
		if isTopoLVM && field.Get(spec) == "true" && getInt(fields, spec, key+dataDisk) == 0 {
			faults = append(faults, withField(field.Key, newProblem("TopoLVM has no data disk to use", "false, or a dataDisk above 0", ""))...)
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
			faults = append(faults, withField(other.key+topoLVMKey, newProblem("TopoLVM is not for these machines", "infra, workers and additional groups", ""))...)
		}
	}
	return faults
}

// CheckSupport returns warnings about machines that are allowed, but unwise or not supported, with the reason. What
// certainly breaks a cluster is refused by Check: too few nodes, types that are too small for their role, and disks
// without room for Ceph.
func CheckSupport(spec state.Spec) []Problem {
	var faults []Problem
	for _, rule := range []func(state.Spec) []Problem{checkControlPlane, checkInfra, checkUnusedDisks, checkEmptyGroups} {
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

func checkControlPlane(spec state.Spec) []Problem {
	masters, known := findInstanceType(spec.Sizing.ControlPlane.Type)
	workers := spec.Sizing.Workers.Count
	for _, group := range spec.Sizing.ExtraGroups {
		workers += group.Count
	}
	if !known || workers <= fewWorkers || masters.Memory >= grownMemory {
		return nil
	}
	return withField(mastersType, newProblem(
		fmt.Sprintf("%d workers are many for masters with %g GiB of memory: they keep the state of all that runs there", workers, masters.Memory),
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
	for _, o := range ListInstanceTypes() {
		price, known := prices.Instances[o.Name]
		family, _, _ := strings.Cut(o.Name, ".")
		if known && slices.Contains([]string{"standard", "cpu", "memory"}, family) && o.CPUs >= cpus && o.Memory >= memory &&
			(best == "" || price < least) {
			best, least = o.Name, price
		}
	}
	return best
}

func checkInfra(spec state.Spec) []Problem {
	if n := spec.Sizing.Infra.Count; n >= logInfra || n < minNodes {
		return nil
	}
	return withField("sizing.infra.count", newProblem(fmt.Sprintf("%d infra nodes are enough without the cluster's logging only", spec.Sizing.Infra.Count),
		fmt.Sprintf("%d or more if the logs of applications are kept in the cluster", logInfra), fmt.Sprint(logInfra)))
}

// The data disks of storage nodes are Ceph's.
func checkUnusedDisks(spec state.Spec) []Problem {
	var faults []Problem
	fields := listFieldsOf(spec)
	for _, field := range fields {
		key, isData := strings.CutSuffix(field.Key, dataDisk)
		if !isData || key == "sizing.storage" || getInt(fields, spec, field.Key) == 0 {
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
		faults = append(faults, withField(field.Key, newProblem("nothing uses this disk by itself, and it costs money", allowed, ""))...)
	}
	return faults
}

func checkEmptyGroups(spec state.Spec) []Problem {
	var faults []Problem
	for i, group := range spec.Sizing.ExtraGroups {
		if group.Count == 0 {
			faults = append(faults, withField(fmt.Sprintf("%s[%d].count", groupsKey, i), newProblem("the group has no node", "1 or more", "1"))...)
		}
	}
	return faults
}

// checkUnusedAnswers warns of answers without an effect, and of tasks that are left to the operator.
func checkUnusedAnswers(spec state.Spec) []Problem {
	faults := checkWithoutSyn(spec)
	if spec.LoadBalancer.ProxyProtocol && spec.IsRoundRobin() {
		faults = append(faults, withField("loadBalancer.proxyProtocol", newProblem("without load balancers nobody speaks the PROXY protocol: the answer is kept only", "", ""))...)
	}
	if apps := spec.DNS.AppsDomain; apps != "" && !strings.HasSuffix(apps, "."+spec.Domain()) {
		faults = append(faults, withField("dns.appsDomain", newProblem("it is outside of the cluster's zone: you lead *."+apps+" to ingress."+spec.Domain()+" yourself, and the installation waits for that: the console is there", "", ""))...)
	}
	return faults
}
