package controlplane

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"exoshift/state"
)

const voting = "voter"

func (c *ControlPlane) checkEtcd(status state.EtcdStatus) error {
	count := len(status.Members)
	sentence := fmt.Sprintf("etcd has %d of %d members", count, c.spec.Sizing.ControlPlane.Count+1)
	if status.BlockedReason != "" {
		return errors.New(sentence + ": " + status.BlockedReason)
	}
	if status.Message != "" && status.Message != fmt.Sprintf("%d members are available", count) {
		sentence += ": " + status.Message
	}
	return errors.New(sentence)
}

func (c *ControlPlane) checkMemberMachines(status state.EtcdStatus) error {
	whole, _ := c.groupMasters(status)
	var lacking []string
	for _, machine := range c.spec.Machines(state.RoleMaster) {
		if !slices.Contains(whole, machine.Name) {
			lacking = append(lacking, machine.Name)
		}
	}
	if len(lacking) == 0 {
		return nil
	}
	return fmt.Errorf("etcd has no healthy member on %s: %s", strings.Join(lacking, ", "), status.Message)
}

// The etcd operator removes no members of recreated masters by itself here, and adds none while one is not healthy.
func (c *ControlPlane) describeStaleMembers(status state.EtcdStatus) string {
	whole, lost := c.groupMasters(status)
	stale := c.listStaleMembers(status)
	if !status.BootstrapRemoved || len(whole) == 0 || len(stale) == 0 || len(lost) == 0 {
		return ""
	}
	etcdctl := "oc -n openshift-etcd rsh -c etcdctl etcd-" + whole[0] + " etcdctl member "
	lines := []string{etcdctl + "list -w table"}
	for _, id := range stale {
		lines = append(lines, etcdctl+"remove "+id)
	}
	for _, name := range lost {
		lines = append(lines, fmt.Sprintf("oc -n openshift-etcd delete secret etcd-peer-%[1]s etcd-serving-%[1]s etcd-serving-metrics-%[1]s", name))
	}
	return "etcd still has the member of the former machine of " + strings.Join(lost, ", ") + ". If that machine is gone:\n" + strings.Join(lines, "\n")
}

// lost are the masters whose member is that of an earlier machine.
func (c *ControlPlane) groupMasters(status state.EtcdStatus) (whole, lost []string) {
	addresses := slices.Collect(maps.Values(status.Voters))
	for _, member := range status.Members {
		instance, known := c.machines.Find(member.Name)
		votes := slices.Contains(addresses, instance.Address)
		switch {
		case known && votes && member.State == voting:
			whole = append(whole, member.Name)
		case known && !votes:
			lost = append(lost, member.Name)
		}
	}
	return whole, lost
}

func (c *ControlPlane) listStaleMembers(status state.EtcdStatus) []string {
	var ours []string
	for _, machine := range c.spec.Machines(state.RoleMaster) {
		instance, _ := c.machines.Find(machine.Name)
		ours = append(ours, instance.Address)
	}
	return slices.DeleteFunc(slices.Sorted(maps.Keys(status.Voters)), func(id string) bool { return slices.Contains(ours, status.Voters[id]) })
}
