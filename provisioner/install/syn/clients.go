package syn

import (
	"context"

	"exoshift/state"
)

// Clients is Project Syn, as far as an installation uses it. One that is not connected has none.
type Clients struct {
	Lieutenant Lieutenant
	Vault      Vault
	Git        Git
	Compiler   Compiler
	Cluster    GitOps
}

// Show leads a person to a page where they sign in; what it returns ends the attempt.
type Show = func(ctx context.Context, url string) error

// Lieutenant keeps the tenants and clusters of Project Syn. Every call but FetchInstallManifest needs a sign-in and fails with
// fault.Denied without one that is valid.
type Lieutenant interface {
	// SignIn gets a token, from the environment, from what is kept of an earlier sign-in, or from a person. It returns at
	// once while it has a valid one. fault.Waiting: only a person could, and show is nil.
	SignIn(ctx context.Context, show Show) error
	// Tenant fails with fault.NotFound for one that does not exist or that the person may not see.
	GetTenant(ctx context.Context, id string) (state.SynTenant, error)
	// Cluster fails with fault.NotFound.
	GetCluster(ctx context.Context, id string) (state.SynCluster, error)
	// EnsureCluster creates the cluster and waits until its catalog has a repository, or gives an existing one the facts
	// and the name that it lacks. A cluster of another tenant, or with other facts than wanted, is a fault.Conflict.
	EnsureCluster(ctx context.Context, wanted state.SynCluster) (state.SynCluster, state.Action, error)
	// EnsureDynamicFacts gives a cluster facts that it has not reported yet; what it reported stays.
	EnsureDynamicFacts(ctx context.Context, id string, facts map[string]any) (state.Action, error)
	// FetchInstallManifest fetches what Steward is installed from. It can be had once: whoever has it keeps it before anything
	// else. fault.Conflict: the token was used or has ended.
	FetchInstallManifest(ctx context.Context, installURL string) ([]byte, error)
}

// Vault keeps the secrets of clusters. Paths are below its mount for clusters, e.g. "t-demo/c-demo/registry".
type Vault interface {
	// SignIn gets a token as that of Lieutenant does.
	SignIn(ctx context.Context, show Show) error
	// Check fails with fault.Denied unless secrets below path may be read and created.
	Check(ctx context.Context, path string) error
	// Secret returns the newest version of a secret, or fault.NotFound.
	GetSecret(ctx context.Context, path string) (map[string]string, error)
	// EnsureSecret writes those keys of a secret that are missing. What is there is never changed.
	EnsureSecret(ctx context.Context, path string, wanted map[string]string) (state.Action, error)
	// SetSecret makes the values those of the newest version; other keys of it stay. It writes only over the version that
	// it has read.
	SetSecret(ctx context.Context, path string, values map[string]string) (state.Action, error)
	// Missing returns those of the values that do not exist, in order.
	ListMissing(ctx context.Context, wanted []state.VaultSecret) ([]state.VaultSecret, error)
}

// Git is the repositories of Project Syn.
type Git interface {
	// Compare says what edits would change in a file, which may not exist yet. It changes nothing. fault.Conflict: a place
	// holds a value that somebody else wrote, or an anchor that others share; fault.Invalid: it is no YAML.
	Compare(ctx context.Context, repo state.GitRepo, file string, edits []state.YAMLEdit) (state.Difference, error)
	// Commit carries the edits out on top of the newest commit, again if somebody is faster, and never over anybody's
	// commit. Nothing is committed if nothing changes.
	Commit(ctx context.Context, repo state.GitRepo, file string, edits []state.YAMLEdit, message string) (state.Difference, error)
	// Fetch puts the files of the newest commit into dir, in place of all that was there, and returns the commit. A
	// repository without a commit is fault.NotFound.
	Fetch(ctx context.Context, repo state.GitRepo, dir string) (commit string, err error)
	// Wanted returns the secrets that a compiled catalog in dir needs, by its files below refs, sorted.
	ListWantedSecrets(dir string) ([]state.VaultSecret, error)
}

// Compiler makes the catalog of a cluster.
type Compiler interface {
	// Ready says who would compile, one sentence: the pipeline of the tenant's repository, or commodore on this machine.
	// fault.NotFound: nobody can.
	CheckReady(ctx context.Context, tenant state.SynTenant, cluster state.SynCluster) (string, error)
	// Compile waits until the catalog is made from commit of the tenant's repository. said hears how far it is.
	// fault.Invalid: the configuration cannot be compiled, with the compiler's own words.
	Compile(ctx context.Context, tenant state.SynTenant, cluster state.SynCluster, commit string, said func(text string)) error
}

// GitOps is the cluster while Project Syn takes it over. Errors of an API that does not answer are fault.Transient.
type GitOps interface {
	// Apply makes the objects of manifests, YAML documents or one JSON List, by server-side apply; kinds and namespaces
	// first. Fields that others own are a fault.Conflict that names them.
	Apply(ctx context.Context, manifests []byte) ([]state.AppliedObject, error)
	// Synthesis takes one look.
	GetSynthesis(ctx context.Context) (state.SynStatus, error)
	// ACMERegistration returns the account that the cluster made at acme-dns; fault.Transient until it has.
	GetACMERegistration(ctx context.Context) (state.ACMERegistration, error)
	// EnsureMaintenance schedules the first maintenance, as the UpgradeConfig of that name would, at once.
	// fault.NotFound: the cluster has no such controller; fault.Transient: not yet that UpgradeConfig.
	EnsureMaintenance(ctx context.Context, window string) (state.Action, error)
	// Maintenance returns how far it is.
	GetMaintenance(ctx context.Context) (state.Maintenance, error)
	// EndMaintenance takes back what EnsureMaintenance made.
	EndMaintenance(ctx context.Context) (state.Action, error)
	// SilenceAlerts has the cluster's own job silence the alerts that nobody acts on. fault.Transient: it runs;
	// fault.NotFound: there is no such job.
	SilenceAlerts(ctx context.Context) error
	// Alerts returns the alerts that fire, those that nobody expects first.
	ListAlerts(ctx context.Context) ([]state.Alert, error)
}
