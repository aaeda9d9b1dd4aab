package install

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/netip"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

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

// ajar is an installation whose bootstrap machine runs.
func ajar(t *testing.T, cloud *doorway, host *window) (*Installation, *[]provisioner.Event) {
	t.Helper()
	folder, err := state.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	i, err := New(spec(), Options{}, folder, Clients{Cloud: cloud, Bootstrap: host, Clock: &hasty{now: time.Now()}})
	if err != nil {
		t.Fatal(err)
	}
	i.nodes["bootstrap"] = state.Instance{Address: "198.18.0.10"}
	return i, &[]provisioner.Event{}
}

func into(events *[]provisioner.Event) provisioner.Report {
	return func(e provisioner.Event) { *events = append(*events, e) }
}

func sentences(rules []state.Rule) (told []string) {
	for _, rule := range rules {
		told = append(told, fmt.Sprintf("%s %d-%d %s %s", rule.Protocol, rule.From, rule.To, rule.CIDR, rule.Description))
	}
	return told
}

func TestTheBootstrapMachineIsOpenForOurOwnAddressAlone(t *testing.T) {
	cloud := &doorway{rules: []state.Rule{
		{Protocol: "tcp", From: 22, To: 22, CIDR: "203.0.113.9/32", Description: "SSH while somebody looks inside"},
		{Protocol: "tcp", From: 22, To: 22, CIDR: "203.0.113.9/32", Description: "mine"},
	}}
	not := fault.Newf(fault.Transient, "ask", "not yet")
	i, events := ajar(t, cloud, &window{answers: []error{not, not, not, nil}})
	if err := i.openBootstrapAccess(t.Context(), into(events)); err != nil {
		t.Fatal(err)
	}
	want := []string{"tcp 22-22 203.0.113.9/32 mine"}
	for _, open := range []string{"22-22 %s SSH", "6443-6443 %s Kubernetes API", "19531-19531 %s journal"} {
		want = append(want, "tcp "+fmt.Sprintf(open, own+"/32")+" while somebody looks inside")
	}
	if diff := cmp.Diff(want, sentences(cloud.rules)); diff != "" {
		t.Error(diff)
	}
	stopped, stop := context.WithCancel(t.Context())
	stop()
	i.Close(stopped, into(events))
	if diff := cmp.Diff(want[:1], sentences(cloud.rules)); diff != "" {
		t.Error("after the end of a run that was stopped", diff)
	}
	if last := (*events)[len(*events)-1]; last.Action != string(state.Deleted) || last.Step != stepAccess || last.Phase != Bootstrap {
		t.Errorf("after the last step: %+v", last)
	}
	calls := cloud.calls
	if i.Close(t.Context(), into(events)); cloud.calls != calls {
		t.Error("what is closed was closed again")
	}
}

func TestWhatKeepsFromLookingInsideFailsNothing(t *testing.T) {
	old := fault.Newf(fault.NotFound, "ask load balancer 192.0.2.1 for our own address", "it does not tell")
	denied := fault.Newf(fault.Denied, "add a rule", "not allowed")
	for name, c := range map[string]struct {
		change func(i *Installation, cloud *doorway, host *window)
		says   string
		calls  bool
	}{
		"load balancers of an older version": {func(_ *Installation, _ *doorway, host *window) { host.answers = []error{old} }, "it does not tell", true},
		"load balancers that never come up": {func(_ *Installation, _ *doorway, host *window) {
			host.answers = []error{fault.Newf(fault.Transient, "ask", "refused")}
		}, "refused", true},
		"an API key that may not": {func(_ *Installation, cloud *doorway, _ *window) { cloud.broken = denied }, "not allowed", true},
		"a cluster that stands": {func(i *Installation, _ *doorway, _ *window) {
			i.facts = state.NewFactsStore(state.Facts{BootstrapRemoved: time.Now()}, nil)
		}, "no longer needs it", true},
		"no load balancers":        {func(i *Installation, _ *doorway, _ *window) { i.spec.LoadBalancer.Strategy = "dns-round-robin" }, "there is no load balancer", false},
		"a preview":                {func(i *Installation, _ *doorway, _ *window) { i.preview = true }, "nobody looks inside", false},
		"a world that cannot look": {func(i *Installation, _ *doorway, _ *window) { i.clients.Bootstrap = nil }, "nobody looks inside", true},
	} {
		t.Run(name, func(t *testing.T) {
			cloud, host := &doorway{rules: []state.Rule{{CIDR: "203.0.113.9/32", Description: "SSH " + temporary}}}, &window{answers: []error{nil}}
			i, events := ajar(t, cloud, host)
			c.change(i, cloud, host)
			err := i.openBootstrapAccess(t.Context(), into(events))
			if !provisioner.IsSkip(err) || !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %v", err)
			}
			if (cloud.calls > 0) != c.calls {
				t.Errorf("%d calls", cloud.calls)
			}
			if c.calls && cloud.broken == nil && len(cloud.rules) > 0 {
				t.Error("what an earlier run opened stays open")
			}
			i.pollBootstrapHost(t.Context(), into(events))
			i.Close(t.Context(), into(events))
		})
	}
}

func TestAStopIsNoReasonToGoOnWithoutALook(t *testing.T) {
	i, events := ajar(t, &doorway{}, &window{answers: []error{fault.Newf(fault.Transient, "ask", "not yet")}})
	ctx, stop := context.WithCancel(t.Context())
	stop()
	if err := i.openBootstrapAccess(ctx, into(events)); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
}

func TestOnlyWhatIsNewInsideIsTold(t *testing.T) {
	bootkube := state.ServiceRecord{Service: "bootkube", Starts: 1, Stage: "b", Finished: []string{"a"}}
	failed := state.ServiceRecord{Service: "bootkube", Starts: 2, Stage: "b", Finished: []string{"a"}, Failure: "b: boom"}
	done := state.ServiceRecord{Service: "bootkube", Starts: 2, Finished: []string{"a", "b"}, Done: true}
	looks := []state.BootstrapHost{}
	for _, record := range []state.ServiceRecord{bootkube, bootkube, failed, done} {
		looks = append(looks, state.BootstrapHost{At: time.Now(), Services: []state.ServiceRecord{record}})
	}
	looks = append(looks, state.BootstrapHost{At: time.Now()}) // no more logins
	i, events := ajar(t, &doorway{}, &window{looks: looks})
	i.setAccess(true)
	for range looks {
		i.pollBootstrapHost(t.Context(), into(events))
	}
	var told []string
	for _, e := range *events {
		told = append(told, strings.Join([]string{e.Name, e.State, e.Text, e.Reason}, " "))
	}
	want := []string{"bootkube started  ", "bootkube done a ", "bootkube started b ", "bootkube started  ", "bootkube failed b boom",
		"bootkube done b ", "bootkube done  "}
	if diff := cmp.Diff(want, told); diff != "" {
		t.Error(diff)
	}
	if kept := i.BootstrapHost(); len(kept.Services) != 1 || !kept.Services[0].Done {
		t.Errorf("what was seen is forgotten: %+v", kept)
	}
}

func TestAFloodOfLinesIsToldAndKeptInPart(t *testing.T) {
	var flood state.BootstrapHost
	for n := range 200 {
		flood.Lines = append(flood.Lines, state.JournalLine{Unit: "bootkube.service", Text: fmt.Sprint(n)})
	}
	flood.At = time.Now()
	i, events := ajar(t, &doorway{}, &window{looks: []state.BootstrapHost{flood, flood}})
	i.setAccess(true)
	i.pollBootstrapHost(t.Context(), into(events))
	i.pollBootstrapHost(t.Context(), into(events))
	if len(*events) != 40 || (*events)[39].Text != "199" || len(i.BootstrapHost().Lines) != 300 {
		t.Errorf("%d lines told, %d kept", len(*events), len(i.BootstrapHost().Lines))
	}
}

func TestAMachineThatRefusesUsIsToldOnce(t *testing.T) {
	for _, c := range []struct {
		kind fault.Kind
		want int
	}{{fault.Denied, 1}, {fault.Conflict, 1}, {fault.Transient, 0}} {
		i, events := ajar(t, &doorway{}, &window{refused: fault.Newf(c.kind, "look", "no")})
		i.setAccess(true)
		for range 3 {
			i.pollBootstrapHost(t.Context(), into(events))
		}
		if len(*events) != c.want {
			t.Errorf("%d times: %+v", len(*events), *events)
		}
	}
}

func TestThatConfigurationsAreServedIsKnownFromTheBootstrapMachinesRecords(t *testing.T) {
	told := &state.BootstrapHost{Services: []state.ServiceRecord{{Service: "bootkube", Stage: "mco-bootstrap", Finished: []string{"api-bootstrap"}}}}
	if isServingConfigs(nil) || isServingConfigs(told) {
		t.Error("it is told before the stage is done")
	}
	told.Services[0].Finished = append(told.Services[0].Finished, "mco-bootstrap")
	if !isServingConfigs(told) {
		t.Error("it is not told")
	}
}

func TestABootstrapMachineKeepsItsKeys(t *testing.T) {
	const document = `{"ignition":{"version":"3.2.0"},"storage":{"files":[]}}`
	i, _ := ajar(t, &doorway{}, &window{})
	var given [][]byte
	for range 2 {
		i.bootstrapDocument = []byte(document)
		if err := i.ensureIdentity(); err != nil {
			t.Fatal(err)
		}
		given = append(given, i.bootstrapDocument)
	}
	if !bytes.Equal(given[0], given[1]) || !bytes.Contains(given[0], []byte("/etc/ssh/ssh_host_ed25519_key")) {
		t.Error("a resumed run gives the machine other keys, and so another document than its pointer names")
	}
	info, err := os.Stat(i.folder.Path(state.InstallDir, state.IdentityFile))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v: mode %v", err, info.Mode())
	}
	if err := i.folder.Write(state.InstallDir+"/"+state.IdentityFile, []byte("SECRET")); err != nil {
		t.Fatal(err)
	}
	if err := i.ensureIdentity(); !fault.Is(err, fault.Invalid) || fault.HintOf(err) == "" || strings.Contains(err.Error(), "SECRET") {
		t.Errorf("error %v", err)
	}
}
