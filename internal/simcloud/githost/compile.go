package githost

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"

	"exoshift/internal/simcloud/githost/commodore"
)

func sortKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }

// compiler runs Commodore in the jobs of pipelines.
type compiler struct {
	commodore.Compiler
	config       Config
	repositories *Repositories
}

// compile does what `commodore catalog compile --push` does, with its output.
func (c *compiler) compile(p pipeline, j job) (*commodore.Trace, error) {
	t := commodore.NewTrace(j.Begins, p.SHA, j.Cluster)
	err := c.compileInto(t, p, j)
	t.Close(j.Ends, err)
	return t, err
}

func (c *compiler) compileInto(t *commodore.Trace, p pipeline, j job) error {
	cluster, known := c.config.Clusters(j.Cluster)
	if !known {
		return newProtocolError("While fetching cluster specification: API error: 404 Reason: clusters.syn.tools '%s' not found", j.Cluster)
	}
	found, _ := c.repositories.find(p.Project)
	files, err := c.repositories.openStorage(found).readFiles(plumbing.NewHash(p.SHA))
	if err != nil {
		return err
	}
	catalog, err := c.Compile(t, commodore.Cluster{
		ID: j.Cluster, Tenant: cluster.Tenant, Facts: cluster.Facts, DynamicFacts: cluster.DynamicFacts, Catalog: normalizePath(cluster.Catalog),
	}, files)
	if err != nil {
		return err
	}
	t.WriteStep("Updating catalog repository...")
	if err := c.pushCatalog(t, cluster.Catalog, catalog.Files, p.SHA); err != nil {
		return err
	}
	t.WriteStep("Catalog compiled! 🎉")
	c.config.Compiled(j.Cluster, c.BuildCompileMeta(catalog, p.Project, p.SHA, j.Ends))
	return nil
}

// pushCatalog replaces the manifests and references of a catalog, if they changed.
func (c *compiler) pushCatalog(t *commodore.Trace, name string, catalog map[string][]byte, revision string) error {
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
		t.WriteLines(" > No changes.\n > Skipping commit+push to catalog...")
		return nil
	}
	t.WriteLines(" > Changes:\n" + strings.Join(changes, "\n") + "\n > Commiting changes...\n > Pushing catalog to remote...") //nolint:misspell // Commodore's words
	t.WriteLines("   " + commit[:7])
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
