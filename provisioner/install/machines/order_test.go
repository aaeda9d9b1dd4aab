package machines

import (
	"context"
	"errors"
	"slices"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner"
	"exoshift/provisioner/install/generation"
	installnetwork "exoshift/provisioner/install/network"
	"exoshift/provisioner/install/nodeimage"
	"exoshift/state"
)

// slowCloud accepts a creation after a second, and runs all machines of a call five minutes later.
type slowCloud struct {
	Cloud
	accepted []string
	refused  error // of the first creation
}

func (c *slowCloud) ListInstances(context.Context, map[string]string) ([]state.Instance, error) {
	return nil, nil
}

func (c *slowCloud) EnsureInstances(_ context.Context, wanted []state.Instance, observer state.InstanceObserver) error {
	since := time.Now()
	wait := state.InstanceWait{Since: since, Limit: 30 * time.Minute}
	for _, one := range wanted {
		time.Sleep(time.Second)
		if c.refused != nil {
			return c.refused
		}
		c.accepted = append(c.accepted, one.Name)
		wait.Names = append(wait.Names, one.Name)
	}
	if observer.Accepted != nil {
		observer.Accepted()
	}
	for range 5 * 60 / 5 {
		time.Sleep(5 * time.Second)
		observer.Waiting(wait)
	}
	for n, one := range wanted {
		one.Address = "192.0.2.1"
		observer.Running(one, state.Created)
		if wait.Names = wait.Names[1:]; n == 0 && len(wait.Names) > 0 {
			observer.Waiting(wait)
		}
	}
	return nil
}

// zoneless has a DNS zone that takes every record.
type zoneless struct{ installnetwork.Cloud }

func (zoneless) EnsureRecord(context.Context, string, state.Record) (state.Action, error) {
	return state.Created, nil
}

func (zoneless) ListInstances(context.Context, map[string]string) ([]state.Instance, error) {
	return nil, nil
}

func (zoneless) DeleteRecords(context.Context, string, string, string, func(string) bool) (state.Action, error) {
	return state.Found, nil
}

func newSlow(t *testing.T, cloud *slowCloud) *Machines {
	t.Helper()
	s := spec()
	folder, err := state.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	facts := state.NewFactsStore(state.Facts{}, func(state.Facts) error { return nil })
	ips := installnetwork.NewElasticIPs(s, nil, facts)
	return New(Deps{
		Spec: s, Folder: folder, Cloud: cloud, Clock: network.Clock{}, Facts: facts, IsPreview: true, Generator: &generation.Generator{}, DeployTarget: func() string { return "" },
		SecurityGroups: installnetwork.NewSecurityGroups(s, nil), ElasticIPs: ips, DNS: installnetwork.NewDNS(s, zoneless{}, ips),
		AntiAffinity: &AntiAffinityGroups{spec: s, ids: map[string]string{}}, Image: &nodeimage.Image{},
	})
}

// runNodes runs both steps as a plan does, that of the workers first.
func runNodes(t *testing.T, m *Machines) (events []provisioner.Event, err error) {
	t.Helper()
	plan := provisioner.Plan{
		{ID: StepMasters, Title: "Start the masters", Do: func(ctx context.Context, report provisioner.Report) error {
			time.Sleep(time.Second)
			return m.EnsureMasters(ctx, report)
		}},
		{ID: "compute-machines", Title: "Start the others", Do: m.EnsureComputeMachines},
		{ID: "nodes", Title: "Wait", Needs: []string{"compute-machines"}, Do: func(context.Context, provisioner.Report) error { return nil }},
	}
	err = provisioner.Run(t.Context(), plan, func(e provisioner.Event) { events = append(events, e) })
	return events, err
}

func TestMachines_MastersAreRequestedFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cloud, began := &slowCloud{}, time.Now()
		events, err := runNodes(t, newSlow(t, cloud))
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff([]string{"master-0", "master-1", "master-2", "infra-0"}, cloud.accepted[:4]); diff != "" {
			t.Errorf("the order of requests: %s", diff)
		}
		// 1 s, 3 requests, 10 requests and the start of the others: these do not wait until the masters run.
		if took := time.Since(began); took > 6*time.Minute {
			t.Errorf("both steps took %s", took)
		}
		var progress []string
		for _, e := range events {
			if e.Type == provisioner.TypeWait && e.Step == StepMasters && !slices.Contains(progress, e.Last) {
				if progress = append(progress, e.Last); e.Limit != 1800 || e.Since == nil {
					t.Errorf("the wait is %+v", e)
				}
			}
		}
		want := []string{"0 of 3 machines run; starting: master-0, master-1, master-2", "1 of 3 machines run; starting: master-1, master-2"}
		if diff := cmp.Diff(want, progress); diff != "" {
			t.Error(diff)
		}
	})
}

func TestMachines_RefusedMastersLeaveOthersOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		cloud := &slowCloud{refused: fault.Newf(fault.Quota, "create instance master-0", "the quota is used up")}
		events, err := runNodes(t, newSlow(t, cloud))
		var failed *provisioner.StepError
		if !errors.As(err, &failed) || failed.Step.ID != StepMasters || len(cloud.accepted) > 0 {
			t.Errorf("%v, requested: %v", err, cloud.accepted)
		}
		skipped := map[string]string{}
		for _, e := range events {
			if e.State == provisioner.Skipped {
				skipped[e.Step] = e.Reason
			}
		}
		if diff := cmp.Diff(map[string]string{"compute-machines": provisioner.Unreached, "nodes": provisioner.Unreached}, skipped); diff != "" {
			t.Error(diff)
		}
	})
}

func TestMachines_StoppedRunEndsTheWait(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		m := newSlow(t, &slowCloud{})
		m.masters.Miss()
		if err := m.EnsureComputeMachines(ctx, func(provisioner.Event) {}); !errors.Is(err, context.Canceled) {
			t.Errorf("ended with %v", err)
		}
	})
}
