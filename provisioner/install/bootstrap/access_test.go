package bootstrap

import (
	"context"
	"errors"
	"fmt"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/install/machines"
	"exoshift/provisioner/install/network"
	"exoshift/state"
)

func spec() state.Spec {
	s := state.Default()
	s.Cluster = state.ClusterSpec{ID: "c-1", BaseDomain: "example.net"}
	s.Exoscale.Zone = "ch-gva-2"
	s.OpenShift.Version, s.OpenShift.SSHKey = "4.20.5", "ssh-ed25519 AAAA"
	return s
}

const own = "192.0.2.10"

// doorway is a fake of the bootstrap machine's security group.
type doorway struct {
	Cloud
	rules  []state.Rule
	broken error // of every call
	calls  int
}

func (d *doorway) EnsureSecurityGroup(_ context.Context, group state.SecurityGroup) (string, state.Action, error) {
	if d.calls++; d.broken != nil {
		return "", "", d.broken
	}
	d.rules = append(d.rules, group.Rules...)
	return "id", state.Updated, nil
}

func (d *doorway) DeleteRules(ctx context.Context, _ string, useless func(state.Rule) bool) (state.Action, error) {
	if d.calls++; d.broken != nil || ctx.Err() != nil {
		return "", errors.Join(d.broken, ctx.Err())
	}
	before := len(d.rules)
	if d.rules = slices.DeleteFunc(d.rules, useless); len(d.rules) < before {
		return state.Deleted, nil
	}
	return state.Found, nil
}

// window is a fake of a bootstrap machine, and of the load balancers before it.
type window struct {
	answers []error // of the load balancers, one after the other; the last one stays
	looks   []state.BootstrapHost
	refused error
}

func (w *window) DiscoverAddress(context.Context, string) (netip.Addr, error) {
	err := w.answers[0]
	w.answers = w.answers[min(1, len(w.answers)-1):]
	if err != nil {
		return netip.Addr{}, err
	}
	return netip.MustParseAddr(own), nil
}

func (w *window) Collect(context.Context, netip.Addr) (state.BootstrapHost, error) {
	if len(w.looks) == 0 {
		return state.BootstrapHost{}, w.refused
	}
	seen := w.looks[0]
	w.looks = w.looks[1:]
	return seen, w.refused
}

// hasty is a clock whose waits return at once.
type hasty struct{ now time.Time }

func (h *hasty) Now() time.Time { return h.now }

func (h *hasty) Sleep(ctx context.Context, d time.Duration) error {
	h.now = h.now.Add(d)
	return context.Cause(ctx)
}

// ajar is the access to a bootstrap machine that runs.
func ajar(cloud *doorway, host *window) (*Access, *[]provisioner.Event) {
	started := machines.New(machines.Deps{Spec: spec()})
	started.Record(state.Instance{Name: "bootstrap", Address: "198.18.0.10"})
	return NewAccess(spec(), &state.FactsStore{}, cloud, host, &hasty{now: time.Now()}, started, false), &[]provisioner.Event{}
}

func into(events *[]provisioner.Event) provisioner.Report {
	return func(e provisioner.Event) { *events = append(*events, e) }
}

func sentences(rules []state.Rule) (lines []string) {
	for _, rule := range rules {
		lines = append(lines, fmt.Sprintf("%s %d-%d %s %s", rule.Protocol, rule.From, rule.To, rule.CIDR, rule.Description))
	}
	return lines
}

func TestAccess_OpenForOwnAddressOnly(t *testing.T) {
	cloud := &doorway{rules: []state.Rule{
		{Protocol: "tcp", From: 22, To: 22, CIDR: "203.0.113.9/32", Description: "SSH with --bootstrap-access only"},
		{Protocol: "tcp", From: 22, To: 22, CIDR: "203.0.113.9/32", Description: "mine"},
	}}
	not := fault.Newf(fault.Transient, "ask", "not yet")
	a, events := ajar(cloud, &window{answers: []error{not, not, not, nil}})
	if err := a.Open(t.Context(), into(events)); err != nil {
		t.Fatal(err)
	}
	want := []string{"tcp 22-22 203.0.113.9/32 mine"}
	for _, open := range []string{"22-22 %s SSH", "6443-6443 %s Kubernetes API", "19531-19531 %s journal"} {
		want = append(want, "tcp "+fmt.Sprintf(open, own+"/32")+" with --bootstrap-access only")
	}
	if diff := cmp.Diff(want, sentences(cloud.rules)); diff != "" {
		t.Error(diff)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	a.Close(stopped, into(events))
	if diff := cmp.Diff(want[:1], sentences(cloud.rules)); diff != "" {
		t.Error("after the end of a run that was stopped", diff)
	}
	if last := (*events)[len(*events)-1]; last.Action != string(state.Deleted) {
		t.Errorf("after the last step: %+v", last)
	}
	calls := cloud.calls
	if a.Close(t.Context(), into(events)); cloud.calls != calls {
		t.Error("what is closed was closed again")
	}
}

func TestAccess_FailureIsNotFatal(t *testing.T) {
	old := fault.Newf(fault.NotFound, "ask load balancer 192.0.2.1 for our own address", "the response has no address")
	denied := fault.Newf(fault.Denied, "add a rule", "not allowed")
	for name, c := range map[string]struct {
		change func(a *Access, cloud *doorway, host *window)
		says   string
		calls  bool
	}{
		"load balancers of an older version": {func(_ *Access, _ *doorway, host *window) { host.answers = []error{old} }, "the response has no address", true},
		"load balancers that never come up": {func(_ *Access, _ *doorway, host *window) {
			host.answers = []error{fault.Newf(fault.Transient, "ask", "refused")}
		}, "refused", true},
		"an API key that may not": {func(_ *Access, cloud *doorway, _ *window) { cloud.broken = denied }, "not allowed", true},
		"a cluster that stands": {func(a *Access, _ *doorway, _ *window) {
			a.facts = state.NewFactsStore(state.Facts{BootstrapRemoved: time.Now()}, nil)
		}, "no longer needs it", true},
		"no load balancers":        {func(a *Access, _ *doorway, _ *window) { a.spec.LoadBalancer.Strategy = "dns-round-robin" }, "there is no load balancer", false},
		"a preview":                {func(a *Access, _ *doorway, _ *window) { a.preview = true }, "without --bootstrap-access", false},
		"a world that cannot look": {func(a *Access, _ *doorway, _ *window) { a.host = nil }, "without --bootstrap-access", true},
	} {
		t.Run(name, func(t *testing.T) {
			cloud, host := &doorway{rules: []state.Rule{{CIDR: "203.0.113.9/32", Description: "SSH " + temporary}}}, &window{answers: []error{nil}}
			a, events := ajar(cloud, host)
			c.change(a, cloud, host)
			err := a.Open(t.Context(), into(events))
			if !provisioner.IsSkip(err) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v", err)
			}
			if (cloud.calls > 0) != c.calls {
				t.Errorf("%d calls", cloud.calls)
			}
			if c.calls && cloud.broken == nil && len(cloud.rules) > 0 {
				t.Error("what an earlier run opened stays open")
			}
			a.Poll(t.Context(), into(events))
			a.Close(t.Context(), into(events))
		})
	}
}

func TestAccess_StopPreventsFallback(t *testing.T) {
	a, events := ajar(&doorway{}, &window{answers: []error{fault.Newf(fault.Transient, "ask", "not yet")}})
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := a.Open(ctx, into(events)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestAccess_EmitsNewOnly(t *testing.T) {
	bootkube := state.ServiceRecord{Service: "bootkube", Starts: 1, Stage: "b", Finished: []string{"a"}}
	failed := state.ServiceRecord{Service: "bootkube", Starts: 2, Stage: "b", Finished: []string{"a"}, Failure: "b: boom"}
	done := state.ServiceRecord{Service: "bootkube", Starts: 2, Finished: []string{"a", "b"}, Done: true}
	checks := []state.BootstrapHost{}
	for _, record := range []state.ServiceRecord{bootkube, bootkube, failed, done} {
		checks = append(checks, state.BootstrapHost{At: time.Now(), Services: []state.ServiceRecord{record}})
	}
	checks = append(checks, state.BootstrapHost{At: time.Now()}) // no more logins
	a, events := ajar(&doorway{}, &window{looks: checks})
	a.setOpen(true)
	for range checks {
		a.Poll(t.Context(), into(events))
	}
	var lines []string
	for _, e := range *events {
		lines = append(lines, strings.Join([]string{e.Name, e.State, e.Text, e.Reason}, " "))
	}
	want := []string{"bootkube started  ", "bootkube done a ", "bootkube started b ", "bootkube started  ", "bootkube failed b boom",
		"bootkube done b ", "bootkube done  "}
	if diff := cmp.Diff(want, lines); diff != "" {
		t.Error(diff)
	}
	if kept := a.Host(); len(kept.Services) != 1 || !kept.Services[0].Done {
		t.Errorf("what was seen is forgotten: %+v", kept)
	}
}

func TestAccess_TruncatesFloods(t *testing.T) {
	var flood state.BootstrapHost
	for n := range 200 {
		flood.Lines = append(flood.Lines, state.JournalLine{Unit: "bootkube.service", Text: fmt.Sprint(n)})
	}
	flood.At = time.Now()
	a, events := ajar(&doorway{}, &window{looks: []state.BootstrapHost{flood, flood}})
	a.setOpen(true)
	a.Poll(t.Context(), into(events))
	a.Poll(t.Context(), into(events))
	if len(*events) != 40 || (*events)[39].Text != "199" || len(a.Host().Lines) != 300 {
		t.Errorf("%d lines told, %d kept", len(*events), len(a.Host().Lines))
	}
}

func TestAccess_EmitsRefusalOnce(t *testing.T) {
	for _, c := range []struct {
		kind fault.Kind
		want int
	}{{fault.Denied, 1}, {fault.Conflict, 1}, {fault.Transient, 0}} {
		a, events := ajar(&doorway{}, &window{refused: fault.Newf(c.kind, "look", "no")})
		a.setOpen(true)
		for range 3 {
			a.Poll(t.Context(), into(events))
		}
		if len(*events) != c.want {
			t.Errorf("%d times: %+v", len(*events), *events)
		}
	}
}

func TestIsServingConfigs_BootstrapRecords(t *testing.T) {
	host := &state.BootstrapHost{Services: []state.ServiceRecord{{Service: "bootkube", Stage: "mco-bootstrap", Finished: []string{"api-bootstrap"}}}}
	if isServingConfigs(nil) || isServingConfigs(host) {
		t.Error("it is told before the stage is done")
	}
	host.Services[0].Finished = append(host.Services[0].Finished, "mco-bootstrap")
	if !isServingConfigs(host) {
		t.Error("it is not told")
	}
}

func TestMachineConfigServer_ClusterOnly(t *testing.T) {
	const machineConfigServer = 22623
	a, _ := ajar(&doorway{}, &window{})
	for _, group := range append(network.BuildSecurityGroups(spec()), a.buildGroup(netip.MustParseAddr(own))) {
		for _, rule := range group.Rules {
			if rule.CIDR != "" && rule.From <= machineConfigServer && machineConfigServer <= rule.To {
				t.Errorf("%s opens it to %s", group.Name, rule.CIDR)
			}
		}
	}
}
