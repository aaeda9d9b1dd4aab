package upgrade

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner/backup"
	"exoshift/provisioner/nodes"
	"exoshift/state"
	"exoshift/state/upgrade"
)

// Names of preconditions.
const (
	CheckTarget       = "target"
	CheckControllers  = "controllers"
	CheckEtcd         = "etcd"
	CheckOperators    = "operators"
	CheckPools        = "pools"
	CheckStorage      = "storage"
	CheckCertificates = "certificates"
	CheckAlerts       = "alerts"
	CheckBackup       = "backup"
)

// Precondition is what has to hold before a cluster is updated.
type Precondition struct {
	Name    string
	OK      bool
	Text    string   // what was found
	Reasons []string // why it does not hold
	// Lasting: it does not end by itself.
	Lasting bool
}

// Review is what decides whether a cluster may be updated.
type Review struct {
	Status        upgrade.Status
	Target        *upgrade.Release // nil: it is not in the list, as it goes on already, or the channel is to be changed first
	Preconditions []Precondition
	// Follows: the update was requested already, and this command goes on with it.
	Follows bool
	// Ended: the cluster has the release as a whole.
	Ended    bool
	unlisted bool // the list has no such release
}

const opUpgrade = "update the cluster"

// Refusal returns why the cluster must not be updated; nil: it may be.
func (r Review) Refusal() error {
	var reasons []string
	for _, one := range r.Preconditions {
		reasons = append(reasons, one.Reasons...)
	}
	if len(reasons) == 0 {
		return nil
	}
	failure := fault.Newf(fault.Conflict, opUpgrade, "nothing was changed: %w", fault.Reasons(reasons))
	switch {
	case r.unlisted:
		return failure.WithHint("choose another release: %s; list them with their risks: exoshift upgrade", r.Status.DescribeUpdates())
	case r.Fails(CheckCertificates):
		return failure.WithHint("see why kube-apiserver-operator has not replaced the signer: oc get clusteroperator kube-apiserver -o yaml; oc -n openshift-kube-apiserver-operator logs deployment/kube-apiserver-operator")
	case r.IsLasting():
		return failure.WithHint("what is named does not end by itself: change it, or the command")
	case r.Fails(CheckAlerts):
		return failure.WithHint("mend what the alerts name, or silence those that may fire during the update, and run the same command again once all of that is over")
	}
	return failure.WithHint("run the same command again once all of that is over")
}

// IsLasting reports whether something does not hold that does not end by itself.
func (r Review) IsLasting() bool {
	return slices.ContainsFunc(r.Preconditions, func(p Precondition) bool { return !p.OK && p.Lasting })
}

// IsPassing reports whether something does not hold that may end by itself.
func (r Review) IsPassing() bool {
	return slices.ContainsFunc(r.Preconditions, func(p Precondition) bool { return !p.OK && !p.Lasting })
}

// Fails reports whether a precondition does not hold.
func (r Review) Fails(name string) bool {
	return slices.ContainsFunc(r.Preconditions, func(p Precondition) bool { return !p.OK && p.Name == name })
}

// minimumCertificateTime: OpenShift makes a new signer of certificates 73 days before the old one ends, so that one that ends within days is
// not being renewed.
const minimumCertificateTime = 14 * 24 * time.Hour

// Review reads the state of the cluster. An error is returned for what could not be read.
func (u *Upgrade) Review(ctx context.Context) (Review, error) {
	var found Review
	var err error
	if found.Status, err = u.readStatus(ctx); err != nil {
		return found, err
	}
	u.reviewTarget(&found)
	if found.Follows || found.Ended || u.options.To == "" {
		return found, nil
	}
	conditions, err := u.clients.Cluster.InspectStop(ctx)
	if err != nil {
		return found, err
	}
	found.add(CheckControllers, "nobody else updates the cluster", true, u.checkControllers(conditions))
	seen, _, err := nodes.CheckHealth(ctx, u.clients.Cluster, u.spec.Sizing.ControlPlane.Count, 0)
	if err != nil {
		return found, err
	}
	found.add(CheckEtcd, seen.Etcd.Message, false, nodes.CheckEtcd(seen.Etcd, u.spec.Sizing.ControlPlane.Count))
	found.add(CheckOperators, fmt.Sprintf("%d operators are available and not degraded", len(seen.Operators)), false, nodes.CheckOperators(seen.Operators))
	found.add(CheckPools, formatPools(found.Status.Pools), false, u.checkPools(found.Status))
	if len(conditions.Ceph) > 0 {
		found.add(CheckStorage, "Ceph is well", false, checkCeph(conditions))
	}
	now := u.clients.Clock.Now()
	certificates := Precondition{Name: CheckCertificates, Text: "the signer of the API servers' certificates for nodes ends at " + formatTime(conditions.CertificateEnd), OK: true}
	if conditions.CertificateEnd.Before(now.Add(minimumCertificateTime)) {
		certificates.OK, certificates.Lasting, certificates.Reasons = false, true, []string{certificates.Text + ", and was to be replaced 73 days before"}
	}
	found.Preconditions = append(found.Preconditions, certificates)
	alerts, err := u.clients.Cluster.ListAlerts(ctx)
	if err != nil {
		return found, err
	}
	found.add(CheckAlerts, "no alert of severity critical fires", false, checkAlerts(alerts))
	return found, u.reviewBackup(ctx, &found)
}

// reviewBackup decides once, so that what is made is not looked for again.
func (u *Upgrade) reviewBackup(ctx context.Context, found *Review) error {
	if u.backup == nil {
		decided := backup.Requirement{Text: "you do without a backup of etcd"}
		if u.options.FindBackup != nil {
			var err error
			if decided, err = u.options.FindBackup(ctx); err != nil {
				return err
			}
		}
		u.backup = &decided
	}
	var reasons []string
	if u.backup.Refusal != "" {
		reasons = []string{u.backup.Refusal}
	}
	found.add(CheckBackup, u.backup.Text, true, reasons)
	return nil
}

func (r *Review) add(name, text string, lasting bool, reasons []string) {
	r.Preconditions = append(r.Preconditions, Precondition{Name: name, OK: len(reasons) == 0, Text: text, Reasons: reasons, Lasting: lasting})
}

// readStatus also reads the gates.
func (u *Upgrade) readStatus(ctx context.Context) (upgrade.Status, error) {
	status, err := u.clients.Cluster.GetUpdateStatus(ctx)
	if err != nil {
		return status, err
	}
	status.Gates, status.Removed, err = u.clients.Cluster.GetGates(ctx)
	return status, err
}

// reviewTarget decides whether the cluster can be updated to the release at all, has it already, or is on its way.
func (u *Upgrade) reviewTarget(found *Review) {
	status, to := found.Status, u.options.To
	begun := u.change()
	asked := status.Wanted != "" && status.Wanted != status.Version
	switch {
	case to == "":
		return
	case begun.To != "" && begun.To != to && begun.Requested && (status.Version == begun.To || status.Wanted == begun.To):
		found.refuse("the update to %s that was begun here has not ended: exoshift upgrade --to %s", begun.To, begun.To)
		return
	case status.Version == to:
		found.Follows = status.Partial || begun.To == to
		found.Ended = !found.Follows && !hasWaitingPools(status)
		found.Follows = !found.Ended
		found.checkNone()
		return
	case status.Wanted == to:
		found.Follows = true
		found.checkNone()
		return
	case asked:
		found.refuse("%s has requested the update to %s, which the cluster has not begun: %s", describeOwner(status.By), status.Wanted, orNone(status.Refused))
		return
	case status.Partial:
		found.refuse("an update to %s goes on, which %s has requested at %s", status.Version, describeOwner(status.By), formatTime(status.Begun))
		return
	}
	u.reviewRelease(found)
}

func hasWaitingPools(status upgrade.Status) bool {
	return slices.ContainsFunc(status.Pools, func(p upgrade.Pool) bool { return !p.IsUpdated() })
}

func (r *Review) checkNone() { r.add(CheckTarget, r.Status.Version+" is requested already", true, nil) }

func (r *Review) refuse(format string, args ...any) {
	r.add(CheckTarget, "", true, []string{fmt.Sprintf(format, args...)})
}

// reviewRelease checks the way from one release to another.
func (u *Upgrade) reviewRelease(found *Review) {
	status, to := found.Status, u.options.To
	minors, known := upgrade.CountMinors(status.Version, to)
	switch {
	case !known:
		found.unlisted = true
		found.refuse("there is no way from %s to %s", status.Version, to)
		return
	case upgrade.Compare(to, status.Version) < 0:
		found.unlisted = true
		found.refuse("%s is older than %s: OpenShift has no way back, within a minor version neither", to, status.Version)
		return
	case minors > 1:
		found.unlisted = true
		found.refuse("%s is %d minor versions after %s: none can be skipped", to, minors, status.Version)
		return
	}
	if u.options.Channel != "" && u.options.Channel != status.Channel {
		found.add(CheckTarget, fmt.Sprintf("whether %s has %s is known once the channel is set", u.options.Channel, to), true, nil)
		return
	}
	found.Target = status.FindRelease(to)
	found.unlisted = found.Target == nil
	reasons := u.checkRelease(status, found.Target)
	if minors > 0 {
		reasons = append(reasons, u.checkGates(status)...)
	}
	found.add(CheckTarget, fmt.Sprintf("%s is in the channel %s", to, status.Channel), true, reasons)
}

func (u *Upgrade) checkRelease(status upgrade.Status, target *upgrade.Release) []string {
	switch {
	case target == nil && !status.Retrieved:
		return []string{"the cluster has no list of updates: " + orNone(status.Failure)}
	case target == nil:
		return []string{fmt.Sprintf("the channel %s has no update from %s to %s: exoshift upgrade lists those that it has", status.Channel, status.Version, u.options.To)}
	case !target.Recommended && !u.options.AllowNotRecommended:
		reason := target.Version + " is not recommended for this cluster, which --allow-not-recommended permits:"
		for _, risk := range target.Risks {
			reason += fmt.Sprintf(" %s: %s (%s)", risk.Name, risk.Message, risk.URL)
		}
		return []string{reason}
	}
	return nil
}

// checkGates requires that what OpenShift asks for was acknowledged, or is by this update, and that nothing else blocks it.
func (u *Upgrade) checkGates(status upgrade.Status) []string {
	var reasons []string
	missing := status.ListMissing()
	for _, gate := range missing {
		if !slices.Contains(u.options.Acknowledge, gate.Key) {
			reasons = append(reasons, fmt.Sprintf("OpenShift asks you to acknowledge: %s See who uses the APIs that are removed, and give --acknowledge %s", gate.Text, gate.Key))
		}
	}
	for _, key := range u.options.Acknowledge {
		if !slices.ContainsFunc(status.Gates, func(g upgrade.Gate) bool { return g.Key == key }) {
			reasons = append(reasons, "OpenShift does not ask for --acknowledge "+key)
		}
	}
	if status.Blocked != "" && len(missing) == 0 && len(u.options.Acknowledge) == 0 { // the cluster takes a moment to see an acknowledgement
		reasons = append(reasons, "the cluster can be updated within its minor version only: "+status.Blocked)
	}
	return reasons
}

// checkControllers refuses a cluster of Project Syn, also one whose controller is not there at the moment.
func (u *Upgrade) checkControllers(conditions state.StopConditions) []string {
	var reasons []string
	if u.spec.Syn.LieutenantURL != "" || u.spec.Syn.CatalogDir != "" {
		reasons = append(reasons, "the cluster belongs to Project Syn, whose controller would take the update back: change parameters.openshift_upgrade_controller in the configuration of its tenant")
	}
	if len(conditions.UpgradeConfigs) > 0 {
		reasons = append(reasons, fmt.Sprintf("the cluster is updated by its own controller, on the schedules %s: suspend these first, or leave it to them", strings.Join(conditions.UpgradeConfigs, ", ")))
	}
	for _, job := range conditions.UpgradeJobs {
		reasons = append(reasons, "the UpgradeJob "+job+" has not ended")
	}
	return reasons
}

func checkCeph(conditions state.StopConditions) []string {
	var reasons []string
	for _, ceph := range conditions.Ceph {
		if ceph.Health != "HEALTH_OK" {
			reasons = append(reasons, fmt.Sprintf("Ceph %s reports %s: %s", ceph.Name, orNone(ceph.Health), strings.Join(ceph.Checks, "; ")))
		}
	}
	return reasons
}

// checkPools requires that every pool is well, and none is paused but by this update.
func (u *Upgrade) checkPools(status upgrade.Status) []string {
	var reasons []string
	for _, pool := range status.Pools {
		switch ours := slices.Contains(u.change().Paused, pool.Name); {
		case pool.Degraded:
			reasons = append(reasons, fmt.Sprintf("the machine config pool %s is degraded: %s", pool.Name, pool.Message))
		case pool.Paused && !ours && (pool.Name == masterPool || !u.pauses()):
			reasons = append(reasons, fmt.Sprintf("the machine config pool %s is paused, so that its nodes would not be updated", pool.Name))
		case !pool.IsUpdated():
			reasons = append(reasons, fmt.Sprintf("of the machine config pool %s, %d of %d machines are updated and %d ready", pool.Name, pool.Updated, pool.Machines, pool.Ready))
		}
	}
	if canary := u.options.Canary; canary == masterPool {
		reasons = append(reasons, "the masters are updated before all other pools: --canary is for one of those")
	} else if canary != "" {
		if pool := status.FindPool(canary); pool == nil || pool.Machines == 0 {
			reasons = append(reasons, "there is no machine config pool "+canary+" with machines")
		}
	}
	return reasons
}

func formatPools(pools []upgrade.Pool) string {
	var parts []string
	for _, pool := range pools {
		if pool.Machines > 0 {
			parts = append(parts, fmt.Sprintf("%s %d/%d", pool.Name, pool.Updated, pool.Machines))
		}
	}
	return "updated: " + strings.Join(parts, ", ")
}

func checkAlerts(alerts []state.Alert) []string {
	var reasons []string
	for _, alert := range alerts {
		if alert.Severity == "critical" && !alert.Silenced && alert.Known == "" {
			reasons = append(reasons, fmt.Sprintf("the alert %s fires since %s: %s", alert.Name, formatTime(alert.Since), alert.Summary))
		}
	}
	return reasons
}

func describeOwner(by string) string {
	if by == "" {
		return "somebody"
	}
	return by
}

func orNone(text string) string {
	if text == "" {
		return "it gives no reason"
	}
	return text
}

func formatTime(at time.Time) string { return at.UTC().Format("2006-01-02 15:04 MST") }
