package prompt_test

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/reach"
)

func service(vantage, id string, verdict reach.Verdict, class reach.Class, evidence ...string) wizard.CheckState {
	host := "host-" + strings.ToLower(id) + ".example.net"
	r := reach.Result{ID: id, Group: "redhat", Target: host + ":443", Source: vantage, Severity: reach.Must, Verdict: verdict, Class: class, Evidence: map[string]string{}}
	for i := 0; i+1 < len(evidence); i += 2 {
		r.Evidence[evidence[i]] = evidence[i+1]
	}
	states := map[reach.Verdict]string{"": "started", reach.OK: "done", reach.Warn: "done", reach.Fail: "failed", reach.Skipped: "skipped"}
	if verdict == reach.Fail {
		r.Layers, r.Hint = reach.Layers{DNS: reach.LayerOK, TCP: reach.LayerFail}, "Ask for the firewall to let it through"
	}
	return wizard.CheckState{
		ID: id, Title: "Service " + id, State: states[verdict], Text: r.Describe(), Hint: r.Hint,
		Reach: &wizard.ReachState{Check: reach.Check{ID: id, URL: "https://" + host}, Result: r},
	}
}

// withServices sets checks of services of which one fails until it is skipped.
func withServices(talk *talk) {
	talk.Check = func(_ context.Context, spec state.Spec, _ wizard.Secrets, emit func(wizard.CheckState)) error {
		for _, id := range []string{"NET-RH-001", "NET-RH-002", "NET-RH-003", "NET-RH-004"} {
			emit(service(reach.Workstation, id, "", ""))
		}
		emit(service(reach.Workstation, "NET-RH-001", reach.OK, ""))
		emit(service(reach.Workstation, "NET-RH-003", reach.Warn, reach.Slow))
		emit(service(reach.Workstation, "NET-RH-004", reach.Skipped, "", reach.EvidenceSkipped, "because NET-RH-002 failed"))
		if why := spec.Checks.Skip["NET-RH-002"]; why != "" {
			emit(service(reach.Workstation, "NET-RH-002", reach.Skipped, "", reach.EvidenceSkipped, why))
			return nil
		}
		failed := service(reach.Workstation, "NET-RH-002", reach.Fail, reach.TCPTimeout, reach.EvidenceAddress, "203.0.113.9")
		emit(failed)
		again := *failed.Reach
		failed.Reach = &again
		emit(failed)
		emit(wizard.CheckState{ID: "reachability", Title: "Check connectivity", State: "failed", Text: "1 of 4 is not reached"})
		return fmt.Errorf("failed")
	}
	talk.ZoneTerms = func(spec state.Spec) string {
		return "A machine in " + spec.Exoscale.Zone + " looks for 2 minutes, for a few cents"
	}
	talk.CheckFromZone = func(_ context.Context, _ state.Spec, _ wizard.Secrets, emit func(wizard.CheckState)) error {
		emit(service(reach.Zone, "NET-RH-001", reach.OK, ""))
		emit(service(reach.Zone, "NET-RH-002", reach.Fail, reach.Untrusted, reach.EvidenceIssuer, "CN=Corp\x1b[2J CA"))
		return nil
	}
}

func TestPrompt_SkipUnreachableServices(t *testing.T) {
	talk := newTalk(t)
	withServices(talk)
	answers := defaultCluster()
	lines := append(answers[:len(answers)-1:len(answers)-1], ":help", ":skip", ":skip NET-RH-002", ":skip net-rh-002 the firewall is being changed",
		":skip NET-XX-999 no such check until 2099-01-31", ":zone", "no", ":zone", "yes",
		":skip net-rh-002 because the firewall is being changed, ticket 4711 until 2099-01-31", "", ":zone", "yes", "yes")
	outcome, err := talk.types(t.Context(), lines...)
	if err != nil || !outcome.Confirmed {
		t.Errorf("%+v, %v", outcome, err)
	}
	want := map[string]string{"NET-RH-002": "the firewall is being changed, ticket 4711 until 2099-01-31"}
	if got := talk.Answers.Spec.Checks.Skip; len(got) != 1 || got["NET-RH-002"] != want["NET-RH-002"] {
		t.Errorf("left out: %v", got)
	}
	transcript := talk.transcript.String()
	if i := strings.IndexFunc(transcript, steers); i >= 0 {
		t.Errorf("%q is printed", transcript[max(0, i-40):i+1])
	}
	_, text, _ := strings.Cut(transcript, "Checks.")
	golden(t, "reach.golden", []byte(text))
}

func TestPrompt_SkipAtChecksOnly(t *testing.T) {
	talk := newTalk(t)
	withServices(talk)
	_, err := talk.types(t.Context(), ":skip NET-RH-001 no use until 2099-01-31", ":zone")
	if got := talk.transcript.String(); err == nil || strings.Count(got, "only after the checks.") != 2 {
		t.Errorf("%v\n%s", err, got)
	}
}

func TestPrompt_RefusesInvalidSkip(t *testing.T) {
	talk := newTalk(t)
	withServices(talk)
	if err := talk.Answers.Set("checks.skip", "NET-RH-003=too slow until 2099-01-31", wizard.Typed); err != nil {
		t.Fatal(err)
	}
	answers := defaultCluster()
	lines := append(answers[:len(answers)-1:len(answers)-1], ":skip NET-XX-999 no such check until 2099-01-31", ":skip NET-RH-002 x until 2099-02-30")
	if _, err := talk.types(t.Context(), lines...); err == nil {
		t.Error("the conversation went on")
	}
	if got := talk.Answers.Spec.Checks.Skip; len(got) != 1 || got["NET-RH-003"] != "too slow until 2099-01-31" {
		t.Errorf("left out: %v", got)
	}
}

func TestPrompt_CommonCauseLast(t *testing.T) {
	talk := newTalk(t)
	talk.Check = func(_ context.Context, _ state.Spec, _ wizard.Secrets, emit func(wizard.CheckState)) error {
		for i := range 9 {
			spoiled := service(reach.Workstation, fmt.Sprintf("NET-RH-00%d", i), reach.Warn, reach.Captive)
			spoiled.Reach.Result.Hint = "Log in, it responds in place of " + spoiled.ID
			emit(spoiled)
		}
		return nil
	}
	if _, err := talk.types(t.Context(), defaultCluster()...); err != nil {
		t.Fatal(err)
	}
	text := talk.transcript.String()
	_, end, counted := strings.Cut(text, "Services, seen from this workstation: 9 with a warning.")
	if !counted || !strings.Contains(end, "The one cause of 9 problems: the network of this workstation requires a login.") ||
		!strings.Contains(end, "Fix: Log in to the network of this workstation") {
		t.Error(text)
	}
	if n := strings.Count(text, "it responds in place of"); n != 2 {
		t.Errorf("what to do is told %d times before it is clear that many have one cause:\n%s", n, text)
	}
}
