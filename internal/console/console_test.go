package console_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/console"
	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
)

var update = flag.Bool("update", false, "write the golden files anew")

func golden(t *testing.T, name string, got []byte) {
	t.Helper()
	path := "testdata/" + name
	if *update {
		if err := os.WriteFile(path, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), string(got)); diff != "" {
		t.Errorf("%s (-want +got):\n%s", name, diff)
	}
}

var began = time.Date(2026, 5, 4, 14, 0, 0, 0, time.UTC)

// stamp sets versions, sequence numbers and times: seconds[i] after the start.
func stamp(events []provisioner.Event, seconds []int) []provisioner.Event {
	for i := range events {
		events[i].V, events[i].Seq, events[i].Time = provisioner.Version, i+1, began.Add(time.Duration(seconds[i])*time.Second)
	}
	return events
}

type script struct {
	events  []provisioner.Event
	seconds []int
}

func (s *script) at(second int, e provisioner.Event) {
	s.events, s.seconds = append(s.events, e), append(s.seconds, second)
}

func (s *script) step(second int, id, phase, stepState, text string) {
	s.at(second, provisioner.Event{Type: provisioner.TypeStep, Step: id, Phase: phase, State: stepState, Text: text})
}

func (s *script) etcd(second int, members ...provisioner.Member) {
	count := len(members)
	s.at(second, provisioner.Event{Type: provisioner.TypeEtcd, Step: "etcd", Phase: "control-plane", Members: members, Count: &count})
}

func (s *script) object(second int, action, kind, name, id string) {
	s.at(second, provisioner.Event{Type: provisioner.TypeObject, Step: "groups", Phase: "infrastructure",
		Action: action, Kind: kind, Name: name, ID: id})
}

// installation is a short run with every type of event.
func installation() *script {
	var s script
	s.at(0, provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Started, Text: "install c-demo-1.example.net"})
	s.step(0, "credentials", "preflight", provisioner.Started, "Check the credentials and the zone")
	s.step(2, "credentials", "preflight", provisioner.Done, "")
	s.step(2, "groups", "infrastructure", provisioner.Started, "Create the security groups")
	s.object(3, "found", "security-group", "c-demo-1_all", "id-1")
	s.object(3, "found", "security-group", "c-demo-1_lb", "id-2")
	s.object(5, "created", "security-group", "c-demo-1_master", "id-3")
	s.object(6, "adopted", "instance", "lb-0", "id-4")
	s.step(7, "groups", "infrastructure", provisioner.Progress, "opened 6443")
	s.step(62, "groups", "infrastructure", provisioner.Done, "")
	s.step(62, "image", "infrastructure", provisioner.Started, "Register the node image")
	s.step(62, "image", "infrastructure", provisioner.Skipped, "the template is there")
	s.step(63, "etcd", "control-plane", provisioner.Started, "Wait until etcd has a member on every master")
	since := began.Add(63 * time.Second)
	for _, second := range []int{63, 123} {
		s.at(second, provisioner.Event{Type: provisioner.TypeWait, Step: "etcd", Phase: "control-plane", What: "Wait until etcd has a member on every master",
			Since: &since, Usual: 900, Limit: 2700, Last: "1 of 4 members"})
	}
	s.at(130, provisioner.Event{Type: provisioner.TypeBootstrap, Step: "etcd", Phase: state.PhaseEtcd, Text: "etcd grows"})
	boot, m0 := provisioner.Member{Name: "etcd-bootstrap", State: "voter"}, provisioner.Member{Name: "master-0", State: "learner"}
	s.etcd(131, boot)
	s.etcd(140, boot, m0)
	s.etcd(141, boot, m0)
	m0.State = "voter"
	s.etcd(200, boot, m0)
	s.etcd(300, m0)
	s.at(301, provisioner.Event{Type: provisioner.TypeNode, Step: "nodes", Phase: "nodes", Name: "master-0", Role: "master", State: "not ready", Reason: "no network plugin"})
	s.at(302, provisioner.Event{Type: provisioner.TypeNode, Step: "nodes", Phase: "nodes", Name: "master-0", Role: "master", State: "ready"})
	s.at(303, provisioner.Event{Type: provisioner.TypeNode, Step: "nodes", Phase: "nodes", Name: "master-0", Role: "master", State: "ready"})
	s.at(304, provisioner.Event{Type: provisioner.TypeCSR, Step: "nodes", Phase: "nodes", Name: "csr-1", Node: "worker-0", Decision: "approved"})
	s.at(305, provisioner.Event{Type: provisioner.TypeCSR, Step: "nodes", Phase: "nodes", Name: "csr-2", Node: "evil\x1b[31m", Decision: "left", Reason: "not one of our nodes"})
	return &s
}

// observed adds the observations of a starting cluster, with a problem.
func observed(s *script) {
	see := func(second int, kind provisioner.Type, name, seenState, text, reason string) {
		s.at(second, provisioner.Event{Type: kind, Step: "etcd", Phase: "control-plane", Name: name, State: seenState, Text: text, Reason: reason})
	}
	percent := func(second, share int, text string) {
		s.at(second, provisioner.Event{Type: provisioner.TypeVersion, Step: "etcd", Phase: "control-plane", State: "installing", Percent: &share, Text: text})
	}
	see(310, provisioner.TypeProbe, "api-direct", provisioner.Reached, "https://192.0.2.7:6443/readyz", "")
	see(310, provisioner.TypeProbe, "api", provisioner.Unreachable, "https://api.c-demo-1.example.net:6443/readyz", "tcp: connection refused")
	see(311, provisioner.TypeStage, "bootkube", provisioner.Started, "cb-bootstrap", "")
	see(312, provisioner.TypeJournal, "bootkube.service", "", "Starting cluster-bootstrap...", "")
	see(312, provisioner.TypeJournal, "kubelet.service", "", "no pod\x1b[2J yet", "")
	see(313, provisioner.TypeStage, "bootkube", provisioner.Failed, "cb-bootstrap", "error: timed out\nwaiting")
	see(314, provisioner.TypeStage, "bootkube", provisioner.Done, "", "")
	for i := range 12 {
		see(315, provisioner.TypeOperator, fmt.Sprintf("operator-%d", i), "stable", "", "")
	}
	see(315, provisioner.TypeOperator, "authentication", "waiting", "", "")
	see(316, provisioner.TypeOperator, "authentication", "degraded", "", "no route\x07 to oauth")
	see(317, provisioner.TypeOperator, "authentication", "degraded", "", "no route to oauth for 1s")
	percent(320, 41, "Working towards 4.20.5: 370 of 903 done (41% complete)")
	percent(321, 44, "Working towards 4.20.5: 397 of 903 done (44% complete)")
	percent(322, 71, "Working towards 4.20.5: 640 of 903 done (71% complete), waiting on authentication")
	since := began.Add(300 * time.Second)
	finding := provisioner.Event{Type: provisioner.TypeDiagnosis, Step: "etcd", Phase: "control-plane", Name: "load-balancer-blocked",
		State: provisioner.Present, Confidence: "high", Text: "The load balancers do not let the API through", Since: &since,
		Hint:     "Add the rule that is missing:\nexo compute security-group rule add c-demo-1_lb --port 6443\x1b[31m",
		Evidence: []string{"the API answers on the bootstrap machine", "api.c-demo-1.example.net:6443: connection refused\u202e"}}
	s.at(330, finding)
	s.at(331, finding)
	doubt := finding
	doubt.Name, doubt.Confidence, doubt.Text, doubt.Hint, doubt.Evidence = "slow", "low", "The installation progresses more slowly than usual:", "Wait.", nil
	s.at(332, doubt)
	doubt.State = provisioner.Gone
	s.at(340, doubt)
	doubt.State = provisioner.Present
	s.at(341, doubt)
}

func finished(code int, result, text, hint string) provisioner.Event {
	return provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Finished, Result: result, ExitCode: &code, Text: text, Hint: hint}
}

func goodRun() []provisioner.Event {
	s := installation()
	s.step(306, "etcd", "control-plane", provisioner.Done, "")
	s.at(307, finished(0, "ok", "", ""))
	return stamp(s.events, s.seconds)
}

func badRun() []provisioner.Event {
	s := installation()
	observed(s)
	const cause, hint = "gave up after 45m: 3 of 4 members\r\nmaster-2: not started", "run the same command again"
	s.at(2763, provisioner.Event{Type: provisioner.TypeStep, Step: "etcd", Phase: "control-plane", State: provisioner.Failed, Text: cause, Hint: hint})
	s.at(2763, provisioner.Event{Type: provisioner.TypeStep, Step: "labels", Phase: "nodes", State: provisioner.Skipped,
		Text: "not reached, because etcd did not succeed", Reason: provisioner.Unreached})
	s.at(2764, finished(12, "failed", "etcd: "+cause, hint))
	return stamp(s.events, s.seconds)
}

func printed(newPrinter func(*bytes.Buffer) func(provisioner.Event), events []provisioner.Event) []byte {
	var out bytes.Buffer
	emit := newPrinter(&out)
	for _, e := range events {
		emit(e)
	}
	return out.Bytes()
}

func plainOf(events []provisioner.Event) []byte {
	return printed(func(w *bytes.Buffer) func(provisioner.Event) { return console.NewPlain(w) }, events)
}

func TestPlain_Run(t *testing.T) {
	golden(t, "good.plain.golden", plainOf(goodRun()))
	golden(t, "bad.plain.golden", plainOf(badRun()))
}

func TestPlain_InterruptedRun(t *testing.T) {
	var s script
	s.at(0, provisioner.Event{Type: provisioner.TypeRun, State: provisioner.Started})
	s.at(1, provisioner.Event{Type: provisioner.TypeStep, State: provisioner.Started, Phase: "dns", Step: "zone", Text: "Create the DNS zone"})
	s.at(9, provisioner.Event{Type: provisioner.TypeStep, State: provisioner.Failed, Phase: "dns", Step: "zone", Text: provisioner.Stopped})
	s.at(9, finished(130, "interrupted", "stopped; all resources are kept", "resume with: exoshift install"))
	want := `14:00:00 run            started
14:00:01 dns            Create the DNS zone
14:00:09 dns            Create the DNS zone: stopped after 8s
14:00:09 run            finished: interrupted after 9s, exit code 130
`
	if diff := cmp.Diff(want, string(plainOf(stamp(s.events, s.seconds)))); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestJSON_Run(t *testing.T) {
	golden(t, "good.json.golden", printed(func(w *bytes.Buffer) func(provisioner.Event) { return console.NewJSON(w) }, goodRun()))
}

func board(events []provisioner.Event) *provisioner.Board {
	b := provisioner.NewBoard(provisioner.Plan{
		{ID: "credentials", Title: "Check the credentials and the zone", Phase: "preflight"},
		{ID: "groups", Title: "Create the security groups", Phase: "infrastructure"},
		{ID: "image", Title: "Register the node image", Phase: "infrastructure"},
		{ID: "etcd", Title: "Wait until etcd has a member on every master", Phase: "control-plane"},
		{ID: "labels", Title: "Label and taint the nodes", Phase: "nodes"},
	})
	for _, e := range events {
		b.Fold(e)
	}
	return b
}

func facts() state.Facts {
	return state.Facts{
		ClusterID: "c-demo-1", Zone: "ch-gva-2", OpenShiftVersion: "4.20.5", InfraID: "c-demo-1-x7k2p", APIAddress: "203.0.113.10",
		IngressAddress: "203.0.113.11", ConsoleURL: "https://console.example.net", Installed: began.Add(time.Hour),
	}
}

func TestSummary_Run(t *testing.T) {
	for name, events := range map[string][]provisioner.Event{"good.summary.golden": goodRun(), "bad.summary.golden": badRun()} {
		var out bytes.Buffer
		where := handover.Locations{Folder: "/state/c-demo-1", Resume: "exoshift install --answers a.yaml --yes"}
		if name == "good.summary.golden" {
			where.Handover = handedOver()
		}
		console.PrintSummary(&out, board(events), facts(), where)
		golden(t, name, out.Bytes())
	}
}

// handedOver is the hand-over of the default cluster.
func handedOver() handover.Report {
	spec := state.Default()
	spec.Cluster.ID, spec.Cluster.BaseDomain = "c-demo-1", "example.net"
	return handover.New(handover.Input{
		Spec: spec, Facts: facts(), Folder: "/state/c-demo-1", Hour: 2.84, Month: 2074, PriceDate: "2026-05-01",
	})
}

func TestSummary_RehearsalNextStep(t *testing.T) {
	var out bytes.Buffer
	where := handover.Locations{Folder: "/state/c-demo-1", Rehearsal: true}
	where.Handover = handover.New(handover.Input{Spec: state.Default(), Folder: "/state/c-demo-1", Rehearsal: true})
	console.PrintSummary(&out, board(goodRun()), facts(), where)
	if got := out.String(); !strings.Contains(got, "exoshift install --answers /state/c-demo-1/answers.yaml") || strings.Contains(got, "kubeadmin") {
		t.Error(got)
	}
}

func TestStatus_Golden(t *testing.T) {
	running := installation()
	observed(running)
	for name, events := range map[string][]provisioner.Event{
		"running.status.golden": stamp(running.events, running.seconds), "bad.status.golden": badRun(), "no.status.golden": nil,
	} {
		var out bytes.Buffer
		console.PrintStatus(&out, board(events), facts(), handover.Locations{Folder: "/state/c-demo-1"})
		golden(t, name, out.Bytes())
	}
}

func TestPrintProblems_AndMissing(t *testing.T) {
	var out bytes.Buffer
	console.PrintProblems(&out, []wizard.Problem{
		{File: "a.yaml", Line: 3, Column: 7, Field: "cluster.id", Message: "is missing", Allowed: "e.g. c-demo-1"},
		{Field: "exoscale.zone", Message: "\"x\x1b[2J\" is not known", Suggestion: "ch-gva-2"},
	})
	console.PrintMissing(&out, []answersfile.MissingAnswer{
		{Field: "cluster.id", Why: "Cluster ID. Opens the names of all that the cluster has on Exoscale, and its domain.",
			Flag: "--set cluster.id=c-demo-1", Variable: "EXOSHIFT_CLUSTER_ID", InFile: "cluster: {id: c-demo-1}"},
		{Field: "exoscale.apiKey", Why: "API key.", Flag: "--set exoscale.apiKey=file:PATH", Variable: "EXOSCALE_API_KEY",
			InFile: "exoscale: {apiKey: {file: PATH}}", Secret: true},
	})
	want := `a.yaml:3:7  cluster.id  is missing  allowed: e.g. c-demo-1
exoscale.zone  "x" is not known  did you mean ch-gva-2?
Missing answers: 2. Set each of them in one of these places.

cluster.id
  why          Cluster ID. Opens the names of all that the cluster has on
               Exoscale, and its domain.
  flag         --set cluster.id=c-demo-1
  variable     EXOSHIFT_CLUSTER_ID
  in the file  cluster: {id: c-demo-1}

exoscale.apiKey
  why          API key.
  flag         --set exoscale.apiKey=file:PATH
  variable     EXOSCALE_API_KEY, which contains the secret itself
  in the file  exoscale: {apiKey: {file: PATH}}

To create a file to fill in: exoshift answers new answers.yaml
`
	if diff := cmp.Diff(want, out.String()); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

func TestSanitizeLine_RemovesEscapes(t *testing.T) {
	for dirty, want := range map[string]string{
		"plain é 世 😀":                   "plain é 世 😀",
		"a\x1b[31;1mred\x1b[0m b":       "ared b",
		"\x1b]0;title\x07name":          "name",
		"\x1b]8;;https://x\x1b\\link":   "link",
		"\x1b]0;never ends\nnext line":  "next line",
		"\u009b2Jx":                     "x",
		"\x1bc reset \x1b(B":            "reset",
		"\x1bPq#0\x1b\\sixel":           "sixel",
		"one\r\ntwo\n\n  three\t3":      "one; two; three 3",
		"bell\a back\b nul\x00 del\x7f": "bell back nul del",
		"abc\u202edcba\u200b\ufeff":     "abcdcba",
		"broken \xff\xfe utf8":          "broken \uFFFD utf8",
		"lone escape \x1b":              "lone escape",
	} {
		got := console.SanitizeLine(dirty)
		if got != want {
			t.Errorf("%q: got %q, want %q", dirty, got, want)
		}
	}
}

func FuzzSanitizeLine(f *testing.F) {
	f.Add("a\x1b[31mb\u009b\n\u202e")
	f.Fuzz(func(t *testing.T, dirty string) {
		clean := console.SanitizeLine(dirty)
		if strings.ContainsFunc(clean, func(r rune) bool { return r < ' ' || r >= 0x7f && r < 0xa0 || r == '\u202e' || r == '\u2028' }) {
			t.Errorf("%q became %q", dirty, clean)
		}
		if again := console.SanitizeLine(clean); again != clean {
			t.Errorf("%q became %q and then %q", dirty, clean, again)
		}
	})
}
