package install

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"slices"
	"sync"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/provisioner/manifests"
	"exoshift/state"
)

// connection is what the steps of Project Syn have found out.
type connection struct {
	mu      sync.Mutex // one sign-in at a time: a person can only be asked for one
	tenant  state.SynTenant
	cluster state.SynCluster
	keys    map[string]state.APIKey // by policy: what Vault keeps of them, once it was read
	unseen  bool                    // a preview goes on without: nobody is signed in
	onCall  bool                    // alerts are about to reach people: nothing keeps them back any more
}

// Names of the steps that others need.
const (
	stepLieutenant    = "lieutenant"
	stepVault         = "vault"
	stepConfiguration = "configuration"
	stepRegister      = "register"
	stepSecrets       = "secrets"
	stepCatalog       = "catalog"
	stepToken         = "bootstrap-token"
	stepIdentity      = "identity"
	stepInitial       = "initial-manifests"
	stepSteward       = "steward"
	stepSynthesis     = "synthesis"
	stepMaintenance   = "first-maintenance"
	stepAlerts        = "alerts"
)

// connected tells whether Project Syn is to take the cluster over.
func (i *Installation) connected() bool { return i.spec.Syn.LieutenantURL != "" }

// synPreflightSteps only look; nobody signs in twice at a time.
func (i *Installation) synPreflightSteps() provisioner.Plan {
	if !i.connected() {
		return nil
	}
	return provisioner.Plan{
		{ID: stepLieutenant, Phase: Preflight, Title: "Ask Lieutenant about tenant and cluster", Do: i.askLieutenant},
		{ID: stepVault, Phase: Preflight, Title: "Sign in at Vault", Do: i.checkVault, Needs: on(stepLieutenant)},
		{ID: stepConfiguration, Phase: Preflight, Title: "Compare the cluster's configuration", Do: i.compareConfiguration,
			Needs: on(stepLieutenant)},
	}
}

// registerSteps make the cluster known, before anything is generated.
func (i *Installation) registerSteps() provisioner.Plan {
	if !i.connected() {
		return nil
	}
	return provisioner.Plan{
		{ID: stepRegister, Phase: Infrastructure, Title: "Register the cluster in Lieutenant", Do: i.registerCluster,
			Needs: on("quotas"), Usual: time.Minute},
		{ID: stepSecrets, Phase: Infrastructure, Title: "Put the cluster's secrets into Vault", Do: i.putSecrets,
			Needs: on(stepRegister)},
		{ID: stepCatalog, Phase: Infrastructure, Title: "Have the cluster's catalog compiled", Do: i.firstCatalog,
			Needs: on(stepSecrets), Usual: 3 * time.Minute},
	}
}

// tokenSteps come before the first machine.
func (i *Installation) tokenSteps() provisioner.Plan {
	if !i.connected() {
		return nil
	}
	return provisioner.Plan{{ID: stepToken, Phase: Infrastructure, Title: "See that the bootstrap token is still valid",
		Do: i.checkTokenAgain, Needs: on(stepRegister, "delegation")}}
}

// Registers tells whether a step of another phase belongs to Project Syn.
func Registers(step string) bool {
	return slices.Contains([]string{stepRegister, stepSecrets, stepCatalog, stepToken}, step)
}

// synSteps hand the cluster over to Project Syn.
func (i *Installation) synSteps() provisioner.Plan {
	if !i.connected() {
		return nil
	}
	plan := provisioner.Plan{
		{ID: stepIdentity, Phase: Syn, Title: "Write the cluster's identity into its configuration", Do: i.finalCatalog,
			Needs: on("ignition", "image", stepCatalog), Usual: 3 * time.Minute},
		{ID: stepInitial, Phase: Syn, Title: "Apply what the catalog needs from the start", Do: i.applyInitial(),
			Needs: on("nodes", stepIdentity)},
		{ID: stepSteward, Phase: Syn, Title: "Start Steward, the agent of Project Syn", Do: i.steward,
			Needs: on("cluster-version", stepInitial, stepIdentity)},
	}
	if i.spec.DNS.ACME {
		plan = append(plan, provisioner.Step{ID: "acme", Phase: Syn, Title: "Lead ACME's challenges to the cluster's account",
			Do: i.acme(), Needs: on(stepSteward, "dns"), Usual: 8 * time.Minute})
	}
	return append(plan, provisioner.Plan{
		{ID: stepSynthesis, Phase: Syn, Title: "Wait until every application is synced and healthy", Do: i.synthesis(),
			Needs: on(stepSteward), Usual: 10 * time.Minute},
		{ID: "reported", Phase: Syn, Title: "See the cluster's own facts in Lieutenant", Do: i.reported(),
			Needs: on(stepSteward), Usual: 2 * time.Minute},
		{ID: stepMaintenance, Phase: Syn, Title: "Have the cluster maintained for the first time", Do: i.firstMaintenance,
			Needs: on(stepSynthesis), Usual: 10 * time.Minute},
		{ID: stepAlerts, Phase: Syn, Title: "Look at the alerts", Do: i.lookAtAlerts,
			Needs: on(stepMaintenance)},
		{ID: "on-call", Phase: Syn, Title: "Have alerts reach the people on call", Do: i.onCall,
			Needs: on(stepAlerts)},
	}...)
}

// lieutenant returns Lieutenant once somebody is signed in there.
func (i *Installation) lieutenant(ctx context.Context, report provisioner.Report) (Lieutenant, error) {
	i.syn.mu.Lock()
	defer i.syn.mu.Unlock()
	show, done := i.shown(report)
	defer done()
	return i.world.Syn.Lieutenant, blame(i.world.Syn.Lieutenant.SignIn(ctx, show), "syn.lieutenantURL", fault.Invalid)
}

// vault returns Vault once somebody is signed in there.
func (i *Installation) vault(ctx context.Context, report provisioner.Report) (Vault, error) {
	i.syn.mu.Lock()
	defer i.syn.mu.Unlock()
	show, done := i.shown(report)
	defer done()
	return i.world.Syn.Vault, i.world.Syn.Vault.SignIn(ctx, show)
}

// shown tells that the step waits for a person; done takes that back if it was told. Without anybody there it is nil.
func (i *Installation) shown(report provisioner.Report) (show Show, done func()) {
	if i.options.Show == nil {
		return nil, func() {}
	}
	asked := false
	show = func(ctx context.Context, url string) error {
		asked = true
		tellErrand(report, "sign in in a browser: "+url)
		return i.options.Show(ctx, url)
	}
	return show, func() {
		if asked {
			tellErrand(report, "")
		}
	}
}

// catalogDir is where the compiled catalog is: as the answers say, or where an earlier step has put it; "" before that.
func (i *Installation) catalogDir() string {
	if i.spec.Syn.CatalogDir != "" {
		return i.spec.Syn.CatalogDir
	}
	dir := i.folder.Path(state.CatalogDir)
	if !i.connected() {
		return ""
	}
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return dir
}

// sshKeys are the keys by which people get into the nodes, a line each: the operator's, and that in Vault.
func (i *Installation) sshKeys() string {
	keys := i.spec.OpenShift.SSHKey
	if kept := i.Facts().Syn.SSHPublicKey; kept != "" && kept != keys {
		keys += "\n" + kept
	}
	return keys
}

// rememberSyn changes the facts about Project Syn.
func (i *Installation) rememberSyn(change func(*state.SynFacts)) error {
	return i.remember(func(facts *state.Facts) { change(&facts.Syn) })
}

// resolver finds the secrets that a catalog refers to; nil where there is no Vault.
func (i *Installation) resolver(ctx context.Context, report provisioner.Report) manifests.Resolve {
	if !i.connected() {
		return nil
	}
	return func(wanted state.VaultSecret) (string, error) {
		vault, err := i.vault(ctx, report)
		if err != nil {
			return "", err
		}
		values, err := vault.Secret(ctx, wanted.Path)
		if err != nil {
			return "", fmt.Errorf("read %s in Vault: %w", wanted.Path, err)
		}
		if value, found := values[wanted.Key]; found {
			return value, nil
		}
		return "", fault.Newf(fault.NotFound, "read "+wanted.String()+" in Vault", "the secret has no such key")
	}
}
