package handover_test

import (
	"flag"
	"os"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/google/go-cmp/cmp"

	"exoshift/provisioner"
	"exoshift/provisioner/handover"
	"exoshift/provisioner/install/syn"
	"exoshift/state"
)

var update = flag.Bool("update", false, "write the golden files anew")

func source() handover.Input {
	spec := state.Default()
	spec.Cluster.ID, spec.Cluster.BaseDomain, spec.Exoscale.Zone = "c-demo-1", "example.net", "ch-gva-2"
	began := time.Date(2026, 5, 4, 14, 2, 0, 0, time.UTC)
	return handover.Input{
		Spec: spec, Folder: "/srv/my clusters/c-demo-1",
		Facts: state.Facts{
			OpenShiftVersion: "4.20.5", APIAddress: "192.0.2.10", IngressAddress: "192.0.2.11", ConsoleURL: "https://console.example.net",
		},
		Board: &provisioner.Board{
			Began: began, Now: began.Add(50*time.Minute + 300*time.Millisecond),
			Steps: []provisioner.StepView{
				{Phase: "preflight", Began: began, Ended: began.Add(time.Minute)},
				{Phase: "bootstrap", Began: began.Add(2 * time.Minute), Ended: began.Add(20 * time.Minute)},
				{Phase: "bootstrap", Began: began.Add(time.Minute), Ended: began.Add(30 * time.Minute)},
				{Phase: "nodes", Began: began.Add(time.Hour)},
			},
		},
		Hour: 2.8412, Month: 2074, PriceDate: "2026-05-01",
	}
}

func TestReport_Golden(t *testing.T) {
	rehearsed, passing := source(), source()
	rehearsed.Rehearsal = true
	passing.Rehearsal, passing.Folder = true, ""
	for name, s := range map[string]handover.Input{"real": source(), "rehearsed": rehearsed, "passing": passing, "syn": connected()} {
		golden(t, name, string(handover.New(s).RenderMarkdown()))
	}
}

func connected() handover.Input {
	s := source()
	s.Spec.Syn = state.SynSpec{LieutenantURL: "https://api.syn.example.net", Tenant: "t-demo"}
	s.Secrets = syn.ListSecretNames()
	s.Spec.DNS.ACME, s.Spec.Syn.Facts = true, map[string]string{"maintenance_window": "tuesday-1000"}
	at := time.Date(2026, 5, 4, 15, 0, 0, 0, time.UTC)
	s.Facts.InfraID, s.Facts.Template = "c-demo-1-x7kq2", "rhcos-9.6.20250523-0"
	s.Facts.Syn = state.SynFacts{
		Lieutenant: "https://api.syn.example.net", Tenant: "t-demo", Catalog: "ssh://git@git.example.net/catalogs/c-demo-1.git", Commit: "4f2d9c1",
		ClusterUUID: "0d3f2a1c-9a52-4b8e-8f0f-3c1d11a7e2b4", SSHPublicKey: "ssh-ed25519 AAAA c-demo-1", Synthesized: at, Maintained: at.Add(time.Hour),
		ACME: "0d3f.acme-dns.example.net", Alerts: []string{"CephClusterWarningState in syn-rook-ceph: storage is degraded"},
	}
	s.Board.Objects = []provisioner.ObjectView{
		{Kind: state.KindInstance, Name: "worker-0", ID: "b2", Action: "created"}, {Kind: state.KindInstance, Name: "master-0", ID: "b1", Action: "found"},
		{Kind: state.KindInstance, Name: "bootstrap", ID: "b0", Action: "deleted"}, {Kind: state.KindBucket, Name: "c-demo-1-logstore", Action: "created"},
		{Kind: state.KindElasticIP, Name: "c-demo-1_api", ID: "e1", Action: "created"}, {Kind: state.KindSecurityGroup, Name: "c-demo-1_infra", ID: "g1", Action: "updated"},
		{Kind: state.KindZone, Name: "c-demo-1.example.net", ID: "z1", Action: "created"}, {Kind: state.KindRole, Name: "c-demo-1_ccm-exoscale", ID: "r1", Action: "created"},
		{Kind: state.KindAPIKey, Name: "c-demo-1_ccm-exoscale", Action: "created"}, {Kind: state.KindAntiAffinityGroup, Name: "c-demo-1_lb", ID: "a1", Action: "created"},
	}
	return s
}

func TestReport_WithoutProjectSyn(t *testing.T) {
	s := source()
	s.Facts.Syn.Alerts = []string{"left from another life"}
	for _, section := range handover.New(s).Sections() {
		if section.Title == "Project Syn" || strings.Contains(section.Title, "people") || strings.Contains(section.Title, "day-two") {
			t.Errorf("%s: %+v", section.Title, section.Rows)
		}
	}
}

func TestReport_RehearsalHasNoEmergencyAccess(t *testing.T) {
	s := connected()
	if !strings.Contains(string(handover.New(s).RenderMarkdown()), "exoshift emergency-access --kubeconfig FILE --dir '/srv/my clusters/c-demo-1'") {
		t.Error("the command is missing")
	}
	if s.Rehearsal = true; strings.Contains(string(handover.New(s).RenderMarkdown()), "emergency-access") {
		t.Error("a rehearsal has no cluster to take a kubeconfig from")
	}
}

func TestReport_NamesLateNodesBehindProxy(t *testing.T) {
	const patch = "oc patch proxy/cluster"
	s := source()
	nodes := len(s.Spec.Nodes())
	for name, c := range map[string]struct {
		proxy string
		known int
		want  bool
	}{
		"none late":     {"http://proxy.example.net:3128", nodes, false},
		"two late":      {"http://proxy.example.net:3128", nodes - 2, true},
		"never counted": {"http://proxy.example.net:3128", 0, false},
		"no proxy":      {"", nodes - 2, false},
	} {
		s.Spec.OpenShift.Proxy.HTTPS = c.proxy
		s.Facts.NodeAddresses = make([]string, c.known)
		page := string(handover.New(s).RenderMarkdown())
		if got := strings.Contains(page, patch); got != c.want || got && !strings.Contains(page, "2 nodes came after the installation") {
			t.Errorf("%s: %v\n%s", name, got, page)
		}
	}
}

// The API refuses the first kubeconfig: the report must not offer it.
func TestReport_OmitsRevokedKubeconfig(t *testing.T) {
	s := connected()
	s.Facts.Syn.AdminInvalidated = time.Date(2026, 5, 5, 8, 30, 0, 0, time.UTC)
	page := string(handover.New(s).RenderMarkdown())
	if !strings.Contains(page, "the API rejects the first kubeconfig since 2026-05-05 08:30 UTC") {
		t.Error(page)
	}
	for _, gone := range []string{"auth/kubeconfig", "emergency-access", "valid for ten years"} {
		if strings.Contains(page, gone) {
			t.Errorf("the page still speaks of %s", gone)
		}
	}
}

// Without load balancers of one's own there is no machine that accepts SSH from everywhere.
func TestReport_NodeAccessViaLoadBalancer(t *testing.T) {
	s := connected()
	if !strings.Contains(string(handover.New(s).RenderMarkdown()), "ssh -J ubuntu@lb-0.c-demo-1.example.net core@etcd-0.c-demo-1.example.net") {
		t.Error("the command is missing")
	}
	if s.Spec.LoadBalancer.Strategy = "dns-round-robin"; strings.Contains(string(handover.New(s).RenderMarkdown()), "ssh -J") {
		t.Error("there is no load balancer")
	}
}

func TestReport_KnownFactsOnly(t *testing.T) {
	report := handover.New(handover.Input{Spec: state.Default()})
	for _, section := range report.Sections() {
		if section.Title == "Cost" || section.Title == "Duration" || section.Title == "Later" {
			t.Errorf("%s: %+v", section.Title, section.Rows)
		}
		for _, row := range section.Rows {
			if row.Text == "" {
				t.Errorf("%s: %+v", section.Title, row)
			}
		}
	}
}

func TestReport_QuotesPathsForShell(t *testing.T) {
	s := source()
	s.Folder = "/srv/o'neil/$(c)"
	for _, row := range handover.New(s).Later.Rows {
		if row.Command && !strings.HasSuffix(row.Text, `'/srv/o'\''neil/$(c)'`) {
			t.Error(row.Text)
		}
	}
}

func TestReport_EscapesMarkup(t *testing.T) {
	s := source()
	s.Spec.Cluster.ID, s.Facts.ConsoleURL = "*c*_<b>`", "x`y"
	report := string(handover.New(s).RenderMarkdown())
	if !strings.Contains(report, "\\*c\\*\\_\\<b>\\`") || strings.Contains(report, "x`y") {
		t.Error(report)
	}
}

// golden compares a text with its recording in testdata; -update records it.
func golden(t *testing.T, name, got string) {
	t.Helper()
	path := "testdata/" + name + ".md"
	if *update {
		if err := os.WriteFile(path, []byte(got), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), got); diff != "" {
		t.Errorf("%s has changed (-update records it):\n%s", name, diff)
	}
}

func TestReport_UncheckedHasReason(t *testing.T) {
	s := source()
	s.Facts.SkippedChecks = []state.SkippedCheck{
		{ID: "NET-RH-020", Target: "cert-api.access.redhat.com:443", Reason: "the customer wants no telemetry",
			Until: time.Date(2027, 1, 31, 0, 0, 0, 0, time.UTC)},
		{ID: "NET-3RD-001", Target: "api.opsgenie.com:443", Reason: "ticket 4711"},
	}
	page := string(handover.New(s).RenderMarkdown())
	for _, want := range []string{
		"NET-RH-020 cert-api.access.redhat.com:443: the customer wants no telemetry (until 2027-01-31)",
		"NET-3RD-001 api.opsgenie.com:443: ticket 4711", "exoshift check --answers",
	} {
		if !strings.Contains(page, want) {
			t.Errorf("the page lacks %q:\n%s", want, page)
		}
	}
	if strings.Contains(string(handover.New(source()).RenderMarkdown()), "not checked") {
		t.Error("nothing was skipped, and yet the page speaks of it")
	}
}

func TestMarkdown_HoldsNoHostileText(t *testing.T) {
	const hostile = "a\x1b[2J\u202eb\u200b\r\n# Trust me\x00"
	s := connected()
	for _, field := range []*string{
		&s.Facts.OpenShiftVersion, &s.Facts.ConsoleURL, &s.Facts.InfraID, &s.Facts.Template, &s.Facts.APIAddress,
		&s.Facts.Syn.Catalog, &s.Facts.Syn.Commit, &s.Facts.Syn.SSHPublicKey, &s.Facts.Syn.ACME, &s.Facts.Syn.Alerts[0],
	} {
		*field = hostile
	}
	for i := range s.Board.Objects {
		s.Board.Objects[i].Name, s.Board.Objects[i].ID = hostile, hostile
	}
	page := string(handover.New(s).RenderMarkdown())
	if i := strings.IndexFunc(page, func(r rune) bool { return r != '\n' && !unicode.IsPrint(r) }); i >= 0 {
		t.Errorf("%q", page[max(0, i-60):i+1])
	}
	if strings.Contains(page, "\n# Trust") || !strings.Contains(page, "Trust me") {
		t.Errorf("what others say has a line of its own, or is not there at all:\n%s", page)
	}
}
