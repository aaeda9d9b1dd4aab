// Package clusterevents emits events about what has changed in a cluster from one poll to the next.
package clusterevents

import (
	"fmt"

	"exoshift/provisioner"
	"exoshift/state"
)

// Emitter remembers what it emitted last. The zero value is ready to use.
type Emitter struct{ states provisioner.LastStates }

// EmitEtcd emits the members of etcd, and how many of their votes are needed.
func (e *Emitter) EmitEtcd(report provisioner.Report, status state.EtcdStatus) {
	if len(status.Members) == 0 || !e.states.Update("etcd", fmt.Sprint(status.Members, status.BlockedReason)) {
		return
	}
	members, voters := make([]provisioner.Member, len(status.Members)), 0
	for i, member := range status.Members {
		members[i] = provisioner.Member(member)
		if member.State == "voter" {
			voters++
		}
	}
	count, quorum := len(members), len(members)/2+1
	report(provisioner.Event{
		Type: provisioner.TypeEtcd, Members: members, Count: &count, Voters: &voters, Quorum: &quorum, Text: status.Message, Reason: status.BlockedReason,
	})
}

// EmitVersion emits how far the release is applied.
func (e *Emitter) EmitVersion(report provisioner.Report, version state.VersionStatus) {
	percent := version.Percent
	event := provisioner.Event{Type: provisioner.TypeVersion, State: "installing", Percent: &percent, Text: version.Message}
	switch {
	case version.Version == "":
		return
	case version.Failing:
		event.State = "failing"
	case version.IsInstalled():
		event.State = "installed"
	}
	if e.states.Update("version", fmt.Sprint(event.State, percent, event.Text)) {
		report(event)
	}
}

// EmitOperators emits the cluster operators.
func (e *Emitter) EmitOperators(report provisioner.Report, operators []state.OperatorStatus) {
	for _, operator := range operators {
		event := provisioner.Event{Type: provisioner.TypeOperator, Name: operator.Name, State: operator.State()}
		if event.State != "stable" {
			event.Reason = operator.Message
		}
		if e.states.Update("operator/"+operator.Name, event.State+event.Reason) {
			report(event)
		}
	}
}

// EmitPools emits the machine config pools.
func (e *Emitter) EmitPools(report provisioner.Report, pools []state.PoolStatus) {
	for _, pool := range pools {
		if pool.Machines == 0 {
			continue
		}
		event := provisioner.Event{
			Type: provisioner.TypePool, Name: pool.Name, State: provisioner.PoolUpdated, Machines: &pool.Machines, Updated: &pool.Updated, Ready: &pool.Ready,
		}
		switch {
		case pool.Degraded:
			event.State, event.Reason = provisioner.PoolDegraded, pool.Message
		case pool.Updated < pool.Machines || pool.Ready < pool.Machines:
			event.State = provisioner.PoolUpdating
		}
		event.Text = fmt.Sprintf("%d/%d updated, %d/%d ready", pool.Updated, pool.Machines, pool.Ready, pool.Machines)
		if e.states.Update("pool/"+pool.Name, fmt.Sprint(pool)) {
			report(event)
		}
	}
}
