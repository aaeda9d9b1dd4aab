package main

import (
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	appupgrade "exoshift/internal/app/upgrade"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/install"
	"exoshift/provisioner/install/syn"
	"exoshift/provisioner/openshift"
	"exoshift/provisioner/upgrade"
	"exoshift/state"
	stateupgrade "exoshift/state/upgrade"
)

// managedOutput keeps what a change of the tenant's configuration shows.
type managedOutput struct {
	cli.Display
	plan *appupgrade.ManagedPlan
}

func (o managedOutput) ShowPlan(plan appupgrade.ManagedPlan) error {
	*o.plan = plan
	return nil
}
func (managedOutput) Confirm(context.Context) error               { return nil }
func (managedOutput) Close(appupgrade.ManagedPlan, error, string) {}

func changeManaged(t *testing.T, s run.Run, wanted appupgrade.Request) (appupgrade.ManagedPlan, error) {
	t.Helper()
	return changeManagedBy(t.Context(), t, s, wanted, nil)
}

func changeManagedBy(ctx context.Context, t *testing.T, s run.Run, wanted appupgrade.Request, alter func(*install.Clients)) (appupgrade.ManagedPlan, error) {
	t.Helper()
	var out bytes.Buffer
	shown := managedOutput{jsonDisplay(cli.Streams{Out: &out, Err: io.Discard}), &appupgrade.ManagedPlan{}}
	cluster := appupgrade.Cluster{Cluster: clusterOf(t, s)}
	cluster.AlterInstallation = alter
	if !cluster.IsManaged() {
		t.Fatal("it is not updated by its own controller")
	}
	err := cluster.RunManaged(ctx, wanted, nodeInstaller(s), shown)
	return *shown.plan, err
}

// updatedByTenant has the upgrade controller of a connected cluster update it to other releases, by the configuration of its tenant alone.
func updatedByTenant(t *testing.T, s run.Run, zone *simcloud.Zone) {
	t.Helper()
	passTime(t, s, 5*time.Minute) // the list of updates is fetched, and the next window announced
	before, made := configurationOf(t, zone), zone.Mutations()
	managedRefused(t, s)
	cluster := openshift.NewCluster(s.Net, s.ReadKubeconfig)
	defer cluster.Close()
	if _, err := cluster.Acknowledge(t.Context(), nextGate); err != nil {
		t.Fatal(err)
	}
	plan, err := changeManaged(t, s, appupgrade.Request{})
	if schedules := plan.Review.Managed.Schedules; err != nil || len(schedules) != 1 || schedules[0].Name != "tuesday-1000" || schedules[0].Suspended || !strings.Contains(appupgrade.DescribeWindow(plan.Review.Managed), "Tuesday ") {
		t.Errorf("the windows are %+v, %v", schedules, err)
	}
	wanted := appupgrade.Request{Options: upgrade.Options{To: nextMinor}, DryRun: true}
	plan, err = changeManaged(t, s, wanted)
	if diff := plan.Review.Difference.Unified; err != nil || !strings.Contains(diff, "channel: stable-4.21") {
		t.Errorf("the difference is %q, %v", diff, err)
	}
	if configurationOf(t, zone) != before || zone.Mutations() != made {
		t.Error("a dry run has changed something")
	}
	change := func(wanted appupgrade.Request, message string, holds func(stateupgrade.Managed, stateupgrade.Status) bool) string {
		t.Helper()
		if plan, err := changeManaged(t, s, wanted); err != nil {
			t.Fatalf("%v: %+v", err, plan)
		}
		passTime(t, s, 2*time.Minute)
		plan, err := changeManaged(t, s, appupgrade.Request{})
		if err != nil || !holds(plan.Review.Managed, plan.Review.Status) {
			t.Errorf("%s: %v, %+v", message, err, plan.Review)
		}
		if said := newestMessage(t, zone); !strings.HasPrefix(said, message) {
			t.Errorf("the commit says %q, not %q", said, message)
		}
		return configurationOf(t, zone)
	}
	suspended := change(appupgrade.Request{Suspend: true}, "Suspend the updates of cluster c-demo-1", func(m stateupgrade.Managed, _ stateupgrade.Status) bool { return m.Schedules[0].Suspended })
	wanted.DryRun = false
	followed := change(wanted, "Update cluster c-demo-1 to "+nextMinor, func(m stateupgrade.Managed, status stateupgrade.Status) bool {
		return !m.Schedules[0].Suspended && m.Channel == "stable-4.21" && status.Channel == "stable-4.21" && status.FindNewest().Version == nextMinor
	})
	for _, line := range strings.Split(before, "\n") {
		if !strings.Contains(suspended, line+"\n") || !strings.Contains(followed, line) {
			t.Errorf("the configuration lost %q", line)
		}
	}
	if added := len(strings.Split(followed, "\n")) - len(strings.Split(before, "\n")); added > 9 {
		t.Errorf("%d lines were added:\n%s", added, followed)
	}
	made = zone.Mutations()
	plan, err = changeManaged(t, s, wanted)
	if err != nil || len(plan.Steps) > 0 || zone.Mutations() != made || configurationOf(t, zone) != followed {
		t.Errorf("the same command again: %v, %+v", err, plan.Steps)
	}
	suspendedWithFaults(t, s, zone)
	updatedInWindow(t, s)
}

// updatedInWindow has the controller update the cluster in a window that is not suspended any more.
func updatedInWindow(t *testing.T, s run.Run) {
	t.Helper()
	const configs = "/apis/managedupgrade.appuio.io/v1beta1/namespaces/appuio-openshift-upgrade-controller/upgradeconfigs"
	schedule := func(suspended bool) string {
		return fmt.Sprintf(`{"apiVersion":"managedupgrade.appuio.io/v1beta1","kind":"UpgradeConfig","metadata":{"name":"tonight"},"spec":{"pinVersionWindow":"2m","jobTemplate":{},`+
			`"schedule":{"cron":"%s","location":"UTC","suspend":%t}}}`, time.Now().UTC().Add(5*time.Minute).Format("4 15 2 1 *"), suspended)
	}
	list := func() upgrade.ManagedReview {
		t.Helper()
		plan, err := changeManaged(t, s, appupgrade.Request{})
		if err != nil {
			t.Fatal(err)
		}
		return plan.Review
	}
	requestCluster(t, s, http.MethodPost, configs, schedule(true), &map[string]any{})
	passTime(t, s, 20*time.Minute)
	if found := list(); len(found.Managed.Jobs) > 0 || found.Status.Version != "4.20.5" || found.Status.Wanted != "" {
		t.Fatalf("in a window that is suspended: %+v", found)
	}
	patchCluster(t, s, configs+"/tonight", schedule(false))
	passTime(t, s, 20*time.Minute)
	if found := list(); len(found.Managed.Jobs) != 1 || found.Status.Version != nextMinor || !found.Status.Partial {
		t.Fatalf("in a window: %+v", found)
	}
	if version := facts(t, s).Version(); version != "4.20.5" {
		t.Errorf("while the update goes on, the facts know %s", version)
	}
	for tries := 0; len(list().Managed.Jobs) > 0; tries++ {
		if tries == 30 {
			t.Fatalf("the update has not ended: %+v", list())
		}
		passTime(t, s, 10*time.Minute)
	}
	checkUpdatedByController(t, s, list().Status)
}

func checkUpdatedByController(t *testing.T, s run.Run, status stateupgrade.Status) {
	t.Helper()
	if status.Version != nextMinor || status.Partial || slices.ContainsFunc(status.Pools, func(p stateupgrade.Pool) bool { return !p.IsUpdated() }) {
		t.Errorf("after its window: %+v", status)
	}
	var out strings.Builder
	if err := readStatus(s.Folder).print(cli.OutputPlain, cli.Streams{Out: &out, Err: io.Discard}); err != nil || !strings.Contains(out.String(), nextMinor+", infrastructure") {
		t.Errorf("the status is %v\n%s", err, out.String())
	}
	if page, err := s.Folder.Read(state.HandoverFile); err != nil || !strings.Contains(string(page), nextMinor) {
		t.Errorf("the hand-over does not have %s: %v", nextMinor, err)
	}
}

// faultyGit is the repositories for what commits.
type faultyGit struct {
	syn.Git
	by *faultInjector
}

func (g faultyGit) Commit(ctx context.Context, repo state.GitRepo, file string, edits []state.YAMLEdit, message string) (made state.Difference, err error) {
	err = g.by.change(func() (err error) {
		made, err = g.Git.Commit(ctx, repo, file, edits, message)
		return err
	})
	return made, err
}

// suspendedWithFaults suspends and resumes the updates with each fault of the commit; the same command ends it, and has nothing to do then.
func suspendedWithFaults(t *testing.T, s run.Run, zone *simcloud.Zone) {
	t.Helper()
	for n, how := range []injectedFault{killedBefore, killedAfter, answerLost, refusedBurst} {
		wanted, by := appupgrade.Request{Suspend: n%2 == 0, Resume: n%2 == 1}, &faultInjector{how: how}
		ctx, kill := context.WithCancel(t.Context())
		by.begin(1, kill)
		_, err := changeManagedBy(ctx, t, s, wanted, func(clients *install.Clients) { clients.Syn.Git = faultyGit{clients.Syn.Git, by} })
		calls := by.end()
		kill()
		if calls == 0 || err == nil {
			t.Errorf("%s: %d calls, %v", how, calls, err)
		}
		if _, err := changeManaged(t, s, wanted); err != nil {
			t.Errorf("%s: the same command: %v", how, err)
		}
		passTime(t, s, 2*time.Minute)
		plan, err := changeManaged(t, s, wanted)
		if err != nil || len(plan.Steps) > 0 || plan.Review.Managed.Schedules[0].Suspended != wanted.Suspend || strings.Count(configurationOf(t, zone), "suspend:") != 1 {
			t.Errorf("%s: %v, %+v\n%s", how, err, plan.Review.Managed, configurationOf(t, zone))
		}
	}
}

// managedRefused requires that nothing is changed where the controller would not do what is asked for.
func managedRefused(t *testing.T, s run.Run) {
	t.Helper()
	refuse := func(wanted appupgrade.Request, code int, reason string) {
		t.Helper()
		if _, err := changeManaged(t, s, wanted); exit.Code(err) != code || !strings.Contains(fmt.Sprint(err), reason) {
			t.Errorf("%s: exit code %d: %v", wanted.To, exit.Code(err), err)
		}
	}
	refuse(requestOf("nonsense"), exit.Usage, "a release is given like 4.20.7, and the channel stable-4.20 has 4.20.99")
	refuse(requestOf(riskyRelease), exit.Answers, "takes the newest recommended release of the channel stable-4.20, which is 4.20.99")
	refuse(requestOf("4.20.1"), exit.Answers, "OpenShift has no way back")
	refuse(requestOf("4.22.1"), exit.Answers, "none can be skipped")
	refuse(requestOf(nextMinor), exit.Answers, "OpenShift asks you to acknowledge "+nextGate)
	canary := requestOf(newRelease)
	canary.Canary = "worker"
	refuse(canary, exit.Usage, "only --to, --channel, --suspend and --resume are for it")
	signedOut := s
	signedOut.Access = &environment.Access{}
	if _, err := changeManaged(t, signedOut, appupgrade.Request{Suspend: true}); exit.Code(err) != exit.Syn || !strings.Contains(fmt.Sprint(err), "nothing was changed") {
		t.Errorf("without a login: exit code %d: %v", exit.Code(err), err)
	}
}

// newestMessage returns that of the newest commit in the repository of the tenant.
func newestMessage(t *testing.T, zone *simcloud.Zone) string {
	t.Helper()
	host, err := zone.OpenGit()
	if err != nil {
		t.Fatal(err)
	}
	message, err := host.ReadMessage(harbourRepository)
	if err != nil {
		t.Fatal(err)
	}
	return message
}
