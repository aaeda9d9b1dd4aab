package power

import (
	"cmp"
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner/nodes"
	"exoshift/state"
	"exoshift/state/rook"
)

const (
	// minimumAge is how long a cluster must have been up: the first certificates of its nodes are replaced within the first day.
	minimumAge = 24 * time.Hour
	// maximumOff is for how long OpenShift allows a cluster to be off.
	maximumOff = 90 * 24 * time.Hour
)

const opStop = "stop the cluster"

// Review is what decides whether a cluster may be stopped.
type Review struct {
	Now         time.Time
	StartBefore time.Time // when Limit ends
	Limit       string
	Pending     []string // requests for certificates that wait, which are left alone
	Upgrades    []string // UpgradeConfigs to suspend
	Ceph        bool     // there is the Ceph of Project Syn, whose flags the stop sets
	Reasons     []string // why it must not be stopped, until somebody does something about it
	Unwell      []string // why it must not be stopped now
}

// Review reads the state of the cluster. An error is returned for what could not be read.
func (s *Stop) Review(ctx context.Context) (Review, error) {
	found := Review{Now: s.clients.Clock.Now()}
	seen, err := s.poll(ctx)
	if err != nil {
		return found, err
	}
	s.etcd = seen.Etcd
	for _, request := range seen.Requests {
		if request.State == state.RequestPending {
			found.Pending = append(found.Pending, request.Name)
		}
	}
	found.Reasons = s.checkHistory(found.Now)
	machines, err := s.checkMachines(ctx)
	if err != nil {
		return found, err
	}
	found.Unwell = append(nodes.ListUnwell(seen, s.spec.Sizing.ControlPlane.Count, len(s.hibernation().Cordoned)), machines...)
	conditions, err := s.clients.Cluster.InspectStop(ctx)
	if err != nil {
		return found, err
	}
	found.StartBefore, found.Limit = chooseLimit(found.Now, conditions.CertificateEnd)
	found.Reasons = append(found.Reasons, s.checkLimit(found)...)
	found.Reasons = append(found.Reasons, checkUpgrades(conditions)...)
	found.Upgrades = conditions.UpgradeConfigs
	for _, ceph := range conditions.Ceph {
		found.Ceph = found.Ceph || ceph.Name == ownCeph
		found.Reasons = append(found.Reasons, checkCeph(ceph)...)
	}
	if refusal := s.options.Backup.Refusal; refusal != "" {
		found.Reasons = append(found.Reasons, refusal)
	}
	return found, nil
}

// Refusal returns why the cluster must not be stopped; nil: it may be.
func (r Review) Refusal() error {
	reasons := append(slices.Clone(r.Reasons), r.Unwell...)
	if len(reasons) == 0 {
		return nil
	}
	return fault.Newf(fault.Conflict, opStop, "nothing was changed: %w", fault.Reasons(reasons)).
		WithHint("run the same command again once all of that is over")
}

func (s *Stop) checkHistory(now time.Time) []string {
	facts := s.facts.Get()
	var reasons []string
	if ready := facts.Installed.Add(minimumAge); now.Before(ready) {
		reasons = append(reasons, fmt.Sprintf("it was installed at %s, and the first certificates of its nodes are replaced within a day: it may be stopped from %s on",
			formatTime(facts.Installed), formatTime(ready)))
	}
	for _, role := range state.ListPoolRoles(s.spec) {
		reasons = append(reasons, "the machines of "+state.FormatGroup(role)+" are members of an instance pool, which keeps as many of them running as it has members, and may put new ones in the place of those that are stopped")
	}
	if changed := facts.Storage; changed != nil {
		reasons = append(reasons, "the change of the storage node "+changed.Node+" has not ended: exoshift nodes list says how to end it")
	}
	for _, removal := range facts.Removals {
		reasons = append(reasons, "what was begun with "+removal.Node+" has not ended: "+nodes.FormatCommand(removal))
	}
	return reasons
}

// checkMachines requires that every machine of the answers runs, and that every node is ready.
func (s *Stop) checkMachines(ctx context.Context) ([]string, error) {
	machines, err := s.clients.Cloud.ListInstances(ctx, s.spec.Labels())
	if err != nil {
		return nil, err
	}
	members, err := s.clients.Cluster.ListClusterNodes(ctx)
	if err != nil {
		return nil, err
	}
	var reasons []string
	for _, answer := range append(s.spec.Machines(state.RoleLoadBalancer), s.spec.Nodes()...) {
		at := slices.IndexFunc(machines, func(m state.Instance) bool { return m.Name == answer.Name })
		switch {
		case at < 0:
			reasons = append(reasons, "there is no machine "+answer.Name)
		case machines[at].State != running:
			reasons = append(reasons, "the machine "+answer.Name+" is "+machines[at].State)
		}
	}
	notReady := map[string][]string{} // nodes by the reason
	for _, answer := range s.spec.Nodes() {
		at := slices.IndexFunc(members, func(n state.ClusterNode) bool { return n.Name == answer.Name })
		switch {
		case at < 0:
			reasons = append(reasons, answer.Name+" is no node of the cluster")
		case !members[at].Ready:
			notReady[members[at].Reason] = append(notReady[members[at].Reason], answer.Name)
		}
	}
	for _, reason := range slices.Sorted(maps.Keys(notReady)) {
		reasons = append(reasons, fmt.Sprintf("not ready: %s: %s", strings.Join(notReady[reason], ", "), reason))
	}
	return reasons, nil
}

// chooseLimit returns by when a cluster that is stopped now has to be started again, and why.
func chooseLimit(now, certificateEnd time.Time) (time.Time, string) {
	if allowed := now.Add(maximumOff); allowed.Before(certificateEnd) {
		return allowed, "the 90 days for which OpenShift allows a cluster to be off"
	}
	return certificateEnd, "the certificates of its API servers for its nodes (kube-apiserver-to-kubelet-signer)"
}

func (s *Stop) checkLimit(found Review) []string {
	until := s.options.Until
	switch {
	case until.Before(found.Now):
		return []string{"it is to be started again at " + formatTime(until) + ", which is over: give --until"}
	case until.After(found.StartBefore):
		return []string{fmt.Sprintf("%s end at %s, and it is to be off until %s: give an earlier --until", found.Limit, formatTime(found.StartBefore), formatTime(until))}
	}
	return nil
}

func checkUpgrades(found state.StopConditions) []string {
	var reasons []string
	for _, job := range found.UpgradeJobs {
		reasons = append(reasons, "the UpgradeJob "+job+" has not ended")
	}
	for _, config := range found.ManagedConfigs {
		reasons = append(reasons, "the UpgradeConfig "+config+" would begin an update that was missed as soon as the cluster is started, and Argo CD sets back what is changed here: suspend it in the configuration of the tenant (spec.schedule.suspend)")
	}
	return reasons
}

// Flags of Ceph that keep it from moving data while its machines stop and start.
func listCephFlags() []string { return []string{"noout", "norebalance"} }

// ownCeph is the CephCluster of Project Syn, whose toolbox is known.
const ownCeph = rook.Namespace + "/cluster"

// checkCeph allows no check but that of the flags, which another Ceph than that of Project Syn must have already.
func checkCeph(ceph rook.Status) []string {
	var reasons []string
	for _, check := range ceph.Checks {
		if !strings.HasPrefix(check, "OSDMAP_FLAGS:") {
			reasons = append(reasons, "Ceph "+ceph.Name+" is not well: "+check)
		}
	}
	if ceph.Health != "HEALTH_OK" && len(ceph.Checks) == 0 {
		reasons = append(reasons, "Ceph "+ceph.Name+" reports "+cmp.Or(ceph.Health, "nothing about its health"))
	}
	if ceph.Name == ownCeph {
		return reasons
	}
	namespace, _, _ := strings.Cut(ceph.Name, "/")
	for _, flag := range listCephFlags() {
		if !slices.Contains(ceph.Flags, flag) {
			reasons = append(reasons, fmt.Sprintf("Ceph %s has not the flag %s: oc -n %s exec deploy/rook-ceph-tools -- ceph osd set %s", ceph.Name, flag, namespace, flag))
		}
	}
	return reasons
}

func formatTime(at time.Time) string { return at.UTC().Format("2006-01-02 15:04 MST") }
