package upgrade

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
	"exoshift/state/upgrade"
)

// ManagedCluster is the API of a cluster that its own upgrade controller updates.
type ManagedCluster interface {
	// GetUpdateStatus reads the release, the updates and how far one is.
	GetUpdateStatus(ctx context.Context) (upgrade.Status, error)
	// GetGates reads the decisions that OpenShift asks for, and which APIs are used that it will remove.
	GetGates(ctx context.Context) ([]upgrade.Gate, []upgrade.RemovedAPI, error)
	// GetManaged reads what the controller is told to do.
	GetManaged(ctx context.Context) (upgrade.Managed, error)
}

// Tenant is the configuration of the cluster's tenant, of which the controller's is made.
type Tenant interface {
	// PreviewUpgrades returns how it would change. fault.Waiting: nobody is signed in.
	PreviewUpgrades(ctx context.Context, wanted upgrade.Configuration) (state.Difference, error)
	// CommitUpgrades changes it, and waits until the catalog is compiled of it. Without changes there is no commit.
	CommitUpgrades(ctx context.Context, report provisioner.Report, wanted upgrade.Configuration, message string) error
}

// ManagedClients are what the updates of such a cluster are changed with.
type ManagedClients struct {
	Cluster ManagedCluster
	Tenant  Tenant
	Clock   provisioner.Clock
}

// ManagedOptions are what a person decides.
type ManagedOptions struct {
	To      string // the release that the controller is to take; "": none is named
	Channel string // "": it stays, or is that of To
	Suspend bool   // no window updates the cluster from now on
	Resume  bool   // the windows update it again
}

// ManagedUpgrade changes what a cluster's own upgrade controller is told to do, in the configuration of the tenant. It updates nothing itself.
type ManagedUpgrade struct {
	spec    state.Spec
	clients ManagedClients
	options ManagedOptions
	wanted  upgrade.Configuration // of the last review
}

// NewManaged is for the cluster of these answers.
func NewManaged(spec state.Spec, clients ManagedClients, options ManagedOptions) *ManagedUpgrade {
	return &ManagedUpgrade{spec: spec, clients: clients, options: options}
}

// ManagedReview is what is known before the configuration is changed.
type ManagedReview struct {
	Status     upgrade.Status
	Managed    upgrade.Managed
	Wanted     upgrade.Configuration // what is to be in the configuration
	Difference state.Difference      // of the configuration
	Unseen     string                // why it is not known; "": it is
	Refusal    error                 // nil: it may be changed
	Ended      bool                  // the cluster has the release
}

const opManaged = "change when the cluster is updated"

// Review reads the state of the cluster. An error is returned for what could not be read.
func (u *ManagedUpgrade) Review(ctx context.Context) (found ManagedReview, err error) {
	if found.Status, err = u.clients.Cluster.GetUpdateStatus(ctx); err != nil {
		return found, err
	}
	if found.Status.Gates, found.Status.Removed, err = u.clients.Cluster.GetGates(ctx); err != nil {
		return found, err
	}
	if found.Managed, err = u.clients.Cluster.GetManaged(ctx); err != nil {
		return found, err
	}
	if u.options == (ManagedOptions{}) {
		return found, nil
	}
	if u.options.To != "" && found.Status.Version == u.options.To && !found.Status.Partial {
		found.Ended = true
		return found, nil
	}
	if found.Refusal = u.decide(&found); found.Refusal != nil {
		return found, nil
	}
	u.wanted = found.Wanted
	found.Difference, err = u.clients.Tenant.PreviewUpgrades(ctx, found.Wanted)
	if fault.Is(err, fault.Waiting) {
		found.Unseen = strings.TrimSuffix(err.Error()+"; "+fault.HintOf(err), "; ")
		err = nil
	}
	return found, err
}

// decide finds out what is to be in the configuration, or why that must not be changed.
func (u *ManagedUpgrade) decide(found *ManagedReview) error {
	if len(found.Managed.Schedules) == 0 {
		return fault.Newf(fault.Conflict, opManaged, "nothing was changed: the cluster has no UpgradeConfig, so that its upgrade controller never updates it").
			WithHint("give it a maintenance window: the fact maintenance_window in Lieutenant, or parameters.openshift_upgrade_controller.upgrade_configs in the configuration of its tenant")
	}
	found.Wanted.Channel = u.options.Channel
	if u.options.To != "" {
		if err := u.chooseChannel(found); err != nil {
			return err
		}
	}
	if found.Wanted.Channel == found.Managed.Channel {
		found.Wanted.Channel = "" // which may come from the tenant's defaults
	}
	switch {
	case u.options.Suspend:
		found.Wanted.Configs, found.Wanted.Suspend = found.Managed.ListActive(), true
	case u.options.Resume, u.options.To != "":
		found.Wanted.Configs = found.Managed.ListSuspended()
	}
	return nil
}

// chooseChannel requires that the controller will take the release: it takes the newest one of the channel that is recommended.
func (u *ManagedUpgrade) chooseChannel(found *ManagedReview) error {
	status, to := found.Status, u.options.To
	refuse := func(format string, args ...any) error {
		return fault.Newf(fault.Conflict, opUpgrade, "nothing was changed: "+format, args...).
			WithHint("choose another release: %s; list them with their risks: exoshift upgrade", status.DescribeUpdates())
	}
	minors, known := upgrade.CountMinors(status.Version, to)
	switch {
	case !known:
		return refuse("there is no way from %s to %s", status.Version, to)
	case upgrade.Compare(to, status.Version) < 0:
		return refuse("%s is older than %s: OpenShift has no way back, within a minor version neither", to, status.Version)
	case minors > 1:
		return refuse("%s is %d minor versions after %s: none can be skipped", to, minors, status.Version)
	}
	if missing := status.ListMissing(); minors > 0 && len(missing) > 0 {
		return fault.Newf(fault.Conflict, opUpgrade, "nothing was changed: OpenShift asks you to acknowledge %s, and refuses %s to the upgrade controller before", missing[0].Key, to).
			WithHint("see what it is about, and who uses APIs that are removed: exoshift upgrade; then set %s to \"true\" in the ConfigMap admin-acks of the namespace openshift-config", missing[0].Key)
	}
	if found.Wanted.Channel == "" {
		found.Wanted.Channel = status.Channel
		if kind, minor, ok := strings.Cut(status.Channel, "-"); ok && minors > 0 && minor == upgrade.FormatMinor(status.Version) {
			found.Wanted.Channel = kind + "-" + upgrade.FormatMinor(to)
		}
	}
	if found.Wanted.Channel != status.Channel {
		return nil // what it has is known once the cluster follows it
	}
	switch newest := status.FindNewest(); {
	case newest == nil:
		return refuse("%s", status.DescribeUpdates())
	case newest.Version != to:
		return refuse("the upgrade controller takes the newest recommended release of the channel %s, which is %s", status.Channel, newest.Version)
	}
	return nil
}

// applyLimit is for how long Argo CD may take to apply the catalog: it looks every three minutes, and retries.
const (
	applyLimit = 30 * time.Minute
	phaseSyn   = "project-syn"
)

// Plan returns the steps for what was reviewed, each after the one before it; none: nothing is to be changed.
func (u *ManagedUpgrade) Plan() provisioner.Plan {
	if u.wanted.IsEmpty() {
		return nil
	}
	return provisioner.Plan{
		{ID: "configuration", Title: "Change the configuration of the tenant, and have the catalog compiled", Phase: phaseSyn, Usual: 3 * time.Minute, Do: u.commit},
		{ID: "apply", Title: "Wait until Argo CD has applied it in the cluster", Phase: phaseSyn, Usual: 5 * time.Minute, Needs: []string{"configuration"},
			Do: provisioner.PollUntil(u.clients.Clock, pollInterval, applyLimit, u.checkApplied)},
	}
}

func (u *ManagedUpgrade) commit(ctx context.Context, report provisioner.Report) error {
	return u.clients.Tenant.CommitUpgrades(ctx, report, u.wanted, u.formatMessage())
}

// formatMessage says why the configuration changes.
func (u *ManagedUpgrade) formatMessage() string {
	id, names := u.spec.Cluster.ID, strings.Join(u.wanted.Configs, ", ")
	switch {
	case u.options.To != "" && u.wanted.Channel == "":
		return fmt.Sprintf("Update cluster %s to %s: resume %s", id, u.options.To, names)
	case u.options.To != "":
		return fmt.Sprintf("Update cluster %s to %s, which the channel %s has", id, u.options.To, u.wanted.Channel)
	case u.options.Suspend && u.wanted.Channel == "":
		return fmt.Sprintf("Suspend the updates of cluster %s: %s", id, names)
	case u.options.Resume && u.wanted.Channel == "":
		return fmt.Sprintf("Resume the updates of cluster %s: %s", id, names)
	}
	return fmt.Sprintf("Have cluster %s follow the update channel %s", id, u.wanted.Channel)
}

func (u *ManagedUpgrade) checkApplied(ctx context.Context, _ provisioner.Report) error {
	managed, err := u.clients.Cluster.GetManaged(ctx)
	if err != nil {
		return err
	}
	if u.wanted.Channel != "" && managed.Channel != u.wanted.Channel {
		return waiting("the ClusterVersion of the upgrade controller has the channel %s", managed.Channel)
	}
	if u.wanted.Channel != "" {
		status, err := u.clients.Cluster.GetUpdateStatus(ctx)
		if err != nil {
			return err
		}
		if status.Channel != u.wanted.Channel {
			return waiting("the cluster follows %s", status.Channel)
		}
	}
	for _, one := range managed.Schedules {
		if slices.Contains(u.wanted.Configs, one.Name) && one.Suspended != u.wanted.Suspend {
			return waiting("the UpgradeConfig %s has suspend: %t", one.Name, one.Suspended)
		}
	}
	return nil
}
