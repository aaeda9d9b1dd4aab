// Package nodes opens a cluster that is installed for the verbs about its nodes, adds nodes, and runs the removal of some of them.
package nodes

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/app/teardown"
	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner"
	"exoshift/provisioner/balancers"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/install"
	"exoshift/provisioner/nodes"
	"exoshift/provisioner/nodes/masters"
	"exoshift/provisioner/objects"
	"exoshift/provisioner/openshift"
	"exoshift/provisioner/openshift/bootstraphost"
	"exoshift/state"
	"exoshift/wizard"
)

// Cluster is an installed cluster with what is known of it.
type Cluster struct {
	Folder       state.Folder
	Spec         state.Spec
	Facts        state.Facts
	Secrets      wizard.Secrets
	Net          network.Network
	Access       *environment.Access    // to Project Syn; nil: none
	Alter        func(*nodes.Clients)   // for tests; nil: nothing
	AlterMasters func(*masters.Clients) // as Alter, for masters
	// AlterInstallation is for tests of nodes that are added, too.
	AlterInstallation func(*install.Clients)
	// AlterBalancers is for tests of load balancers that are replaced.
	AlterBalancers func(*balancers.Clients)
	close          func() error
}

// Open opens a cluster by its folder. A rehearsal's is on its simulated zone. A folder that the verb changes has to be locked.
func Open(ctx context.Context, host *environment.Host, folder state.Folder) (Cluster, error) {
	return open(ctx, host, folder, Read)
}

// OpenKept is Open, and also opens a cluster that was destroyed: its backups are kept.
func OpenKept(ctx context.Context, host *environment.Host, folder state.Folder) (Cluster, error) {
	return open(ctx, host, folder, ReadKept)
}

func open(ctx context.Context, host *environment.Host, folder state.Folder, read func(state.Folder) (Cluster, error)) (Cluster, error) {
	c, err := read(folder)
	if err != nil {
		return c, err
	}
	known := teardown.Cluster{Spec: c.Spec, Folder: folder, HasFolder: true, Facts: c.Facts}
	var problems []wizard.Problem
	if c.Secrets, problems = known.ResolveSecrets(); len(problems) > 0 {
		return c, exit.WithCode(exit.Answers, errors.New(problems[0].String()))
	}
	deps, err := environment.OpenDeps(ctx, host, folder, c.Facts.Rehearsal, c.Spec, c.Secrets)
	c.Net, c.Access, c.close = deps.Net, deps.Access, deps.Close
	return c, err
}

// Read returns what a folder knows of an installed cluster, without a network.
func Read(folder state.Folder) (Cluster, error) {
	c, err := ReadKept(folder)
	if err == nil && !c.Facts.Destroyed.IsZero() {
		err = exit.WithCode(exit.Usage, fmt.Errorf("the cluster of %s was destroyed", folder.Path()))
	}
	return c, err
}

// ReadKept is Read, and also reads a cluster that was destroyed.
func ReadKept(folder state.Folder) (c Cluster, err error) {
	c.Folder = folder
	if c.Spec, err = clusterdir.ReadAnswers(folder); err != nil {
		return c, err
	}
	if c.Facts, err = folder.LoadFacts(); err != nil {
		return c, err
	}
	if c.Facts.Destroyed.IsZero() && c.Facts.Installed.IsZero() {
		return c, exit.WithCode(exit.Usage, fmt.Errorf("the cluster of %s is not installed yet: end that first with %s", folder.Path(), formatResume(folder, c.Facts.Rehearsal)))
	}
	return c, nil
}

// formatResume returns the command that ends an installation. The folder may be a private copy of one in shared state, which
// only a rehearsal's never is.
func formatResume(folder state.Folder, rehearsal bool) string {
	if rehearsal {
		return shellescape.QuoteCommand([]string{"exoshift", "rehearse", "--dir", folder.Path()})
	}
	return "exoshift install"
}

// Close closes the simulated zone of a rehearsal.
func (c Cluster) Close() error { return c.close() }

// OpenJournal opens the journal of the folder; what only reads has none.
func (c Cluster) OpenJournal(readOnly bool) (journal state.Recorder, closeJournal func(), err error) {
	if readOnly {
		return state.NoJournal{}, func() {}, nil
	}
	opened, err := c.Folder.OpenJournal(c.Net.Clock.Now)
	return opened, func() { _ = opened.Close() }, err // each entry is synced already
}

// NewClient returns a client of the cluster's API.
func (c Cluster) NewClient() *openshift.Cluster {
	return openshift.NewCluster(c.Net, run.Run{Folder: c.Folder}.ReadKubeconfig)
}

// WithStorage calls do with clients of the cluster's API and of its buckets, whose changes are recorded in the journal.
func (c Cluster) WithStorage(journal state.Recorder, do func(*openshift.Cluster, *objects.Client) error) error {
	storage, err := objects.New(c.Net, c.Spec.Exoscale.Zone, c.Secrets.APIKey, c.Secrets.APISecret, journal)
	if err != nil {
		return err
	}
	defer storage.Close()
	cluster := c.NewClient()
	defer cluster.Close()
	return do(cluster, storage.WithOwner(c.Spec.Cluster.ID))
}

// settleLimit is for how long the cluster of a rehearsal may take to be well: its machines start when its zone is opened.
const settleLimit = 20 * time.Minute

// PollReview calls review until it returns nil, for at most limit, and in a rehearsal until its cluster may be well. What review has found last
// is what counts; the only error is that of an interruption.
func (c Cluster) PollReview(ctx context.Context, limit time.Duration, review func(ctx context.Context, report provisioner.Report) error) error {
	if c.Facts.Rehearsal {
		limit = max(limit, settleLimit)
	}
	_ = provisioner.PollUntil(c.Net.Clock, 10*time.Second, limit, review)(ctx, func(provisioner.Event) {}) // see above
	return context.Cause(ctx)
}

// OpenClients returns clients that record changes of the cloud in the journal.
func (c Cluster) OpenClients(journal state.Recorder) (clients nodes.Clients, disconnect func(), err error) {
	cloud, err := exoscale.New(c.Net, c.Spec.Exoscale.Zone, c.Secrets.APIKey, c.Secrets.APISecret, journal)
	if err != nil {
		return clients, nil, err
	}
	cluster := c.NewClient()
	clients = nodes.Clients{Cloud: cloud, Cluster: cluster, Clock: c.Net.Clock}
	if c.Alter != nil {
		c.Alter(&clients)
	}
	return clients, func() { cloud.Close(); cluster.Close() }, nil
}

// List returns the nodes of the cluster with their machines; with disks it asks for each machine by itself.
func (c Cluster) List(ctx context.Context, disks bool) ([]nodes.Node, error) {
	clients, disconnect, err := c.OpenClients(state.NoJournal{})
	if err != nil {
		return nil, err
	}
	defer disconnect()
	if err := c.waitAnswer(ctx, clients); err != nil {
		return nil, err
	}
	return nodes.List(ctx, c.Spec, c.Facts, clients, disks)
}

// ListBalancers returns the load balancers of the cluster as nodes that have no Node; with disks it asks for each machine by itself.
func (c Cluster) ListBalancers(ctx context.Context, disks bool) ([]nodes.Node, error) {
	clients, disconnect, err := c.OpenClients(state.NoJournal{})
	if err != nil {
		return nil, err
	}
	defer disconnect()
	list := clients.Cloud.ListInstances
	if disks {
		list = clients.Cloud.DescribeInstances
	}
	machines, err := list(ctx, c.Spec.Labels())
	if err != nil {
		return nil, err
	}
	host := bootstraphost.New(c.Net, c.Folder.Read, "", nil)
	defer host.Close()
	all := nodes.JoinBalancers(c.Spec, c.Facts, machines)
	err = provisioner.ForEach(ctx, indexes(all), func(ctx context.Context, i int) error {
		if machine := all[i].Machine; machine != nil && machine.Address != "" {
			all[i].Balancer.Failure = describeFailure(host.CheckMonitor(ctx, machine.Address))
		}
		return nil
	})
	return all, err
}

// How long an API may not answer before that is a failure, by the cluster's clock: the machines of a rehearsal start when its zone is
// opened.
const (
	answerLimit          = time.Minute
	answerLimitRehearsal = 10 * time.Minute
)

// waitAnswer waits until the cluster's API answers, and in a rehearsal for its nodes. The API of a cluster that was stopped does not answer.
func (c Cluster) waitAnswer(ctx context.Context, clients nodes.Clients) error {
	if err := clusterdir.CheckStarted(c.Facts); err != nil {
		return err
	}
	limit := answerLimit
	if c.Facts.Rehearsal {
		limit = answerLimitRehearsal
	}
	var failure error
	err := provisioner.PollUntil(c.Net.Clock, 5*time.Second, limit, func(ctx context.Context, _ provisioner.Report) error {
		if _, failure = clients.Cluster.ListClusterNodes(ctx); fault.Is(failure, fault.Transient) || fault.Is(failure, fault.Timeout) {
			return failure
		}
		return nil
	})(ctx, func(provisioner.Event) {})
	if err := cmp.Or(failure, err); err != nil {
		return err
	}
	return c.waitReady(ctx, clients)
}

// readyLimitRehearsal is for how long the nodes of a rehearsal may take to be ready again, once its zone is opened.
const readyLimitRehearsal = 5 * time.Minute

// waitReady waits for the nodes of a rehearsal: what its cluster was like when its zone was closed is what is to be shown.
func (c Cluster) waitReady(ctx context.Context, clients nodes.Clients) error {
	if !c.Facts.Rehearsal {
		return nil
	}
	err := provisioner.PollUntil(c.Net.Clock, 5*time.Second, readyLimitRehearsal, func(ctx context.Context, _ provisioner.Report) error {
		all, err := clients.Cluster.ListClusterNodes(ctx)
		if slices.ContainsFunc(all, func(n state.ClusterNode) bool { return !n.Ready }) {
			err = errors.New("not every node is ready")
		}
		return err
	})(ctx, func(provisioner.Event) {})
	var limit *provisioner.LimitError
	if errors.As(err, &limit) {
		return nil // the nodes are shown as they are
	}
	return err
}

// Now returns the time of the cluster: in a rehearsal, that of its zone.
func (c Cluster) Now() time.Time { return c.Net.Clock.Now() }

// describeProblems returns what is wrong with answers that was not wrong with those before.
func describeProblems(before, after state.Spec) string {
	known := map[string]bool{}
	for _, problem := range wizard.Check(before) {
		known[problem.String()] = true
	}
	var fresh []string
	for _, problem := range wizard.Check(after) {
		if !known[problem.String()] {
			fresh = append(fresh, problem.String())
		}
	}
	return strings.Join(fresh, "; ")
}
