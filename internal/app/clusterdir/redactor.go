package clusterdir

import (
	"os"
	"path/filepath"

	"exoshift/internal/app/environment"
	"exoshift/internal/redact"
	"exoshift/state"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/local"
)

// NewRedactor returns a redactor with the identities of the folder's cluster and the secrets of its answers. Damaged
// answers are not an error: support is needed then, too.
func NewRedactor(folder state.Folder) *redact.Redactor {
	r := redact.New()
	facts, _ := folder.LoadFacts()
	r.AddIdentity(redact.Cluster, facts.ClusterID)
	r.AddIdentity(redact.Path, folder.Path())
	if home, err := os.UserHomeDir(); err == nil && home != string(filepath.Separator) {
		r.AddIdentity(redact.Path, home)
	}
	content, _ := folder.Read(state.AnswersFile)
	spec, _ := answersfile.Parse(state.AnswersFile, content)
	if spec.Cluster.ID != facts.ClusterID {
		r.AddIdentity(redact.Cluster, spec.Cluster.ID)
	}
	r.AddIdentity(redact.Domain, spec.Cluster.BaseDomain)
	r.AddIdentity(redact.Domain, spec.DNS.AppsDomain)
	for _, name := range []string{spec.Cluster.DisplayName, spec.Syn.Tenant, spec.Exoscale.DeployTarget} {
		r.AddIdentity(redact.Tenant, name)
	}
	lookup := environment.LookupEnv
	if facts.Rehearsal {
		lookup = environment.LookupRehearsalSecret
	}
	secrets, _ := local.ResolveSecrets(spec, lookup) // missing secrets can only be matched by pattern
	r.AddSecret(redact.Key, secrets.APIKey)
	r.AddSecret(redact.Key, secrets.APISecret)
	r.AddSecret(redact.Password, secrets.PullSecret)
	r.ScanSecrets([]byte(secrets.PullSecret))
	return r
}
