package fault_test

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud"
	"exoshift/provisioner/destroy"
	"exoshift/provisioner/install"
	"exoshift/provisioner/install/syn"
	"exoshift/provisioner/syn/catalog"
	"exoshift/provisioner/syn/lieutenant"
	"exoshift/provisioner/syn/signin"
	"exoshift/provisioner/syn/vault"
	"exoshift/state"
)

const (
	lieutenantURL = "https://api.syn.vshn.net"
	vaultURL      = "https://vault-prod.syn.vshn.net/v1/clusters/kv/"
	gitURL        = "https://git.vshn.net/api/v4/projects/"
	tenant        = "t-quiet-harbour-4711"
	// manifestCall is the one call that no rerun can make again.
	manifestCall = "GET api.syn.vshn.net/install/steward.json #1"
)

// Each call by which an installation changes something in Lieutenant, Vault or a Git repository may fail, or end the
// process. The rerun ends like an undisturbed run: nothing is there twice, nothing was written over, and Steward comes
// from one manifest.
func TestInstall_FaultAtEverySynCall(t *testing.T) {
	long(t)
	var calls, want []string
	connectedLab(t, newStriker("", ""), func(l *lab) {
		l.must(l.install())
		calls, want = l.strike.told(), l.synPicture()
		l.recovers()
		l.same("after a second run", want, l.synPicture())
		l.forgets()
	})
	if len(calls) < 12 || !slices.Contains(calls, manifestCall) {
		t.Fatalf("an installation makes %d calls that change something: %v", len(calls), calls)
	}
	t.Logf("%d calls that change something in Project Syn", len(calls))
	for n, call := range sampled(calls) {
		others := []blow{killedBefore, lostAnswer, burst}
		for _, with := range []blow{killedAfter, others[n%len(others)]} { // the first is the hardest; the others take turns
			t.Run(fmt.Sprintf("%03d %s", n, with), func(t *testing.T) {
				t.Parallel()
				connectedLab(t, newStriker(call, with), func(l *lab) { l.resumes(call, with, want) })
			})
		}
	}
}

// resumes strikes one call, runs the installation again and looks at what Project Syn holds then.
func (l *lab) resumes(call string, with blow, want []string) {
	first := l.install()
	if !l.strike.struck {
		l.Fatalf("it never came to this: %s\n%v", call, first)
	}
	again := l.install()
	if call == manifestCall && with != killedBefore && with != burst {
		if !fault.Is(again, fault.Conflict) || !strings.Contains(fault.HintOf(again), "reset the bootstrap token of c-1") {
			l.Errorf("the manifest is lost: %v; %s", again, fault.HintOf(again))
		}
		l.must(l.zone.ResetToken(l.spec.Cluster.ID))
		again = l.install()
	}
	if again != nil {
		l.Fatalf("%s: the rerun: %v\nafter %v", call, again, first)
	}
	l.same(call+": after the rerun", want, l.synPicture())
	if pending := l.pending(); len(pending) > 0 {
		l.Errorf("%s: another run would change %+v", call, pending)
	}
	l.forgets()
}

// forgets destroys the cluster; then Lieutenant does not know it, and Vault has nothing of it that can be read.
func (l *lab) forgets() {
	l.Helper()
	l.must(l.destroy())
	l.asked(http.StatusNotFound, lieutenantURL+"/clusters/"+l.spec.Cluster.ID, l.zone.Credentials().APIToken)
	for _, path := range syn.ListSecretPaths(l.spec) {
		l.asked(http.StatusNotFound, vaultURL+"data/"+path, l.zone.Credentials().VaultToken)
	}
}

// connectedLab is a lab in which only what speaks to Project Syn is struck.
func connectedLab(t *testing.T, strike *striker, test func(*lab)) {
	t.Helper()
	dir := fastDir(t)
	synctest.Test(t, func(t *testing.T) {
		quiet := func(next http.Handler) http.Handler { return next }
		l := openLab(t, filepath.Join(dir, "cluster"), simcloud.Options{Middleware: quiet, Syn: strike.before}, strike)
		defer l.close()
		l.spec.Syn.LieutenantURL, l.spec.Syn.Tenant = lieutenantURL, tenant
		l.spec.Network.CNI, l.spec.OpenShift.CloudControllerManager, l.spec.DNS.ACME = "Cilium", "External", true
		steward := &agent{manifests: map[string]bool{}}
		l.inside = func(l *lab, world *install.Clients) {
			withoutCluster(l, world)
			world.Syn = l.projectSyn(steward)
		}
		test(l)
		if len(steward.manifests) != 1 {
			t.Errorf("Steward was installed from %d manifests", len(steward.manifests))
		}
	})
}

// projectSyn are the clients of one process.
func (l *lab) projectSyn(steward *agent) *syn.Clients {
	credentials := l.zone.Credentials()
	git := catalog.Access{Token: credentials.GitToken}
	return &syn.Clients{
		Lieutenant: heard{l.lieutenant(), steward}, Vault: l.vault(), Git: catalog.NewGit(l.net, git),
		Compiler: catalog.NewCompiler(l.net, git, catalog.Commodore{}), Cluster: steward,
	}
}

func (l *lab) lieutenant() *lieutenant.Client {
	return lieutenant.New(l.net, lieutenantURL, signin.New(signin.Options{Network: l.net, API: lieutenantURL, Given: l.zone.Credentials().APIToken}))
}

func (l *lab) vault() *vault.Client {
	return vault.New(l.net, vault.Options{Services: lieutenant.New(l.net, lieutenantURL, nil).Discover, Token: l.zone.Credentials().VaultToken})
}

func (l *lab) synTeardown() *destroy.Syn {
	if l.spec.Syn.LieutenantURL == "" {
		return nil
	}
	var secrets []state.VaultSecret
	for _, path := range syn.ListSecretPaths(l.spec) {
		secrets = append(secrets, state.VaultSecret{Path: path})
	}
	return &destroy.Syn{Lieutenant: l.lieutenant(), Vault: l.vault(), Secrets: secrets}
}

// synPicture is what Project Syn holds of the cluster, without what differs between two runs that do the same.
func (l *lab) synPicture() []string {
	l.Helper()
	l.strike.begin(func() {})
	credentials, repository := l.zone.Credentials(), gitURL+"syn%2Ftenants%2F"+tenant+"/repository/"
	facts, err := l.folder.LoadFacts()
	l.must(err)
	cluster := l.asked(http.StatusOK, lieutenantURL+"/clusters/"+l.spec.Cluster.ID, credentials.APIToken)
	for _, changing := range []string{"installURL", "compileMeta", "gitRepo"} {
		delete(cluster[0], changing)
	}
	lines := []string{fmt.Sprint(cluster)}
	for _, path := range syn.ListSecretPaths(l.spec) {
		kept := l.asked(http.StatusOK, vaultURL+"metadata/"+path, credentials.VaultToken)[0]["data"]
		lines = append(lines, fmt.Sprintf("%s: version %v", path, kept.(map[string]any)["current_version"]))
	}
	for _, commit := range l.asked(http.StatusOK, repository+"commits", credentials.GitToken) {
		lines = append(lines, "commit "+text(commit, "title"))
	}
	git, err := l.zone.OpenGit()
	l.must(err)
	files, _, err := git.ReadFiles("syn/tenants/" + tenant)
	l.must(err)
	return append(lines, strings.ReplaceAll(string(files[l.spec.Cluster.ID+".yml"]), facts.Syn.SSHPublicKey, "KEY"))
}

// asked returns the objects that somebody with a token is shown.
func (l *lab) asked(status int, link, token string) []map[string]any {
	l.Helper()
	request, err := http.NewRequestWithContext(context.Background(), http.MethodGet, link, http.NoBody)
	l.must(err)
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("X-Vault-Token", token)
	client := l.net.NewClient()
	defer client.CloseIdleConnections()
	answer, err := client.Do(request)
	l.must(err)
	defer func() { _ = answer.Body.Close() }()
	content, err := io.ReadAll(answer.Body)
	l.must(err)
	if answer.StatusCode != status {
		l.Errorf("GET %s: %s %s", link, answer.Status, content)
	}
	var one map[string]any
	var many []map[string]any
	if json.Unmarshal(content, &many) != nil {
		_ = json.Unmarshal(content, &one) // what is neither has no objects
		many = []map[string]any{one}
	}
	return many
}

// agent is Project Syn inside a cluster where everything takes a moment. It outlives the processes.
type agent struct {
	manifests map[string]bool // by what Steward was installed from
}

func (a *agent) Apply(_ context.Context, manifests []byte) ([]state.AppliedObject, error) {
	if strings.Contains(string(manifests), "STEWARD_TOKEN") {
		a.manifests[string(manifests)] = true
	}
	return nil, nil
}

func (a *agent) GetSynthesis(context.Context) (state.SynStatus, error) {
	well := state.ApplicationStatus{Name: "one", Sync: "Synced", Health: "Healthy"}
	return state.SynStatus{Steward: well, Argo: well, Root: well, Applications: []state.ApplicationStatus{well}}, nil
}

func (*agent) GetACMERegistration(context.Context) (state.ACMERegistration, error) {
	return state.ACMERegistration{FullDomain: "6f1d.acme-dns.example.net"}, nil
}

func (*agent) EnsureMaintenance(context.Context, string) (state.Action, error) {
	return state.Created, nil
}

func (*agent) GetMaintenance(context.Context) (state.Maintenance, error) {
	return state.Maintenance{State: "Succeeded"}, nil
}

func (*agent) EndMaintenance(context.Context) (state.Action, error) { return state.Deleted, nil }

func (*agent) SilenceAlerts(context.Context) error { return nil }

func (*agent) ListAlerts(context.Context) ([]state.Alert, error) { return nil, nil }

// heard is a Lieutenant that hears from the agent once it runs.
type heard struct {
	*lieutenant.Client
	agent *agent
}

func (h heard) GetCluster(ctx context.Context, id string) (state.SynCluster, error) {
	found, err := h.Client.GetCluster(ctx, id)
	if err == nil && len(h.agent.manifests) > 0 {
		found.Catalog.DeployKey = "ssh-ed25519 AAAA"
		found.DynamicFacts = map[string]any{
			"kubernetesVersion": map[string]any{"gitVersion": "v1.33.5"}, "openshiftVersion": map[string]any{"Patch": "5"},
		}
	}
	return found, err
}
