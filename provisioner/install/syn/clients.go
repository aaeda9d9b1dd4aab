package syn

import (
	"context"

	"exoshift/state"
)

// Clients is the clients of Project Syn's services, nil without Project Syn.
type Clients struct {
	Lieutenant Lieutenant
	Vault      Vault
	Git        Git
	Compiler   Compiler
	Cluster    GitOps
}

// Show opens a login page for the user; an error ends the attempt.
type Show = func(ctx context.Context, url string) error

// Lieutenant stores the tenants and clusters of Project Syn. Every call but FetchInstallManifest needs a sign-in and
// fails with fault.Denied without one that is valid.
type Lieutenant interface {
	// SignIn gets a token, from the environment, from an earlier login that is stored, or by a login of the user. It
	// returns at once while it has a valid one. fault.Waiting: a login is needed, and show is nil.
	SignIn(ctx context.Context, show Show) error
	// GetTenant fails with fault.NotFound for one that does not exist or that the user may not read.
	GetTenant(ctx context.Context, id string) (state.SynTenant, error)
	// GetCluster fails with fault.NotFound.
	GetCluster(ctx context.Context, id string) (state.SynCluster, error)
	// EnsureCluster creates the cluster and waits until its catalog has a repository, or adds missing facts and the name
	// to an existing one. A cluster of another tenant, or with other facts than wanted, is a fault.Conflict. The action is
	// state.Created beside an error, too, if the cluster was created.
	EnsureCluster(ctx context.Context, wanted state.SynCluster) (state.SynCluster, state.Action, error)
	// EnsureDynamicFacts sets facts that the cluster has not reported yet; reported ones are kept.
	EnsureDynamicFacts(ctx context.Context, id string, facts map[string]any) (state.Action, error)
	// CheckInstallURL fails with fault.Invalid unless FetchInstallManifest would use the URL.
	CheckInstallURL(installURL string) error
	// FetchInstallManifest fetches Steward's manifests. This works once: the caller stores them before anything else.
	// fault.Conflict: the token was used or has expired.
	FetchInstallManifest(ctx context.Context, installURL string) ([]byte, error)
}

// Vault stores the secrets of clusters. Paths are below its mount for clusters, e.g. "t-demo/c-demo/registry".
type Vault interface {
	// SignIn gets a token like Lieutenant's.
	SignIn(ctx context.Context, show Show) error
	// Check fails with fault.Denied unless secrets below path may be read and created.
	Check(ctx context.Context, path string) error
	// GetSecret returns the newest version of a secret, or fault.NotFound.
	GetSecret(ctx context.Context, path string) (map[string]string, error)
	// EnsureSecret writes those keys of a secret that are missing. Existing keys are never changed.
	EnsureSecret(ctx context.Context, path string, wanted map[string]string) (state.Action, error)
	// SetSecret sets values in the newest version; its other keys are kept. It writes only over the version that it has
	// read.
	SetSecret(ctx context.Context, path string, values map[string]string) (state.Action, error)
	// ListMissing returns those of the values that do not exist, in order.
	ListMissing(ctx context.Context, wanted []state.VaultSecret) ([]state.VaultSecret, error)
}

// Git accesses the repositories of Project Syn.
type Git interface {
	// Compare returns what edits would change in a file, which may not exist yet. It changes nothing. fault.Conflict: a
	// foreign value, or an anchor that others share; fault.Invalid: the file is no YAML.
	Compare(ctx context.Context, repo state.GitRepo, file string, edits []state.YAMLEdit) (state.Difference, error)
	// Commit applies the edits to the newest commit, retries if another push is faster, and never overwrites commits.
	// Without changes there is no commit.
	Commit(ctx context.Context, repo state.GitRepo, file string, edits []state.YAMLEdit, message string) (state.Difference, error)
	// Fetch puts the files of the newest commit into dir, in place of its old content, and returns the commit. A
	// repository without a commit is fault.NotFound.
	Fetch(ctx context.Context, repo state.GitRepo, dir string) (commit string, err error)
	// ListWantedSecrets returns the secrets that a compiled catalog in dir refers to, by its files below refs, sorted. One
	// in another store of Vault than that at mount is a fault.Invalid.
	ListWantedSecrets(dir, mount string) ([]state.VaultSecret, error)
}

// Compiler compiles the catalog of a cluster.
type Compiler interface {
	// CheckReady describes the compiler in one sentence: the pipeline of the tenant's repository, or commodore on this
	// machine. fault.NotFound: there is none.
	CheckReady(ctx context.Context, tenant state.SynTenant, cluster state.SynCluster) (string, error)
	// Compile waits until the catalog is compiled from commit of the tenant's repository. said is called with the
	// progress. fault.Invalid: the configuration cannot be compiled, with the compiler's message.
	Compile(ctx context.Context, tenant state.SynTenant, cluster state.SynCluster, commit string, report func(text string)) error
}

// GitOps is the cluster during its handover to Project Syn. Errors of an API that does not answer are fault.Transient.
type GitOps interface {
	// Apply applies manifests, YAML documents or one JSON List, by server-side apply; kinds and namespaces first. Fields
	// of other managers are a fault.Conflict that names them.
	Apply(ctx context.Context, manifests []byte) ([]state.AppliedObject, error)
	// GetSynthesis polls once.
	GetSynthesis(ctx context.Context) (state.SynStatus, error)
	// GetACMERegistration returns the cluster's account at acme-dns; fault.Transient until it exists.
	GetACMERegistration(ctx context.Context) (state.ACMERegistration, error)
	// EnsureMaintenance starts the first maintenance at once, as the UpgradeConfig of that name would. fault.NotFound:
	// the cluster has no such controller; fault.Transient: not yet that UpgradeConfig.
	EnsureMaintenance(ctx context.Context, window string) (state.Action, error)
	// GetMaintenance returns its state.
	GetMaintenance(ctx context.Context) (state.Maintenance, error)
	// EndMaintenance deletes what EnsureMaintenance created.
	EndMaintenance(ctx context.Context) (state.Action, error)
	// SilenceAlerts runs the cluster's own job that silences the alerts without an action. fault.Transient: it runs;
	// fault.NotFound: there is no such job.
	SilenceAlerts(ctx context.Context) error
	// ListAlerts returns the alerts that fire, unexpected ones first.
	ListAlerts(ctx context.Context) ([]state.Alert, error)
}
