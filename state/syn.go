package state

import (
	"cmp"
	"net/url"
	"slices"
	"time"
)

// SynServices are the addresses that Lieutenant publishes; missing ones are empty.
type SynServices struct {
	DiscoveryURL string // of the single sign-on: the complete URL of the openid-configuration
	ClientID     string // of this program at the single sign-on
	Vault        string // address
	VaultMethod  string // auth method of Vault, e.g. "oidc"
}

// DefaultVaultMount is where Project Syn keeps the secrets of clusters.
const DefaultVaultMount = "clusters/kv"

// GetVaultMount returns the mount of the KV store in Vault.
func (s SynSpec) GetVaultMount() string { return cmp.Or(s.VaultMount, DefaultVaultMount) }

// SynTenant is a tenant of Project Syn.
type SynTenant struct {
	ID, DisplayName string
	Config          GitRepo // its configuration, with one file for each cluster: <cluster>.yml
}

// SynCluster is a cluster as registered in Lieutenant.
type SynCluster struct {
	ID, Tenant, DisplayName string
	Facts                   map[string]string
	DynamicFacts            map[string]any // reported by the cluster, or set so that its catalog can be compiled
	Catalog                 GitRepo        // its compiled catalog; without a URL shortly after the creation
	TenantRevision          string         // of the tenant's configuration, if it is not the tenant's own
	InstallURL              string         // a secret; "" once its token was used or has expired
	Compiled                time.Time      // when the catalog was compiled last; zero: never
}

// GitRepo is a Git repository of Project Syn.
type GitRepo struct {
	URL       string // ssh://git@host/path.git or https://host/path.git
	Revision  string // branch or tag; "": the default branch
	HostKeys  string // lines as in known_hosts
	DeployKey string // "<type> <key>" that may read it; set by Steward
}

// Redacted returns the URL without a password, for display and storage.
func (r GitRepo) Redacted() string {
	parsed, err := url.Parse(r.URL)
	if err != nil || parsed.User == nil {
		return r.URL
	}
	parsed.User = url.User(parsed.User.Username())
	return parsed.String()
}

// YAMLEdit is one change of a YAML document, which leaves everything else in it as it is.
type YAMLEdit struct {
	Path []string // keys from the document's root, e.g. parameters, openshift, baseDomain
	// Value of the key. nil with Item "" removes the key. Strings, booleans, numbers and maps of these.
	Value any
	// Item is a string in the list at Path: it is added if it is missing, or removed if Remove is set.
	Item   string
	Remove bool
	// Over are the values that may be replaced; another one is a foreign edit: a fault.Conflict. nil: any may.
	Over      []any
	Otherwise string // the action for a foreign edit; "": compare both values
	Existing  bool   // the edit applies only if there is a value
	// Files: the edit applies only if the repository has one of them, e.g. openshift4.yml. nil: it applies.
	Files []string
}

// Difference is what edits change in a file.
type Difference struct {
	Repository string // its URL
	File       string
	Commit     string // of the edit; for Compare the commit that was read
	Unified    string // as diff -u shows it; "" if nothing changes
}

// VaultSecret is one value in Vault.
type VaultSecret struct {
	Path string // below the mount, e.g. t-demo/c-demo/registry
	Key  string
}

func (s VaultSecret) String() string { return s.Path + "/" + s.Key }

// SynStatus is the state of the catalog's applications at one poll.
type SynStatus struct {
	Steward      ApplicationStatus   // the agent: Sync is empty
	Argo         ApplicationStatus   // Argo CD as its operator runs it: Sync is empty
	Root         ApplicationStatus   // the application that creates all others
	Applications []ApplicationStatus // all others, sorted by name
}

// ApplicationStatus is the state of one application of Argo CD, in Argo CD's terms.
type ApplicationStatus struct {
	Name    string
	Sync    string // Synced, OutOfSync or Unknown; "": there is none yet
	Health  string // Healthy, Progressing, Degraded, Suspended, Missing or Unknown
	Message string // of the operation that failed last, or the reason of its health
}

// IsHealthy reports whether an application is synced and healthy.
func (a ApplicationStatus) IsHealthy() bool {
	return a.Health == "Healthy" && (a.Sync == "Synced" || a.Sync == "")
}

func (a ApplicationStatus) String() string {
	text := a.Name + " is " + a.Health
	if a.Sync != "" && a.Sync != "Synced" {
		text += ", sync " + a.Sync
	}
	if a.Message != "" {
		text += ": " + a.Message
	}
	return text
}

// Count returns how many applications of the catalog are healthy, including the root once it exists.
func (s SynStatus) Count() (well, all int) {
	for _, one := range append([]ApplicationStatus{s.Root}, s.Applications...) {
		if one.Sync == "" {
			continue
		}
		if all++; one.IsHealthy() {
			well++
		}
	}
	return well, all
}

// AppliedObject is an object with the result of its server-side apply.
type AppliedObject struct {
	Kind, Namespace, Name string
	Action                Action // Created, Updated or Found
}

// ACMERegistration is the account that a cluster registered at acme-dns; its password stays in the cluster.
type ACMERegistration struct {
	Domains    []string // domains of the account, e.g. api.c-demo.example.net; may be empty
	FullDomain string   // target of the _acme-challenge records
}

// Maintenance is the state of the first maintenance.
type Maintenance struct {
	State   string // "", Pending, Running, Succeeded, Failed or Paused
	Message string
}

// Alert is an alert that fires.
type Alert struct {
	Name, Severity, Namespace, Summary string
	Since                              time.Time
	Silenced                           bool
	Known                              string // why it is expected on a new cluster; "" if it needs attention
}

// SynFacts are what the connection to Project Syn discovered or created. They hold no secret.
type SynFacts struct {
	Lieutenant   string    `json:"lieutenant,omitzero"` // URL
	Tenant       string    `json:"tenant,omitzero"`
	Created      time.Time `json:"created,omitzero"`      // registration in Lieutenant: the token is valid from then
	Catalog      string    `json:"catalog,omitzero"`      // URL of its repository
	Commit       string    `json:"commit,omitzero"`       // of the catalog that the cluster was installed with
	SSHPublicKey string    `json:"sshPublicKey,omitzero"` // of the key in Vault, one authorized_keys line
	ClusterUUID  string    `json:"clusterUuid,omitzero"`  // that openshift-install gave the cluster
	IgnitionCA   string    `json:"ignitionCa,omitzero"`   // PEM; CA by which new nodes verify the machine config server
	Written      []string  `json:"written,omitzero"`      // values that this installation may have written into the cluster's configuration
	ManifestUsed time.Time `json:"manifestUsed,omitzero"` // when the one-shot manifest was fetched
	Applied      time.Time `json:"applied,omitzero"`      // when Steward was applied
	Synthesized  time.Time `json:"synthesized,omitzero"`  // when every application was healthy
	Maintained   time.Time `json:"maintained,omitzero"`   // when the first maintenance was over
	OnCall       time.Time `json:"onCall,omitzero"`       // when alerts were enabled for the people on call
	// AdminInvalidated is when openshift-install's kubeconfig was invalidated.
	AdminInvalidated time.Time `json:"adminInvalidated,omitzero"`
	ACME             string    `json:"acme,omitzero"`   // target of the _acme-challenge records
	Alerts           []string  `json:"alerts,omitzero"` // unexpected alerts that fired at the end, one sentence each
}

// RecordGenerated records the values of a generation that the cluster's configuration may have: later ones may replace them.
func (f *SynFacts) RecordGenerated(generated Ignition) {
	written := slices.Clone(f.Written)
	for _, value := range []string{generated.InfraID, generated.ClusterID, string(generated.RootCA)} {
		if !slices.Contains(written, value) {
			written = append(written, value)
		}
	}
	f.Written = written
}
