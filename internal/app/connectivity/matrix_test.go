package connectivity

import (
	"crypto/x509"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"testing"
	"testing/synctest"

	"exoshift/assets"
	"exoshift/internal/app/environment"
	"exoshift/internal/network"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/remoterun"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/reach"
)

// sight is a scenario with the expected results of the whole catalogue.
type sight struct {
	scenario string
	cure     func(*network.Network, *simcloud.Zone) // the operator's fix; nil: none
	vantages []string                               // without the operator's trust or clock there is no machine in the zone
	rule     rule
}

func (s sight) String() string {
	if s.cure != nil {
		return s.scenario + " cured"
	}
	return s.scenario
}

// sights are all connectivity scenarios, with each source available in them.
func sights() []sight {
	here, both := []string{reach.Workstation}, []string{reach.Workstation, reach.Zone}
	return []sight{
		{"happy", nil, both, usual},
		{"tls-interception", nil, here, intercepted},
		{"tls-interception", trust, both, fromHere(trusted)},
		{"cdn-blocked", nil, both, blocked},
		{"split-dns", nil, both, fromHere(splitView)},
		{"nxdomain", nil, both, unknownName},
		{"proxy-auth", nil, here, keptOut},
		{"proxy-auth", logIn, both, fromHere(proxied)},
		{"captive-portal", nil, here, portal},
		{"slow-registry", nil, both, slowly},
		{"wrong-clock", nil, here, skewed},
		{"zone-only", nil, both, fromZone},
	}
}

// trust is the fix for an interceptor.
func trust(n *network.Network, zone *simcloud.Zone) {
	n.Roots = x509.NewCertPool()
	n.Roots.AppendCertsFromPEM(zone.Authority())
	n.Roots.AppendCertsFromPEM(zone.InterceptorAuthority())
}

// logIn is the fix for a proxy that requires authentication.
func logIn(n *network.Network, _ *simcloud.Zone) {
	anonymous := n.Proxy
	n.Proxy = func(r *http.Request) (*url.URL, error) {
		proxy, err := anonymous(r)
		if proxy != nil {
			proxy.User = simcloud.ProxyAccount()
		}
		return proxy, err
	}
}

// look runs the checks in virtual time.
func (s sight) probe(t *testing.T) (checks []reach.Check, results []reach.Result) {
	t.Helper()
	dir := t.TempDir()
	synctest.Test(t, func(t *testing.T) {
		spec, secrets := loadExample(t)
		SelectAllEndpoints(&spec)
		zone, err := simcloud.Open(t.Context(), simcloud.Options{
			Scenario: s.scenario, Zone: spec.Exoscale.Zone, Key: secrets.APIKey, Secret: secrets.APISecret, Program: OnMachine,
		})
		if err != nil {
			t.Fatal(err)
		}
		defer func() {
			if err := zone.Close(); err != nil {
				t.Error(err)
			}
		}()
		world := zone.Network()
		if s.cure != nil {
			s.cure(&world, zone)
		}
		survey, err := NewChecker(t.Context(), world, Subject{Spec: spec, Secrets: secrets}, s.endpoints(t), nil)
		if err != nil {
			t.Fatal(err)
		}
		survey.SetDir(func() (string, error) { return dir, nil })
		checks, results = survey.Checks, runSources(t, survey, s.vantages)
	})
	return checks, results
}

// endpoints returns the IDs of the catalogue, except for checks that need a cluster in the zone or other answers, or the
// discovery of an unreachable Lieutenant.
func (s sight) endpoints(t *testing.T) (ids []string) {
	t.Helper()
	catalogue, err := assets.ReadEndpoints()
	if err != nil {
		t.Fatal(err)
	}
	speechless := s.cure == nil && slices.Contains([]string{"tls-interception", "proxy-auth", "captive-portal"}, s.scenario)
	for _, e := range catalogue {
		other := slices.ContainsFunc(e.When, func(when string) bool {
			return when == "installed" || when == "okd" || when == "okd-stream-9" || strings.HasSuffix(when, "-proxy")
		})
		if !other && (!speechless || !strings.Contains(e.URL, "{sso}")) {
			ids = append(ids, e.ID)
		}
	}
	return ids
}

// loadExample returns the shipped answers, whatever the environment.
func loadExample(t *testing.T) (state.Spec, wizard.Secrets) {
	t.Helper()
	content, err := assets.ReadExample()
	if err != nil {
		t.Fatal(err)
	}
	spec, secrets, problems := answersfile.Load("example", content, environment.LookupRehearsalSecret)
	if len(problems) > 0 {
		t.Fatal(problems)
	}
	return spec, secrets
}

func runSources(t *testing.T, s *Checker, vantages []string) (results []reach.Result) {
	t.Helper()
	for _, where := range vantages {
		if where == reach.Zone {
			results = append(results, runOnMachine(t, s).Results...)
			continue
		}
		report, err := s.Run(t.Context(), where, nil, func(reach.Result) {}, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		results = append(results, report.Results...)
	}
	return results
}

// runOnMachine runs the checks on a machine, whose payload is a few bytes instead of this program: it runs this one anyway.
func runOnMachine(t *testing.T, s *Checker) (report reach.Report) {
	t.Helper()
	task, err := s.newTask(reach.Zone, nil)
	if err != nil {
		t.Fatal(err)
	}
	input, err := json.Marshal(task)
	if err != nil {
		t.Fatal(err)
	}
	runner, err := s.newRunner(reach.Zone)
	if err != nil {
		t.Fatal(err)
	}
	program := remoterun.Program{Args: []string{ProbeVerb}, Open: func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader("a program")), nil }}
	output, err := runner.Run(t.Context(), program, input, func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(output, &report); err != nil {
		t.Fatal(err)
	}
	return report
}

func TestVerdict_IsNeverFalse(t *testing.T) {
	if testing.Short() {
		t.Skip("it is long: make faults runs it")
	}
	var mu sync.Mutex
	table, verdicts, wrong := matrix{}, 0, 0
	t.Run("scenarios", func(t *testing.T) {
		for _, s := range sights() {
			t.Run(s.String(), func(t *testing.T) {
				t.Parallel()
				checks, results := s.probe(t)
				found := s.judge(t, checks, results)
				mu.Lock()
				defer mu.Unlock()
				table.add(s, checks, results)
				verdicts, wrong = verdicts+len(results), wrong+found
			})
		}
	})
	t.Logf("%d verdicts, %d of them false\n%s", verdicts, wrong, table)
}

// judge compares each result with the rule of its scenario, and returns the number of differences.
func (s sight) judge(t *testing.T, checks []reach.Check, results []reach.Result) (wrong int) {
	t.Helper()
	seen := map[string]int{}
	for _, r := range results {
		seen[r.Source]++
		check := checks[slices.IndexFunc(checks, func(c reach.Check) bool { return c.ID == r.ID })]
		if got, want := inShort(r), s.rule(placeIn(check, r.Source)).verdict(check.Severity); got != want {
			wrong++
			t.Errorf("%s from %s: %s (%s) is %q, want %q; %v", s, r.Source, r.ID, check.URL, got, want, r.Evidence)
		}
		if r.Verdict != reach.OK && r.Verdict != reach.Skipped && r.Hint == "" {
			t.Errorf("%s: nobody says what to do about %s", s, r.ID)
		}
	}
	for _, where := range s.vantages {
		if seen[where] < 50 {
			t.Errorf("only %d checks from %s", seen[where], where)
		}
	}
	return wrong
}

// inShort formats a result as "verdict class layers": a layer is + if it is OK, x if it failed, and - if it was not reached.
func inShort(r reach.Result) string {
	strip := ""
	for _, layer := range []reach.Layer{r.Layers.DNS, r.Layers.TCP, r.Layers.TLS, r.Layers.HTTP} {
		strip += map[reach.Layer]string{reach.LayerOK: "+", reach.LayerFail: "x", reach.LayerNone: "-"}[layer]
	}
	return fmt.Sprintf("%s %s %s", r.Verdict, r.Class, strip)
}
