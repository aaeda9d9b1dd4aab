package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/etcdbackup"
	"exoshift/internal/app/exit"
	apppower "exoshift/internal/app/power"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/provisioner/backup"
	"exoshift/provisioner/power"
	"exoshift/state"
)

// powerOutput shows a stop or a start as lines of text.
type powerOutput struct {
	cli.Display
	out *bytes.Buffer
}

func (powerOutput) ShowPlan(apppower.Plan) error  { return nil }
func (powerOutput) Confirm(context.Context) error { return nil }
func (o powerOutput) Close(_ apppower.Plan, failure error, _ string) {
	fmt.Fprintln(o.out, "closed:", failure, fault.HintOf(failure))
}

func changePower(ctx context.Context, t *testing.T, s run.Run, verb string, wanted apppower.Request, alter func(*power.Clients)) (string, error) {
	t.Helper()
	var out bytes.Buffer
	cluster := apppower.Cluster{Cluster: clusterOf(t, s), Alter: alter}
	shown := powerOutput{jsonDisplay(cli.Streams{Out: &out, Err: io.Discard}), &out}
	if verb == apppower.VerbStop {
		err := cluster.Stop(ctx, wanted, shown)
		return out.String(), err
	}
	err := cluster.Start(ctx, wanted, shown)
	return out.String(), err
}

// powerKiller ends a process at a call that changes something, after its effect. From then on nothing has an effect.
type powerKiller struct {
	power.Cloud
	power.Cluster
	at   string       // the call, or one of those at the same time
	dead *atomic.Bool // it was made
}

func (k powerKiller) do(call string, change func() (state.Action, error)) (state.Action, error) {
	if k.dead.Load() {
		return "", errKilled
	}
	action, err := change()
	if call == k.at {
		k.dead.Store(true)
		return "", errors.Join(errKilled, err)
	}
	return action, err
}

func (k powerKiller) SetCordon(ctx context.Context, node string, cordoned bool) (state.Action, error) {
	return k.do(fmt.Sprint("cordon ", cordoned, " ", node), func() (state.Action, error) { return k.Cluster.SetCordon(ctx, node, cordoned) })
}

func (k powerKiller) StopInstance(ctx context.Context, id string) (state.Action, error) {
	return k.do("stop "+k.name(ctx, id), func() (state.Action, error) { return k.Cloud.StopInstance(ctx, id) })
}

func (k powerKiller) StartInstance(ctx context.Context, id string) (state.Action, error) {
	return k.do("start "+k.name(ctx, id), func() (state.Action, error) { return k.Cloud.StartInstance(ctx, id) })
}

func (k powerKiller) RunCeph(ctx context.Context, arguments ...string) error {
	_, err := k.do("ceph "+strings.Join(arguments, " "), func() (state.Action, error) { return "", k.Cluster.RunCeph(ctx, arguments...) })
	return err
}

func (k powerKiller) SuspendUpgrades(ctx context.Context, config string, suspend bool) error {
	_, err := k.do(fmt.Sprint("suspend ", suspend, " ", config), func() (state.Action, error) { return "", k.Cluster.SuspendUpgrades(ctx, config, suspend) })
	return err
}

func (k powerKiller) name(ctx context.Context, id string) string {
	all, _ := k.ListInstances(ctx, nil)
	for _, instance := range all {
		if instance.ID == id {
			return instance.Name
		}
	}
	return id
}

// clusterHibernates is stopped for some days, longer than the first certificates of its nodes are valid. Each of its runs is killed now and
// then, and the same command goes on.
func clusterHibernates(t *testing.T, s run.Run, _ *simcloud.Zone) {
	stopsRefused(t, s)
	stopMakesBackup(t, s)
	var said string
	for _, call := range []string{"cordon true infra-1", "stop worker-1", "stop master-0", "stop lb-1", ""} {
		said = changeKilled(t, s, apppower.VerbStop, call)
	}
	for state, count := range countStates(t, s) {
		if state != "stopped" || count == 0 {
			t.Errorf("after the stop, %d machines are %s", count, state)
		}
		if nodes := strings.Count(said, `"reason":"its machine is stopped"`); nodes != count-2 { // load balancers are no nodes
			t.Errorf("after the stop, %d of %d machines have a node that is not ready", nodes, count)
		}
	}
	known := facts(t, s).Hibernation
	if known == nil || known.Stopped.IsZero() || known.StartBefore.Sub(known.Stopped) > 90*24*time.Hour {
		t.Errorf("the facts know %+v", known)
	}
	if err := s.Install(t.Context(), jsonDisplay(cli.Streams{Out: io.Discard, Err: io.Discard})); exit.Code(err) != exit.Answers {
		t.Errorf("an installation of a stopped cluster: %v", err)
	}
	passTime(t, s, 3*24*time.Hour)
	startInVain(t, s, func(clients *power.Clients) { clients.Cloud = withoutBalancers{clients.Cloud} })
	changeKilled(t, s, apppower.VerbStart, "start lb-0")
	startInVain(t, s, func(clients *power.Clients) { clients.Cluster = withoutApproval{clients.Cluster} })
	var out strings.Builder
	for _, call := range []string{"start storage-0", "start worker-0", "cordon false infra-0", ""} {
		out.WriteString(changeKilled(t, s, apppower.VerbStart, call))
	}
	checkStarted(t, s, out.String())
}

// stopsRefused requires that a cluster is left alone that must not be stopped.
func stopsRefused(t *testing.T, s run.Run) {
	t.Helper()
	refuse := func(wanted apppower.Request, reasons ...string) {
		t.Helper()
		out, err := changePower(t.Context(), t, s, apppower.VerbStop, wanted, nil)
		if exit.Code(err) != exit.Answers || facts(t, s).Hibernation != nil {
			t.Errorf("it was not refused: %v\n%s", err, lastLines(out))
		}
		for _, reason := range reasons {
			if !strings.Contains(fmt.Sprint(err), reason) {
				t.Errorf("%v\nhas not: %s", err, reason)
			}
		}
	}
	refuse(apppower.Request{}, "it may be stopped from 2000-01-", "no backup of etcd was named")
	known := facts(t, s)
	known.Installed = time.Now().Add(-25 * time.Hour)
	if err := s.Folder.SaveFacts(known); err != nil {
		t.Fatal(err)
	}
	later := time.Now().Add(91 * 24 * time.Hour)
	refuse(apppower.Request{Backup: etcdbackup.Choice{Without: true}, Until: later}, "the 90 days for which OpenShift allows", "to be off until "+later.UTC().Format("2006-01-02"))
	const secret = "/api/v1/namespaces/openshift-kube-apiserver-operator/secrets/kube-apiserver-to-kubelet-signer"
	annotate := func(end time.Time) {
		var signer map[string]any
		requestCluster(t, s, http.MethodGet, secret, "", &signer)
		signer["metadata"].(map[string]any)["annotations"].(map[string]any)["auth.openshift.io/certificate-not-after"] = end.UTC().Format(time.RFC3339)
		changed, err := json.Marshal(signer)
		if err != nil {
			t.Fatal(err)
		}
		requestCluster(t, s, http.MethodPut, secret, string(changed), nil)
	}
	soon := time.Now().Add(74 * 24 * time.Hour)
	annotate(soon)
	refuse(apppower.Request{Backup: etcdbackup.Choice{Without: true}, Until: soon.Add(time.Hour)}, "kube-apiserver-to-kubelet-signer", "end at "+soon.UTC().Format("2006-01-02 15:04"))
	annotate(time.Now().Add(365 * 24 * time.Hour))
}

// stopMakesBackup requires that a stop without a word about backups makes one before anything is changed.
func stopMakesBackup(t *testing.T, s run.Run) {
	t.Helper()
	var steps []string
	wanted := apppower.Request{DryRun: true, ReadKeys: func(context.Context) (backup.Keys, error) { return newBackupKeys(t), nil }}
	shown := planOutput{powerOutput{jsonDisplay(cli.Streams{Out: io.Discard, Err: io.Discard}), &bytes.Buffer{}}, func(plan apppower.Plan) {
		for _, step := range plan.Steps[:3] {
			steps = append(steps, step.ID)
		}
	}}
	if err := (apppower.Cluster{Cluster: clusterOf(t, s)}).Stop(t.Context(), wanted, shown); err != nil || !slices.Equal(steps, []string{"check", "backup", "upgrades"}) {
		t.Errorf("a stop begins with %v, %v", steps, err)
	}
}

type planOutput struct {
	powerOutput
	see func(apppower.Plan)
}

func (o planOutput) ShowPlan(plan apppower.Plan) error {
	o.see(plan)
	return nil
}

// startInVain starts the cluster in a way that must not work: without its load balancers, or without approving certificates.
func startInVain(t *testing.T, s run.Run, alter func(*power.Clients)) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), 15*time.Minute)
	defer cancel()
	out, err := changePower(ctx, t, s, apppower.VerbStart, apppower.Request{}, alter)
	var step *provisioner.StepError
	if !errors.As(err, &step) || step.Step.ID != "wait-masters" {
		t.Errorf("it did not wait for the masters: %v\n%s", err, lastLines(out))
	}
}

// withoutBalancers takes the machines of load balancers for running ones.
type withoutBalancers struct{ power.Cloud }

func (w withoutBalancers) ListInstances(ctx context.Context, labels map[string]string) ([]state.Instance, error) {
	all, err := w.Cloud.ListInstances(ctx, labels)
	for i := range all {
		if strings.HasPrefix(all[i].Name, "lb-") {
			all[i].State = "running"
		}
	}
	return all, err
}

// withoutApproval approves nothing.
type withoutApproval struct{ power.Cluster }

func (withoutApproval) Approve(context.Context) ([]state.CSRDecision, error) { return nil, nil }

func countStates(t *testing.T, s run.Run) map[string]int {
	t.Helper()
	states := map[string]int{}
	for _, instance := range (backdoor{t, s}).list("/instance", "instances") {
		states[fmt.Sprint(instance["state"])]++
	}
	return states
}

// changeKilled stops or starts the cluster, and is killed at a call; "": it is not. It returns the output.
func changeKilled(t *testing.T, s run.Run, verb, call string) string {
	t.Helper()
	return changeKilledBy(t, s, verb, call, func(*power.Clients) {})
}

// changeKilledBy is for clients that are altered.
func changeKilledBy(t *testing.T, s run.Run, verb, call string, alter func(*power.Clients)) string {
	t.Helper()
	var dead atomic.Bool
	out, err := changePower(t.Context(), t, s, verb, apppower.Request{Backup: etcdbackup.Choice{Without: true}}, func(clients *power.Clients) {
		alter(clients)
		k := powerKiller{clients.Cloud, clients.Cluster, call, &dead}
		clients.Cloud, clients.Cluster = k, k
	})
	if dead.Load() != (call != "") || (err == nil) != (call == "") {
		t.Fatalf("%s, killed at %q: %t: %v\n%s", verb, call, dead.Load(), err, lastLines(out))
	}
	return out
}

// checkStarted requires that every node got both certificates, and that everything is as before.
func checkStarted(t *testing.T, s run.Run, out string) {
	t.Helper()
	client, serving := map[string]bool{}, map[string]bool{}
	for line := range strings.Lines(out) {
		if !strings.HasPrefix(line, "{") {
			continue
		}
		if e := eventsOf(t, line)[0]; e.Type == provisioner.TypeCSR && e.Decision == state.Approved {
			if strings.Contains(e.Reason, "serving") {
				serving[e.Node] = true
			} else {
				client[e.Node] = true
			}
		}
	}
	nodes := listNodes(t, s)
	if len(client) != len(nodes) || len(serving) != len(nodes) {
		t.Errorf("%d client and %d serving certificates were approved for %d nodes", len(client), len(serving), len(nodes))
	}
	for _, node := range nodes {
		if node.Node == nil || !node.Node.Ready || node.Node.Cordoned {
			t.Errorf("%s after the start: %+v", node.Name, node.Node)
		}
	}
	if known := facts(t, s).Hibernation; known != nil {
		t.Errorf("the facts know %+v", known)
	}
	if names := pending(t, s); len(names) > 0 {
		t.Errorf("an installation would change %v", names)
	}
}
