package main

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"fmt"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	appnodes "exoshift/internal/app/nodes"
	apprecovery "exoshift/internal/app/recovery"
	"exoshift/internal/app/run"
	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner"
	"exoshift/provisioner/openshift/masterhost"
	"exoshift/provisioner/recovery"
	"exoshift/state"
)

// recoveryKey is the key of clusters whose masters are logged in to.
func recoveryKey() ed25519.PrivateKey { return ed25519.NewKeyFromSeed(make([]byte, ed25519.SeedSize)) }

func recoveryKeyLine() string {
	key, _ := ssh.NewPublicKey(recoveryKey().Public()) // never fails: it is one of ed25519
	return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
}

func recoveryAgent(context.Context) (net.Conn, error) {
	ring := agent.NewKeyring()
	if err := ring.Add(agent.AddedKey{PrivateKey: recoveryKey()}); err != nil {
		return nil, err
	}
	ours, theirs := net.Pipe()
	go func() { _ = agent.ServeAgent(ring, theirs) }() // ends when the other end is closed
	return ours, nil
}

// recoveryOutput shows a recovery as lines of text.
type recoveryOutput struct {
	cli.Display
	out  *bytes.Buffer
	plan *apprecovery.Plan
}

func (o recoveryOutput) ShowPlan(plan apprecovery.Plan) error          { *o.plan = plan; return nil }
func (recoveryOutput) Confirm(context.Context, apprecovery.Plan) error { return nil }
func (o recoveryOutput) Close(_ apprecovery.Plan, failure error, _ string) {
	fmt.Fprintln(o.out, "closed:", failure, fault.HintOf(failure))
}

func recoverEtcd(ctx context.Context, t *testing.T, s run.Run, wanted apprecovery.Request, alter func(*recovery.Clients)) (plan apprecovery.Plan, out string, err error) {
	t.Helper()
	out, err = recoverEtcdWith(ctx, t, s, wanted, alter, func(*appnodes.Cluster) {}, &plan)
	return plan, out, err
}

func recoverEtcdWith(ctx context.Context, t *testing.T, s run.Run, wanted apprecovery.Request, alter func(*recovery.Clients), change func(*appnodes.Cluster), plan *apprecovery.Plan) (string, error) {
	t.Helper()
	var printed bytes.Buffer
	wanted.Installer = nodeInstaller(s)
	wanted.Retry = func(backup, from string) string { return "exoshift recover etcd --from " + backup + " " + from }
	cluster := apprecovery.Cluster{Cluster: clusterOf(t, s), Alter: func(clients *recovery.Clients) {
		clients.Hosts = masterhost.New(s.Net, s.Spec.OpenShift.SSHKey, recoveryAgent, masterhost.Trust{All: true})
		if alter != nil {
			alter(clients)
		}
	}}
	change(&cluster.Cluster)
	err := cluster.RecoverEtcd(ctx, wanted, recoveryOutput{jsonDisplay(cli.Streams{Out: &printed, Err: io.Discard}), &printed, plan})
	return printed.String(), err
}

// listTemporaryRules lists what is open to this machine for the recovery only.
func listTemporaryRules(t *testing.T, s run.Run) (found []string) {
	t.Helper()
	answer := backdoor{t, s}.ask(http.MethodGet, "/security-group", nil)
	for _, group := range answer["security-groups"].([]any) {
		rules, _ := group.(map[string]any)["rules"].([]any)
		for _, rule := range rules {
			if text, _ := rule.(map[string]any)["description"].(string); strings.Contains(text, "recovered") {
				found = append(found, text)
			}
		}
	}
	return found
}

// quorumRecovered recovers the cluster of the scenario quorum-lost: two masters get a new machine each.
func quorumRecovered(t *testing.T, s run.Run, _ *simcloud.Zone) {
	plan, _, err := recoverEtcd(t.Context(), t, s, apprecovery.Request{From: "master-0", DryRun: true}, nil)
	if err != nil || plan.Review.API == "" || len(plan.Review.Hosts) != 3 {
		t.Fatalf("before: %+v, %v", plan.Review, err)
	}
	if open := listTemporaryRules(t, s); len(open) > 0 || facts(t, s).Recovery != nil {
		t.Errorf("a dry run opens %v", open)
	}
	_, out, err := recoverEtcd(t.Context(), t, s, apprecovery.Request{From: "master-1"}, nil)
	if exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "master-1 has no data of etcd") || facts(t, s).Recovery != nil {
		t.Errorf("from a master without data: exit code %d, %v, %+v\n%s", exit.Code(err), err, facts(t, s).Recovery, lastLines(out))
	}
	if open := listTemporaryRules(t, s); len(open) > 0 {
		t.Errorf("a refusal leaves %v", open)
	}
	_, out, err = recoverEtcd(t.Context(), t, s, apprecovery.Request{From: "master-0"}, nil)
	if err != nil {
		t.Fatalf("%v %s\n%s", err, fault.HintOf(err), lastLines(out))
	}
	requireWholePlane(t, s)
	if open := listTemporaryRules(t, s); len(open) > 0 || facts(t, s).Recovery != nil {
		t.Errorf("left: %v, %+v", open, facts(t, s).Recovery)
	}
	var voters []int
	for _, e := range eventsOf(t, keepJSON(out)) {
		if e.Type == provisioner.TypeEtcd && e.Voters != nil && e.Quorum != nil && (len(voters) == 0 || voters[len(voters)-1] != *e.Voters) {
			voters = append(voters, *e.Voters)
		}
	}
	if !slices.Equal(voters, []int{0, 1, 2, 3}) {
		t.Errorf("voters went %v", voters)
	}
	requireFinding(t, out, "quorum-lost", "master-1: no data")
	_, _, err = recoverEtcd(t.Context(), t, s, apprecovery.Request{From: "master-0"}, nil)
	if exit.Code(err) != exit.Answers || !strings.Contains(err.Error(), "etcd has a quorum: 3 of 3 members vote") {
		t.Errorf("once more: exit code %d, %v", exit.Code(err), err)
	}
}

// TestRecover_Etcd shares nothing with the tests of nodes: they have no key of their masters.
func TestRecover_Etcd(t *testing.T) {
	whole(t)
	t.Parallel()
	dir, keys := t.TempDir(), newBackupKeys(t)
	withKey := func(spec *state.Spec) { spec.OpenShift.SSHKey = recoveryKeyLine() }
	var finished time.Time
	virtuallyIn(t, circumstances{dir: dir, spec: withKey}, func(t *testing.T, s run.Run, _ *simcloud.Zone) {
		installed(t, s)
		backedUpBetween(t, s, keys)
		finished = time.Now().Add(30 * time.Minute) // which the disks of the scenario live for
	})
	for name, test := range map[string]func(*testing.T, run.Run, *simcloud.Zone){
		"from a member": quorumRecovered, "from a backup": backupRestored(keys),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			copied := t.TempDir()
			copyTree(t, dir, copied)
			virtuallyIn(t, circumstances{dir: copied, begin: finished, spec: withKey, scenario: "quorum-lost"}, test)
		})
	}
	recoveriesWithFaults(t, dir, circumstances{begin: finished, spec: withKey, scenario: "quorum-lost"}, keys)
}
