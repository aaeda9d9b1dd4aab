package recovery

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/nodes"
	"exoshift/state"
	"exoshift/state/backup"
	"exoshift/state/recovery"
)

// Backup is a backup whose snapshot replaces the data of etcd.
type Backup struct {
	Manifest backup.Manifest
	// CopyPart writes what a part of it has, decrypted. Errors of the writer are returned as they are.
	CopyPart func(ctx context.Context, part string, to io.Writer) error
}

// Restorer are the masters themselves, by SSH, for a backup.
type Restorer interface {
	// PrepareCopy makes an empty folder for the files of a backup on a master.
	PrepareCopy(ctx context.Context, host recovery.Host) error
	// Copy writes a file of a backup into that folder. fault.Transient: what has arrived is another file.
	Copy(ctx context.Context, host recovery.Host, file recovery.File, write func(io.Writer) error) error
	// RestoreSnapshot makes a cluster of the snapshot in that folder.
	RestoreSnapshot(ctx context.Context, host recovery.Host) error
	// DeleteCopy deletes the folder. Again it does nothing.
	DeleteCopy(ctx context.Context, host recovery.Host) error
}

const (
	// copyLimit is for how long a copy to a master may fail again and again.
	copyLimit = 15 * time.Minute
	// changeLimit is for how long the API may fail while something is changed in it.
	changeLimit = 10 * time.Minute
	// emptyLimit is for how long a master whose machine runs may take to have a member, though it had no data: then it is replaced.
	emptyLimit = 10 * time.Minute
	// nodesLimit is for how long the kubelets may take to be at home in a cluster of earlier.
	nodesLimit = 15 * time.Minute
)

// CheckBackup refuses a backup that etcd of this installation must not be restored from: fault.Conflict.
func CheckBackup(spec state.Spec, infraID string, of backup.Manifest) error {
	switch {
	case of.Cluster != spec.Cluster.ID:
		return refuse("the backup %s is of the cluster %s", of.Name, of.Cluster)
	case of.InfraID != infraID:
		return refuse("the backup %s is of an earlier installation of the cluster: %s, not %s", of.Name, of.InfraID, infraID)
	case of.Dirty:
		return refuse("the backup %s was made while the control plane changed, and is not consistent", of.Name).WithHint("choose another one: exoshift backup list")
	}
	return nil
}

// ChooseHost returns the first master whose machine runs, on which a backup is restored if nobody decides otherwise. "": there is none.
func ChooseHost(ctx context.Context, spec state.Spec, cloud Cloud) (string, error) {
	machines, err := cloud.ListInstances(ctx, spec.Labels())
	for _, master := range spec.Machines(state.RoleMaster) {
		if slices.ContainsFunc(machines, func(m state.Instance) bool { return m.Name == master.Name && m.State == "running" }) {
			return master.Name, err
		}
	}
	return "", err
}

// backupName returns the name of the backup that is restored; "": the data of a member stays.
func (o Options) backupName() string {
	if o.Backup == nil {
		return ""
	}
	return o.Backup.Manifest.Name
}

// checkHost refuses a master that the backup cannot be restored on.
func checkHost(hosts []recovery.Host, name string, of backup.Manifest) error {
	const other = "choose another master: --recovery-host"
	host := findHost(hosts, name)
	switch {
	case !slices.ContainsFunc(hosts, func(h recovery.Host) bool { return !h.IsOff() }):
		return refuse("no master has a machine that runs").
			WithHint("start what is stopped: exoshift start; if all are lost, install a new cluster, and restore its objects")
	case host.IsOff():
		return refuse("%s: %s", host.Name, host.Failure).WithHint(other)
	case !host.Scripts:
		return refuse("%s has no disable-etcd.sh, which OpenShift has since 4.18", host.Name).
			WithHint("restore the backup by hand: https://docs.redhat.com/en/documentation/openshift_container_platform/4.17/html/backup_and_restore/control-plane-backup-and-restore")
	case host.Release != "" && of.OpenShift != "" && host.Release != of.OpenShift:
		return refuse("the backup %s is of OpenShift %s, and %s has %s", of.Name, of.OpenShift, host.Name, host.Release).
			WithHint("etcd is restored by the release that it was saved by: choose another backup: exoshift backup list")
	}
	return nil
}

// DescribeNewer names the members whose data a backup replaces; "": no master that answers has any.
func DescribeNewer(hosts []recovery.Host) string {
	var kept []string
	for _, host := range hosts {
		if host.IsKnown() && host.Data && !host.Learner {
			kept = append(kept, host.Name)
		}
	}
	if len(kept) == 0 {
		return ""
	}
	return fmt.Sprintf("%s still has the data of etcd, which is newer: exoshift recover etcd --from-member %s loses less", strings.Join(kept, ", "), kept[0])
}

// formatFiles names the files of a backup as cluster-backup.sh does: cluster-restore.sh finds them by that.
func formatFiles(of backup.Manifest) map[string]string {
	at := of.Created.UTC().Format("2006-01-02_150405")
	return map[string]string{backup.PartSnapshot: "snapshot_" + at + ".db", backup.PartResources: "static_kuberesources_" + at + ".tar.gz"}
}

// copyBackup records that files may be on the master before they are.
func (r steps) copyBackup(ctx context.Context, report provisioner.Report) error {
	host := r.find(r.options.From)
	if r.change().Restored || r.isRestoring() && r.ask(ctx, host).Leader {
		return provisioner.Skip("the backup was restored already")
	}
	if err := r.update(func(c *recovery.Change) { c.Copied = true }); err != nil {
		return err
	}
	of := r.options.Backup.Manifest
	return r.repeat(ctx, report, copyLimit, func(ctx context.Context, report provisioner.Report) error {
		return r.record("etcd-backup", of.Name, func() (state.Action, error) {
			if err := r.clients.Hosts.PrepareCopy(ctx, host); err != nil {
				return "", err
			}
			for _, name := range []string{backup.PartSnapshot, backup.PartResources} {
				part := of.FindPart(name)
				if part == nil {
					return "", fault.Newf(fault.Invalid, "copy the backup "+of.Name, "its manifest has no %s", name)
				}
				report.EmitProgress("copying " + name + " to " + host.Name)
				err := r.clients.Hosts.Copy(ctx, host, recovery.File{Name: formatFiles(of)[name], SHA256: part.SHA256}, func(to io.Writer) error {
					return r.options.Backup.CopyPart(ctx, name, to)
				})
				if err != nil {
					return "", err
				}
			}
			return state.Created, nil
		})
	})
}

// restoreBackup is the point from which the recovery can only go on, as restore is.
func (r steps) restoreBackup(ctx context.Context, report provisioner.Report) error {
	of := r.options.Backup.Manifest
	err := r.restoreWith(ctx, "etcd-restore", r.clients.Hosts.RestoreSnapshot)
	if err == nil {
		report.EmitProgress(fmt.Sprintf("etcd is as it was at %s: its revision %d", of.Created.UTC().Format(time.RFC3339), of.Etcd.Revision))
	}
	return err
}

// deleteCopy deletes the files of the backup from the master, which have all secrets of the cluster.
func (r steps) deleteCopy(ctx context.Context) error {
	if !r.change().Copied {
		return provisioner.Skip("there are none")
	}
	host := r.find(r.change().From)
	if host.Address == "" {
		if _, err := r.inspect(ctx); err != nil {
			return err
		}
		host = r.find(r.change().From)
	}
	if !host.IsOff() {
		if err := r.clients.Hosts.DeleteCopy(ctx, host); err != nil {
			return fault.New(fault.KindOf(err), "delete the files of the backup from "+host.Name, err).
				WithHint("the same command does it; by hand: ssh core@%s sudo rm -rf /home/core/exoshift-restore", host.Address)
		}
	}
	return r.update(func(c *recovery.Change) { c.Copied = false })
}

// allowUnsafe has the operator of etcd add members to the only one, which it does not hold for safe. It is recorded before it is changed, unless
// somebody else has allowed it.
func (r steps) allowUnsafe(ctx context.Context, report provisioner.Report) error {
	return r.repeat(ctx, report, changeLimit, func(ctx context.Context, _ provisioner.Report) error {
		allowed, err := r.clients.Cluster.IsUnsafeAllowed(ctx)
		switch {
		case err != nil:
			return err
		case allowed && !r.change().Unsafe:
			return provisioner.Skip("it was allowed already")
		}
		if err := r.update(func(c *recovery.Change) { c.Unsafe = true }); err != nil {
			return err
		}
		return r.record("etcd-override", "cluster", func() (state.Action, error) { return r.clients.Cluster.AllowUnsafe(ctx, true) })
	})
}

func (r steps) endUnsafe(ctx context.Context, report provisioner.Report) error {
	if !r.change().Unsafe {
		return provisioner.Skip("this recovery has not allowed it")
	}
	return r.repeat(ctx, report, changeLimit, func(ctx context.Context, _ provisioner.Report) error {
		err := r.record("etcd-override", "cluster", func() (state.Action, error) { return r.clients.Cluster.AllowUnsafe(ctx, false) })
		if err != nil {
			return err
		}
		return r.update(func(c *recovery.Change) { c.Unsafe = false })
	})
}

// waitNodes waits for all machines to be nodes that are ready: the cluster does not know those that were added after the backup, nor certificates
// by a signer of later.
func (r steps) waitNodes(ctx context.Context, report provisioner.Report) error {
	err := r.repeat(ctx, report, nodesLimit, func(ctx context.Context, _ provisioner.Report) error {
		known, err := r.clients.Cluster.ListClusterNodes(ctx)
		if err != nil {
			return err
		}
		var missing []string
		for _, machine := range r.spec.Nodes() {
			at := slices.IndexFunc(known, func(n state.ClusterNode) bool { return n.Name == machine.Name })
			switch {
			case at < 0:
				missing = append(missing, machine.Name+" is no node of the cluster")
			case !known[at].Ready:
				missing = append(missing, machine.Name+" is not ready")
			}
		}
		if len(missing) > 0 {
			return fault.Newf(fault.Transient, "wait for the nodes", "%s", strings.Join(missing, "; "))
		}
		return nil
	})
	if err == nil || ctx.Err() != nil {
		return err
	}
	return fault.New(fault.KindOf(err), "wait for the nodes", err).
		WithHint("their kubelets may be newer than the backup: on each, sudo rm -f /var/lib/kubelet/pki/*.pem and sudo systemctl restart kubelet; then exoshift repair certificates, and the same command again")
}

// phaseNodes is the phase of a step that waits for nodes.
const phaseNodes = nodes.Phase

// repeat repeats what fails for a while. What is not transient ends it at once.
func (r steps) repeat(ctx context.Context, report provisioner.Report, limit time.Duration, do provisioner.StepFunc) error {
	var permanent error
	err := provisioner.PollUntil(r.clients.Clock, pollInterval, limit, func(ctx context.Context, report provisioner.Report) error {
		err := do(ctx, report)
		if kind := fault.KindOf(err); err == nil || kind == fault.Transient || kind == fault.Timeout {
			return err
		}
		permanent = err
		return nil
	})(ctx, report)
	if permanent != nil {
		return permanent
	}
	return err
}
