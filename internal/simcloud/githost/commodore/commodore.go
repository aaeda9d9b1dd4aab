// Package commodore compiles the catalog of a cluster from the configuration of its tenant, as Commodore does: classes, components,
// references to secrets, and a job's trace.
package commodore

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"slices"
	"strings"
	"time"

	"exoshift/internal/simcloud/scenario"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

const commodoreVersion = "v1.33.1"

// DefaultBranch is that of all repositories.
const DefaultBranch = "master"

// newError has the exact wording of the simulated program.
func newError(format string, args ...any) error { return fmt.Errorf(format, args...) }

// Compiler is Commodore.
type Compiler struct {
	GitHost string        // its name, e.g. git.vshn.net
	HostKey ssh.PublicKey // of the Git host
	Faults  scenario.Compilation
}

// Cluster is Lieutenant's data about a cluster, as far as its catalog depends on it.
type Cluster struct {
	ID, Tenant   string
	Facts        map[string]string
	DynamicFacts map[string]any // reported by the cluster; without them it cannot be compiled
	Catalog      string         // path of the catalog's repository, e.g. syn/cluster-catalogs/c-demo
}

// Catalog is a compiled catalog.
type Catalog struct {
	Files        map[string][]byte // by path: manifests, and references to secrets
	Applications []string
}

// Compile compiles the catalog of a cluster from the files of its tenant's configuration. It does what `commodore catalog compile` does,
// with its output.
func (c Compiler) Compile(t *Trace, cluster Cluster, files map[string][]byte) (Catalog, error) {
	t.WriteStep("Updating global config...")
	t.WriteStep("Updating customer config...")
	t.WriteStep("Discovering included components...")
	made, err := render(cluster, files, c.buildParameters(cluster), c.Faults)
	if err != nil {
		return Catalog{}, newError("While rendering inventory: %w", err)
	}
	t.WriteStep("Updating cluster catalog...")
	t.WriteStep("Updating Kapitan secret references...")
	catalog, err := c.compileAll(t, made)
	return Catalog{Files: catalog, Applications: made.applications}, err
}

func (c Compiler) buildParameters(cluster Cluster) map[string]any {
	facts, dynamic := map[string]any{}, map[string]any{}
	for key, value := range cluster.Facts {
		facts[key] = value
	}
	maps.Copy(dynamic, cluster.DynamicFacts)
	return map[string]any{"facts": facts, "dynamic_facts": dynamic, "cluster": map[string]any{
		"name": cluster.ID, "tenant": cluster.Tenant, "catalog_url": "ssh://git@" + c.GitHost + "/" + cluster.Catalog + ".git",
		"catalog_host_keys": knownhosts.Line([]string{c.GitHost}, c.HostKey),
	}}
}

func (c Compiler) compileAll(t *Trace, made inventory) (map[string][]byte, error) {
	catalog := map[string][]byte{}
	t.WriteStep("Compiling catalog...")
	for _, name := range made.applications {
		if !isKnownComponent(name) {
			return nil, newError("Unknown component '%s': no version or url for it in parameters.components", name)
		}
		files, err := BuildComponent(name, made.parameters)
		if err == nil && c.Faults.CompileFailure && name == "openshift4-monitoring" {
			err = formatJsonnetError(name, errors.New("couldn't open import \"lib/prometheus.libsonnet\": no match locally or in the Jsonnet library paths"))
		}
		if err != nil {
			return nil, err
		}
		for file, content := range files {
			catalog[path.Join("manifests", name, file)] = content
		}
		if err := addApplication(catalog, name, made); err != nil {
			return nil, err
		}
		t.WriteLines("Compiled " + name + " (0.21s)")
	}
	writeSecretReferences(catalog, made)
	t.WriteStep("Postprocessing...")
	return catalog, nil
}

// addApplication skips the component whose manifests are not for the cluster itself.
func addApplication(catalog map[string][]byte, name string, made inventory) error {
	if name == "openshift4-terraform" {
		return nil
	}
	text, err := execute(application, with(made.parameters, "application", name))
	catalog["manifests/apps/"+name+".yaml"] = text
	return err
}

const application = `apiVersion: argoproj.io/v1alpha1
kind: Application
metadata:
  name: {{.application}}
  namespace: syn
  labels: {name: {{.application}}}
spec:
  project: syn
  destination: {server: "https://kubernetes.default.svc", namespace: syn-{{.application}}}
  source: {repoURL: {{quote .cluster.catalog_url}}, targetRevision: HEAD, path: manifests/{{.application}}}
  syncPolicy: {automated: {prune: true, selfHeal: true}}
`

var secretReference = regexp.MustCompile(`\?\{vaultkv:([A-Za-z0-9_./-]+/[A-Za-z0-9_.-]+)\}`)

// writeSecretReferences writes a file per reference in the parameters, and appends hashes to the references. Those of components
// that the cluster does not have are skipped.
func writeSecretReferences(catalog map[string][]byte, made inventory) {
	all, _ := toJSON(filterParameters(made)) // decoded from YAML
	marks := map[string]string{}
	for _, found := range secretReference.FindAllStringSubmatch(all, -1) {
		file := renderReferenceFile(found[1])
		catalog["refs/"+found[1]] = file
		sum := sha256.Sum256(file)
		marks[found[1]] = hex.EncodeToString(sum[:4])
	}
	for name, content := range catalog {
		if strings.HasPrefix(name, "manifests/") {
			catalog[name] = secretReference.ReplaceAllFunc(content, func(text []byte) []byte {
				place := secretReference.FindSubmatch(text)[1]
				return fmt.Appendf(nil, "?{vaultkv:%s:%s}", place, marks[string(place)])
			})
		}
	}
}

// filterParameters removes the parameters of components that the cluster does not have.
func filterParameters(made inventory) map[string]any {
	kept := maps.Clone(made.parameters)
	maps.DeleteFunc(kept, func(key string, _ any) bool {
		name := strings.ReplaceAll(key, "_", "-")
		return isKnownComponent(name) && !slices.Contains(made.applications, name)
	})
	return kept
}

func renderReferenceFile(place string) []byte {
	secret, key := path.Split(place)
	data := base64.StdEncoding.EncodeToString([]byte(strings.TrimSuffix(secret, "/") + ":" + key))
	return fmt.Appendf(nil, `data: %s
encoding: original
type: vaultkv
vault_params:
  VAULT_ADDR: https://vault-prod.syn.vshn.net
  VAULT_CAPATH: /etc/ssl/certs/
  VAULT_SKIP_VERIFY: 'False'
  auth: token
  engine: kv-v2
  mount: clusters/kv
`, data)
}

// BuildCompileMeta returns what Commodore reports to Lieutenant of a compilation: its end, and the commit of the tenant's configuration.
func (c Compiler) BuildCompileMeta(made Catalog, project, commit string, end time.Time) map[string]any {
	instances := map[string]any{}
	for _, name := range made.Applications {
		instances[name] = map[string]any{"component": name, "url": "https://github.com/projectsyn/component-" + name + ".git", "version": "v1.0.0"}
	}
	return map[string]any{
		"lastCompile": end.UTC().Format(time.RFC3339), "commodoreBuildInfo": map[string]string{"version": commodoreVersion, "gitVersion": "2.47.3"},
		"tenant":    map[string]any{"url": "ssh://git@" + c.GitHost + "/" + project + ".git", "version": DefaultBranch, "gitSha": commit},
		"global":    map[string]any{"url": "ssh://git@" + c.GitHost + "/syn/commodore-defaults.git", "version": "HEAD"},
		"instances": instances, "packages": map[string]any{},
	}
}
