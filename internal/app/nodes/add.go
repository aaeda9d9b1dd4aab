package nodes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"exoshift/internal/app/changes"
	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/provisioner/install"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

// Addition is what a person decides about an addition.
type Addition struct {
	Group  string // as in the answers, e.g. "workers"
	Count  int    // of the nodes to add
	DryRun bool
	// Program is the name, version and system of this program, and Retry the command that goes on with an addition.
	Program, Retry string
	Installer
}

// Installer makes the machines of nodes that are added, as an installation.
type Installer struct {
	// OpenRun opens the run of an installation on a real zone.
	OpenRun func(ctx context.Context, spec state.Spec, secrets wizard.Secrets, folder state.Folder) (run.Run, error)
	Options run.Options // of a run on the zone of a rehearsal
}

// AdditionDisplay shows an addition to a person or a program, and asks before anything is created.
type AdditionDisplay interface {
	run.Display
	// ShowPreview shows the nodes to add, and what an installation with them would create.
	ShowPreview(preview AdditionPreview) error
	// Confirm returns an error unless all that may be created.
	Confirm(ctx context.Context) error
	// End shows how the addition of a storage node to a cluster with Ceph ended, and waits for readers.
	End(preview AdditionPreview, failure error, events string)
}

// AdditionPreview is what an addition would create.
type AdditionPreview struct {
	install.Preview
	Spec  state.Spec // with the nodes
	Names []string   // of the nodes
	// Changes are those of the answers.
	Changes []answersfile.Change
	// Steps are those of the addition of a storage node to a cluster with Ceph, and Warnings what Ceph reports that does not matter for it.
	Steps    provisioner.Plan
	Warnings []string
	Retry    string // the command that goes on with it
}

const opAdd = "add nodes"

// Add adds nodes: it is an installation with a larger count, of a cluster that has nothing else to install. The folder must be
// locked, except for a dry run. Once it has begun, an installation goes on with it. Where there is Ceph, storage nodes are added one at a time, and
// Ceph uses their disks.
func (c Cluster) Add(ctx context.Context, wanted Addition, shown AdditionDisplay) error {
	after, err := c.extend(wanted)
	if err = cmp.Or(err, clusterdir.CheckRotated(c.Facts)); err != nil {
		return err
	}
	r, err := c.openRun(ctx, wanted.Installer)
	if err != nil {
		return err
	}
	if err := checkJoined(ctx, c, r.Locations.Resume); err != nil {
		return err
	}
	if err := checkAuthority(ctx, c); err != nil {
		return err
	}
	keepsData, err := hasCeph(ctx, c, wanted.Group)
	if err != nil {
		return err
	}
	if keepsData {
		return newStorageAddition(c, after).run(ctx, wanted, r, shown)
	}
	if err := checkInstalled(ctx, opAdd, r); err != nil {
		return err
	}
	r.Spec = after
	preview := AdditionPreview{Spec: after, Names: listAdded(c.Spec, after), Changes: answersfile.Diff(c.Spec, after)}
	if preview.Preview, err = r.Preview(ctx); err != nil {
		return err
	}
	if err := shown.ShowPreview(preview); err != nil {
		return err
	}
	if err := changes.CheckPlan(preview.Preview); err != nil || wanted.DryRun {
		return err
	}
	if err := shown.Confirm(ctx); err != nil {
		return err
	}
	r.Verb = "nodes add"
	if role, err := c.findGroup(wanted.Group); err == nil && !after.Group(role).Pool { // a pool names its machines itself
		r.Added = preview.Names
	}
	return r.Install(ctx, shown)
}

// checkJoined requires that the nodes of an earlier addition have joined, unless this one goes on with it. resume is the command that waits for them.
func checkJoined(ctx context.Context, c Cluster, resume string) error {
	all, err := c.List(ctx, false)
	if err != nil || isAdding(c) {
		return err
	}
	var waiting []string
	for _, node := range all {
		if node.Answer != nil && node.Machine != nil && node.Node == nil && node.Removal == nil {
			waiting = append(waiting, node.Name)
		}
	}
	if len(waiting) == 0 {
		return nil
	}
	return exit.WithCode(exit.Answers, fault.Newf(fault.Conflict, opAdd, "nothing was changed: these machines have not joined the cluster yet: %s", strings.Join(waiting, ", ")).
		WithHint("end the addition that was interrupted first: %s", resume))
}

// checkAuthority requires that new nodes can verify the machine config server of the cluster as it is now.
func checkAuthority(ctx context.Context, c Cluster) error {
	cluster := c.NewClient()
	defer cluster.Close()
	_, err := cluster.NodeAuthority.ReadNodeAuthority(ctx, "api-int."+c.Spec.Domain(), c.Net.Clock.Now())
	if fault.Is(err, fault.Conflict) || fault.Is(err, fault.NotFound) {
		return exit.WithCode(exit.Answers, err)
	}
	return err
}

// extend returns the answers with the nodes, or why the group cannot have them.
func (c Cluster) extend(wanted Addition) (after state.Spec, err error) {
	switch wanted.Group {
	case state.FormatGroup(state.RoleMaster):
		return after, exit.WithCode(exit.Answers, errors.New("nothing was changed: the masters are 3 for the life of a cluster"))
	case state.FormatGroup(state.RoleLoadBalancer):
		return after, exit.WithCode(exit.Answers, errors.New("nothing was changed: a load balancer is no node of the cluster, and there are always two"))
	}
	role, err := c.findGroup(wanted.Group)
	if err != nil {
		return after, err
	}
	for _, pending := range c.Facts.Removals {
		if pending.ReplacedBy != "" {
			return after, exit.WithCode(exit.Answers, fault.Newf(fault.Conflict, opAdd, "nothing was changed: the replacement of %s has not ended", pending.Node).
				WithHint("end it first: exoshift nodes replace %s", pending.Node))
		}
	}
	adding, err := checkStorageChange(c, role)
	if err != nil || adding {
		return c.Spec, err
	}
	after = c.Spec.WithCount(role, len(c.Spec.Machines(role))+wanted.Count)
	if problems := describeProblems(c.Spec, after); problems != "" {
		return after, exit.WithCode(exit.Answers, fmt.Errorf("nothing was changed: the answers would have faults: %s", problems))
	}
	return after, nil
}

// findGroup returns the role of a group of nodes that are no masters, by its name in the answers.
func (c Cluster) findGroup(name string) (state.Role, error) {
	groups := c.Spec.ComputeRoles()
	names := make([]string, len(groups))
	for i, role := range groups {
		if names[i] = state.FormatGroup(role); names[i] == name {
			return role, nil
		}
	}
	return "", exit.WithCode(exit.Usage, fmt.Errorf("--group %s: the cluster has no such group; it has %s", name, strings.Join(names, ", ")))
}

// openRun returns the run that an installation of the unchanged answers would be.
func (c Cluster) openRun(ctx context.Context, wanted Installer) (run.Run, error) {
	if !c.Facts.Rehearsal {
		return wanted.OpenRun(ctx, c.Spec, c.Secrets, c.Folder)
	}
	return run.Run{
		Alter: c.AlterInstallation, Spec: c.Spec, Secrets: c.Secrets, Folder: c.Folder, Net: c.Net, Access: c.Access, Options: wanted.Options, Speed: environment.DefaultSpeed,
		Cache: c.Folder.Path(state.BinDir), Locations: handover.Locations{Folder: c.Folder.Path(), Rehearsal: true, Resume: formatResume(c.Folder, true)},
	}, nil
}

// waitUsable waits until the cluster answers, and the nodes of a rehearsal have started.
func (c Cluster) waitUsable(ctx context.Context) error {
	clients, disconnect, err := c.OpenClients(state.NoJournal{})
	if err != nil {
		return err
	}
	defer disconnect()
	return c.waitAnswer(ctx, clients)
}

// checkInstalled requires that nothing but the nodes is to be installed.
func checkInstalled(ctx context.Context, op string, r run.Run) error {
	preview, err := r.Preview(ctx)
	if err != nil {
		return err
	}
	pending := preview.ListPending()
	if len(pending) == 0 && preview.Refusal == nil {
		return nil
	}
	reason := "the cluster differs from its answers already"
	if len(pending) > 0 {
		reason += fmt.Sprintf(": an installation would change %d objects, the first is %s %s", len(pending), pending[0].Kind, pending[0].Name)
	} else {
		reason += ": " + preview.Refusal.Error()
	}
	return exit.WithCode(exit.Answers, fault.Newf(fault.Conflict, op, "nothing was changed: %s", reason).
		WithHint("see what differs with exoshift plan, then end that first: %s", r.Locations.Resume))
}

// listAdded returns the names of the machines that only the later answers have.
func listAdded(before, after state.Spec) []string {
	var names []string
	for _, machine := range after.Nodes() {
		if !slices.ContainsFunc(before.Nodes(), func(m state.Machine) bool { return m.Name == machine.Name }) {
			names = append(names, machine.Name)
		}
	}
	return names
}
