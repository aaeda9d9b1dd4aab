package recovery

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/diagnosis"
	"exoshift/state"
	"exoshift/state/controlplane"
	"exoshift/state/recovery"
)

// Review is what is known before anything is changed.
type Review struct {
	API   string          // why the API does not answer
	Hosts []recovery.Host // the masters, in the order of the answers
	// Finding is what is wrong, if enough is known.
	Finding *diagnosis.Finding
	Refusal error // what the masters say against it; nil: nothing, or too little is known
}

// Review refuses the recovery of an etcd that has a quorum: fault.Conflict. It changes nothing, so that masters may not answer whose SSH is not
// open yet. An API has so long to answer.
func (r *Recovery) Review(ctx context.Context, limit time.Duration) (found Review, err error) {
	if !slices.ContainsFunc(r.spec.Machines(state.RoleMaster), func(m state.Machine) bool { return m.Name == r.options.From }) {
		return found, refuse("%s is no master of the answers", r.options.From)
	}
	if err := checkBegun(r.change(), r.options); err != nil {
		return found, err
	}
	if !r.isRestoring() {
		if found.API, err = r.checkAPI(ctx, limit); err != nil {
			return found, err
		}
	}
	if r.change().Restored {
		return found, nil // what is left is done by the API
	}
	if found.Hosts, err = r.inspect(ctx); err != nil {
		return found, err
	}
	found.Finding, found.Refusal = r.diagnose(found.Hosts), nil
	if !slices.ContainsFunc(found.Hosts, func(h recovery.Host) bool { return !h.IsOff() && !h.IsKnown() }) {
		found.Refusal = r.check(found.Hosts)
	}
	return found, nil
}

// checkBegun refuses a recovery from something else than the one that was begun. A backup may take the place of what has not become a cluster.
func checkBegun(begun recovery.Change, wanted Options) error {
	goOn := "go on with it: exoshift recover etcd --from-member " + begun.From
	if begun.Backup != "" {
		goOn = "go on with it: exoshift recover etcd --from " + begun.Backup + " --recovery-host " + begun.From
	}
	switch {
	case begun.Started.IsZero(), begun.From == wanted.From && begun.Backup == wanted.backupName():
		return nil
	case begun.Restored, begun.Restoring && wanted.Backup == nil:
		return refuse("%s was made the only member of etcd already: a second one would split the cluster", begun.From).WithHint("%s", goOn)
	case wanted.Backup != nil:
		return nil
	}
	return refuse("a recovery from %s was begun", begun.From).WithHint("%s", goOn)
}

// checkAPI returns why the API does not answer, or refuses the recovery of a cluster whose API does.
func (r *Recovery) checkAPI(ctx context.Context, limit time.Duration) (reason string, err error) {
	var failure error
	late := provisioner.PollUntil(r.clients.Clock, 10*time.Second, limit, func(ctx context.Context, _ provisioner.Report) error {
		_, failure = r.clients.Cluster.ListClusterNodes(ctx)
		if isAway(failure) {
			return failure
		}
		return nil
	})(ctx, func(provisioner.Event) {})
	switch {
	case ctx.Err() != nil:
		return "", late
	case isAway(failure):
		return failure.Error(), nil
	case failure != nil:
		return "", fault.New(fault.KindOf(failure), op, failure).WithHint("the API answers, so that etcd has a quorum: mend the access to it first")
	}
	return "", r.refuseQuorum(ctx)
}

func isAway(err error) bool {
	return fault.Is(err, fault.Transient) || fault.Is(err, fault.Timeout)
}

// refuseQuorum names what to do instead in a cluster whose API answers.
func (r *Recovery) refuseQuorum(ctx context.Context) error {
	plane, err := r.clients.Cluster.InspectControlPlane(ctx)
	if err != nil {
		return refuse("the API answers, so that etcd has a quorum").WithHint("see how its members are: exoshift nodes list; oc get etcd cluster -o yaml (%v)", err)
	}
	var bad []string
	for _, machine := range r.spec.Machines(state.RoleMaster) {
		if peer := plane.FindPeer(machine.Name); peer == nil || !peer.Healthy || peer.Learner {
			bad = append(bad, machine.Name)
		}
	}
	refused := refuse("etcd has a quorum: %s", describePeers(plane.Peers))
	switch {
	case len(bad) > 0:
	case r.options.Backup != nil:
		return refused.WithHint("an etcd that has a quorum is not overwritten; what was deleted comes back by exoshift restore objects")
	default:
		return refused.WithHint("there is nothing to recover")
	}
	return refused.WithHint("replace what is not well, with the quorum that there is: exoshift nodes replace %s", bad[0])
}

func describePeers(peers []controlplane.Peer) string {
	healthy := 0
	for _, peer := range peers {
		if peer.Healthy && !peer.Learner {
			healthy++
		}
	}
	return fmt.Sprintf("%d of %d members vote", healthy, len(peers))
}

// inspect asks all masters. One that cannot be asked is part of the answer.
func (r *Recovery) inspect(ctx context.Context) ([]recovery.Host, error) {
	machines, err := r.clients.Cloud.ListInstances(ctx, r.spec.Labels())
	if err != nil {
		return nil, err
	}
	var hosts []recovery.Host
	for _, master := range r.spec.Machines(state.RoleMaster) {
		host := recovery.Host{Name: master.Name}
		if at := slices.IndexFunc(machines, func(m state.Instance) bool { return m.Name == master.Name }); at >= 0 {
			host.Address, host.Machine = machines[at].Address, machines[at].State
		}
		if hosts = append(hosts, r.ask(ctx, host)); ctx.Err() != nil {
			return nil, context.Cause(ctx)
		}
	}
	r.hosts = hosts
	return hosts, nil
}

func (r *Recovery) ask(ctx context.Context, host recovery.Host) recovery.Host {
	switch {
	case host.Machine == "":
		host.Failure = "it has no machine"
		return host
	case host.IsOff():
		host.Failure = "its machine is " + host.Machine
		return host
	}
	known, err := r.clients.Hosts.Inspect(ctx, host)
	if err != nil {
		host.Failure = err.Error()
		if hint := fault.HintOf(err); hint != "" {
			host.Failure += "; " + hint
		}
		return host
	}
	return known
}

// RefusalError is what the masters say against the recovery that was asked for.
type RefusalError struct{ Err error }

func (e *RefusalError) Error() string { return e.Err.Error() }

func (e *RefusalError) Unwrap() error { return e.Err }

// check returns why etcd must not be recovered from the member of that master, and what to do instead.
func (r *Recovery) check(hosts []recovery.Host) error {
	checks := []func([]recovery.Host) error{r.checkLeader, r.checkReach, r.checkMember, r.checkNewest}
	if r.options.Backup != nil {
		checks = []func([]recovery.Host) error{r.checkLeader, r.checkReach, func(hosts []recovery.Host) error {
			return checkHost(hosts, r.options.From, r.options.Backup.Manifest)
		}}
	}
	for _, check := range checks {
		if err := check(hosts); err != nil {
			return &RefusalError{err}
		}
	}
	return nil
}

// checkLeader refuses to force a member that others follow: their cluster would go on beside it.
func (r *Recovery) checkLeader(hosts []recovery.Host) error {
	if r.isRestoring() {
		return nil
	}
	for _, host := range hosts {
		if host.Leader {
			return refuse("etcd has a quorum: the member on %s follows a leader", host.Name).
				WithHint("the API is away for another reason: see the load balancers (exoshift nodes list) and the certificates (exoshift repair certificates); a master that is not well is replaced: exoshift nodes replace")
		}
	}
	return nil
}

// checkReach refuses while a machine runs whose member nobody knows: it may be newer, and go on by itself.
func (r *Recovery) checkReach(hosts []recovery.Host) error {
	for _, host := range hosts {
		if !host.IsKnown() && !host.IsOff() {
			return refuse("nothing is known of etcd on %s, whose machine runs: %s", host.Name, host.Failure).
				WithHint("make it answer by SSH; if it is lost, stop its machine: exo compute instance stop %s", host.Name)
		}
	}
	return nil
}

func (r *Recovery) checkMember(hosts []recovery.Host) error {
	host := findHost(hosts, r.options.From)
	switch {
	case !slices.ContainsFunc(hosts, func(h recovery.Host) bool { return !h.IsOff() }):
		return refuse("no master has a machine that runs").
			WithHint("start what is stopped: exoshift start; if all are lost, install a new cluster, and restore its objects")
	case host.IsOff():
		return refuse("%s: %s", host.Name, host.Failure).WithHint("%s", adviseOther(hosts))
	case !host.Data:
		return refuse("%s has no data of etcd", host.Name).WithHint("%s", adviseOther(hosts))
	case !host.Scripts:
		return refuse("%s has no quorum-restore.sh, which OpenShift has since 4.18", host.Name).
			WithHint("restore a backup by hand: https://docs.redhat.com/en/documentation/openshift_container_platform/4.17/html/backup_and_restore/control-plane-backup-and-restore")
	case !host.Running && !r.isRestoring():
		return refuse("the container of etcd on %s does not run", host.Name).
			WithHint("see why: ssh core@%s sudo crictl ps -a --name etcd", host.Address)
	case host.Learner:
		return refuse("the member on %s is a learner, which has not all data", host.Name).WithHint("%s", adviseOther(hosts))
	}
	return nil
}

// checkNewest refuses a member while another one has come further: what only that has would be lost.
func (r *Recovery) checkNewest(hosts []recovery.Host) error {
	if r.isRestoring() {
		return nil
	}
	from := findHost(hosts, r.options.From)
	for _, host := range hosts {
		if host.IsKnown() && host.Data && host.Index > from.Index {
			return refuse("the member on %s has come further than that on %s: %d, not %d", host.Name, from.Name, host.Index, from.Index).
				WithHint("recover from it: exoshift recover etcd --from-member %s", host.Name)
		}
	}
	return nil
}

func findHost(hosts []recovery.Host, name string) recovery.Host {
	at := slices.IndexFunc(hosts, func(h recovery.Host) bool { return h.Name == name })
	if at < 0 {
		return recovery.Host{Name: name, Failure: "it was not asked"}
	}
	return hosts[at]
}

// adviseOther names the member with the most data.
func adviseOther(hosts []recovery.Host) string {
	var best *recovery.Host
	for i, host := range hosts {
		if host.IsKnown() && host.Data && !host.Learner && (best == nil || host.Index > best.Index) {
			best = &hosts[i]
		}
	}
	if best == nil {
		return "no master that answers has data of etcd: only a backup is left"
	}
	return "recover from another member: exoshift recover etcd --from-member " + best.Name
}

// diagnose returns what is wrong; nil: nothing that is known.
func (r *Recovery) diagnose(hosts []recovery.Host) *diagnosis.Finding {
	findings := diagnosis.NewOfNodes().Evaluate(diagnosis.Input{Now: r.clients.Clock.Now(), Wall: r.clients.Clock.Now(), Spec: r.spec, Members: hosts})
	if len(findings) == 0 {
		return nil
	}
	return &findings[0]
}

// DescribeHosts returns the members as an event: what the masters say while there is no API.
func DescribeHosts(hosts []recovery.Host) provisioner.Event {
	count, voters := len(hosts), 0
	event := provisioner.Event{Type: provisioner.TypeEtcd, Members: []provisioner.Member{}}
	var known []string
	for _, host := range hosts {
		event.Members = append(event.Members, provisioner.Member{Name: host.Name, State: host.State()})
		if host.Leader && host.Running && !host.Learner {
			voters++
		}
		known = append(known, host.Name+": "+DescribeHost(host))
	}
	quorum := count/2 + 1
	event.Count, event.Voters, event.Quorum, event.Text = &count, &voters, &quorum, "by SSH: "+strings.Join(known, "; ")
	return event
}

// DescribeHost returns what is known of a member.
func DescribeHost(host recovery.Host) string {
	switch {
	case !host.IsKnown():
		return "not known: " + host.Failure
	case !host.Data:
		return "no data"
	case host.Index > 0:
		return fmt.Sprintf("%s, at %d", host.State(), host.Index)
	}
	return host.State()
}
