package githost

import (
	"bytes"
	"context"
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

	"github.com/go-git/go-git/v5/plumbing"
	"golang.org/x/crypto/ssh/knownhosts"
)

const commodoreVersion = "v1.33.1"

func sortKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// compiler is Commodore.
type compiler struct {
	config       Config
	repositories *Repositories
}

// compile does what `commodore catalog compile --push` does, with its output.
func (c *compiler) compile(_ context.Context, p pipeline, j job) (*tracer, error) {
	t := newJobTrace(p, j)
	err := c.compileInto(t, p, j)
	t.close(j.Ends, err)
	return t, err
}

func (c *compiler) compileInto(t *tracer, p pipeline, j job) error {
	cluster, known := c.config.Clusters(j.Cluster)
	if !known {
		return newProtocolError("While fetching cluster specification: API error: 404 Reason: clusters.syn.tools '%s' not found", j.Cluster)
	}
	found, _ := c.repositories.find(p.Project)
	files, err := c.repositories.openStorage(found).readFiles(plumbing.NewHash(p.SHA))
	if err != nil {
		return err
	}
	t.writeStep("Updating global config...")
	t.writeStep("Updating customer config...")
	t.writeStep("Discovering included components...")
	made, err := render(j.Cluster, cluster, files, c.buildParameters(j.Cluster, cluster), c.config.Faults)
	if err != nil {
		return newProtocolError("While rendering inventory: %w", err)
	}
	t.writeStep("Updating cluster catalog...")
	t.writeStep("Updating Kapitan secret references...")
	catalog, err := c.compileAll(t, made)
	if err != nil {
		return err
	}
	t.writeStep("Updating catalog repository...")
	if err := c.pushCatalog(t, cluster.Catalog, catalog, p.SHA); err != nil {
		return err
	}
	t.writeStep("Catalog compiled! 🎉")
	c.config.Compiled(j.Cluster, c.buildCompileMeta(made, p, j))
	return nil
}

func (c *compiler) buildParameters(id string, cluster Cluster) map[string]any {
	facts, dynamic := map[string]any{}, map[string]any{}
	for key, value := range cluster.Facts {
		facts[key] = value
	}
	maps.Copy(dynamic, cluster.DynamicFacts)
	return map[string]any{"facts": facts, "dynamic_facts": dynamic, "cluster": map[string]any{
		"name": id, "tenant": cluster.Tenant, "catalog_url": "ssh://git@" + c.config.Host + "/" + normalizePath(cluster.Catalog) + ".git",
		"catalog_host_keys": knownhosts.Line([]string{c.config.Host}, c.config.HostKey.PublicKey()),
	}}
}

func (c *compiler) compileAll(t *tracer, made inventory) (map[string][]byte, error) {
	catalog := map[string][]byte{}
	t.writeStep("Compiling catalog...")
	for _, name := range made.applications {
		if !isKnownComponent(name) {
			return nil, newProtocolError("Unknown component '%s': no version or url for it in parameters.components", name)
		}
		files, err := build(name, made.parameters)
		if err == nil && c.config.Faults.CompileFailure && name == "openshift4-monitoring" {
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
		t.writeLines("Compiled " + name + " (0.21s)")
	}
	writeSecretReferences(catalog, made)
	t.writeStep("Postprocessing...")
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

// pushCatalog replaces the manifests and references of a catalog, if they changed.
func (c *compiler) pushCatalog(t *tracer, name string, catalog map[string][]byte, revision string) error {
	message := fmt.Sprintf("Automated catalog update from Commodore\n\nConfiguration commits:\n * customer: %s\n\nCompilation timestamp: %s",
		revision[:7], c.config.Clock.Now().UTC().Format("2006-01-02T15:04:05.000"))
	var changes []string
	commit, err := c.repositories.commit(name, message, func(files map[string][]byte) {
		before := maps.Clone(files)
		maps.DeleteFunc(files, func(name string, _ []byte) bool {
			return strings.HasPrefix(name, "manifests/") || strings.HasPrefix(name, "refs/")
		})
		maps.Copy(files, catalog)
		if _, ok := files["README.md"]; !ok {
			files["README.md"] = []byte("# Cluster catalog\n\nCompiled by Commodore. Whatever is changed by hand here is lost with the next compilation.\n")
		}
		changes = listChanged(before, files)
	})
	if err != nil {
		return newProtocolError("Failed to push to the catalog repository: %w", err)
	}
	if len(changes) == 0 {
		t.writeLines(" > No changes.\n > Skipping commit+push to catalog...")
		return nil
	}
	t.writeLines(" > Changes:\n" + strings.Join(changes, "\n") + "\n > Commiting changes...\n > Pushing catalog to remote...") //nolint:misspell // Commodore's words
	t.writeLines("   " + commit[:7])
	return nil
}

func listChanged(before, after map[string][]byte) []string {
	var changes []string
	for _, name := range sortKeys(after) {
		if old, ok := before[name]; !ok {
			changes = append(changes, "     Added file "+name)
		} else if !bytes.Equal(old, after[name]) {
			changes = append(changes, "     Changed file "+name)
		}
	}
	for _, name := range sortKeys(before) {
		if _, ok := after[name]; !ok {
			changes = append(changes, "     Deleted file "+name)
		}
	}
	return changes
}

func (c *compiler) buildCompileMeta(made inventory, p pipeline, j job) map[string]any {
	instances := map[string]any{}
	for _, name := range made.applications {
		instances[name] = map[string]any{"component": name, "url": "https://github.com/projectsyn/component-" + name + ".git", "version": "v1.0.0"}
	}
	return map[string]any{
		"lastCompile": j.Ends.UTC().Format(time.RFC3339), "commodoreBuildInfo": map[string]string{"version": commodoreVersion, "gitVersion": "2.47.3"},
		"tenant":    map[string]any{"url": "ssh://git@" + c.config.Host + "/" + p.Project + ".git", "version": defaultBranch, "gitSha": p.SHA},
		"global":    map[string]any{"url": "ssh://git@" + c.config.Host + "/syn/commodore-defaults.git", "version": "HEAD"},
		"instances": instances, "packages": map[string]any{},
	}
}
