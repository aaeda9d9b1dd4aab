package prompt_test

import (
	"context"
	"strings"
	"testing"

	"exoshift/state"
	"exoshift/wizard"
)

// settled sets the answers of a default cluster, as a file would.
func (t *talk) settled(tb testing.TB) *talk {
	tb.Helper()
	for key, text := range map[string]string{
		"exoscale.zone": "ch-gva-2", "cluster.id": "c-demo-1", "cluster.baseDomain": "example.net",
		"openshift.version": "4.20.5", "openshift.sshKey": publicKey, "openshift.pullSecret": "env:PULL_SECRET",
	} {
		if err := t.Answers.Set(key, text, "answers.yaml:1"); err != nil {
			tb.Fatal(err)
		}
	}
	return t
}

// about limits the interview to some fields.
func (t *talk) about(keys ...string) *talk {
	t.Only = keys
	return t
}

func (t *talk) wants(tb testing.TB, sentences ...string) {
	tb.Helper()
	for _, sentence := range sentences {
		if !strings.Contains(t.transcript.String(), sentence) {
			tb.Errorf("%q was never told:\n%s", sentence, t.transcript.String())
		}
	}
}

func (t *talk) answer(key string) string {
	for _, field := range wizard.ScreenOf(key).ListFields(t.Answers.Spec) {
		if field.Key == key {
			return field.Get(t.Answers.Spec)
		}
	}
	return "not asked"
}

func TestPrompt_QuestionsOfFileOnly(t *testing.T) {
	talk := newTalk(t).settled(t).about("cluster.displayName", "network.cni")
	outcome, err := talk.types(t.Context(), "Demo", "", "yes")
	if err != nil || !outcome.Confirmed || talk.answer("cluster.displayName") != "Demo" {
		t.Errorf("%+v, %v, %q", outcome, err, talk.answer("cluster.displayName"))
	}
	golden(t, "hybrid.golden", talk.transcript.Bytes())
}

func TestPrompt_ReportsUnusableFound(t *testing.T) {
	talk := newTalk(t).settled(t).about("openshift.pullSecret")
	talk.Answers.Spec.OpenShift.PullSecret = state.Default().OpenShift.PullSecret
	talk.Unusable = []wizard.Problem{{Field: "openshift.pullSecret", Message: "~/pull-secret.txt is open", Allowed: "chmod 600 ~/pull-secret.txt"}}
	if outcome, err := talk.types(t.Context(), ":quit"); err != nil || outcome.Confirmed {
		t.Errorf("%+v, %v", outcome, err)
	}
	talk.wants(t, "Warning: Pull secret: not used: ~/pull-secret.txt is open. Allowed: chmod 600 ~/pull-secret.txt.")
}

func TestPrompt_AsksMissingToo(t *testing.T) {
	talk := newTalk(t).settled(t).about("cluster.displayName")
	talk.Answers.Spec.Cluster.BaseDomain = ""
	outcome, err := talk.types(t.Context(), "Demo", "example.org", "yes")
	if err != nil || !outcome.Confirmed || talk.answer("cluster.baseDomain") != "example.org" {
		t.Errorf("%+v, %v\n%s", outcome, err, talk.transcript.String())
	}
}

func TestPrompt_EveryQuestionKind(t *testing.T) {
	talk := newTalk(t).settled(t).about("exoscale.zone", "exoscale.protectMasters", "cluster.displayName", "sizing.workers.type", "sizing.workers.count",
		"network.customerNetworks", "dns.acme", "syn.lieutenantURL", "syn.tenant", "syn.facts", "openshift.pullSecret")
	outcome, err := talk.types(t.Context(),
		"9", "?", ":list", "vie", "at-vie-2", // zone: a wrong number, help, a part of two names
		"perhaps", "yes", // protect the masters
		"Demo",                                // display name
		":empty", "standard", "standard.huge", // type: none, a part of several, one
		"three", "2", "", // count: no number, too few, and the count that is there
		"192.168.0.0/16, 10.9.0.1/24", "192.168.0.0/16,10.9.0.0/24", // networks
		":default",                                  // ACME
		"https://api.syn.example.net", "T_Demo", "", // Lieutenant; a tenant as it is meant
		"S10000", "guaranteed", "2", "", "", "", // facts one by one: text, a part of a name, a number, and none
		"service_level", "service_level=guaranteed-availability",
		"", // pull secret
		"no", "", ":show", "yes")
	if err != nil || !outcome.Confirmed {
		t.Errorf("%+v, %v", outcome, err)
	}
	golden(t, "kinds.golden", talk.transcript.Bytes())
}

func TestPrompt_Back(t *testing.T) {
	talk := newTalk(t).settled(t)
	_, _ = talk.types(t.Context(), "<", ":next", "c-one", "<", "c-two", "org.example", "<", "<", "<", ":quit")
	golden(t, "back.golden", talk.transcript.Bytes())
	if id := talk.answer("cluster.id"); id != "c-two" {
		t.Errorf("the cluster is %s", id)
	}
}

func TestPrompt_JumpToScreen(t *testing.T) {
	talk := newTalk(t)
	_, _ = talk.types(t.Context(), ":screen 3", "ch-dk-2", ":screen 99", ":screen 2", ":screen 4", "c-demo-1", "example.net", ":screen 1", ":quit")
	golden(t, "screens.golden", talk.transcript.Bytes())
}

func TestPrompt_CrossFieldProblem(t *testing.T) {
	talk := newTalk(t).settled(t).about("network.podCIDR", "network.serviceCIDR")
	outcome, err := talk.types(t.Context(), "10.0.0.0/14", "", "", "yes")
	if err != nil || !outcome.Confirmed || talk.answer("network.nodeCIDR") != "10.4.0.0/16" {
		t.Errorf("%+v, %v\n%s", outcome, err, talk.transcript.String())
	}
	talk.wants(t, "Node network: 10.0.0.0/16 overlaps", "Node network [10.4.0.0/16, suggested]")
}

func TestPrompt_AddAndRemoveGroups(t *testing.T) {
	talk := newTalk(t).settled(t).about("sizing.extraGroups")
	outcome, err := talk.types(t.Context(), "2", "gpu", "gpua30.small", "2", ":next", ":screen 1", "", "", "", "", "", "", "", "2",
		":next", ":screen 1", "", "", "", "", "", "", "", "", "", "", "", "", "", "", "4", "", "yes")
	if err != nil || !outcome.Confirmed {
		t.Errorf("%+v, %v", outcome, err)
	}
	golden(t, "groups.golden", talk.transcript.Bytes())
}

func TestPrompt_SavesEveryAnswer(t *testing.T) {
	talk := newTalk(t).about("cluster.id", "cluster.displayName")
	_, _ = talk.types(t.Context(), "c-a", "<", "c-b")
	if len(talk.saved) != 2 || talk.saved[0] != "c-a" {
		t.Errorf("saved %q", talk.saved)
	}
}

func TestPrompt_SaveErrorOnce(t *testing.T) {
	talk := newTalk(t).about("cluster.id", "cluster.displayName", "cluster.baseDomain")
	talk.Save = func(*wizard.Answers) error { return context.DeadlineExceeded }
	_, _ = talk.types(t.Context(), "c-a", "Demo", "example.net")
	if n := strings.Count(talk.transcript.String(), "could not be saved"); n != 1 {
		t.Errorf("told %d times:\n%s", n, talk.transcript.String())
	}
}
