package syn

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

const (
	kindConfiguration = "configuration"
	compiledEvery     = 15 * time.Second
	limitCompile      = 30 * time.Minute
)

func (c *Connection) compareConfiguration(ctx context.Context, report provisioner.Report) error {
	difference, err := c.computeDifference(ctx)
	if err != nil {
		return err
	}
	if difference.Unified != "" {
		report.EmitProgress(fmt.Sprintf("%s in %s gets %s", difference.File, difference.Repository, formatChanges(difference.Unified)))
	}
	who, err := c.clients.Compiler.CheckReady(ctx, c.tenant, c.cluster)
	switch {
	case err == nil:
		report.EmitProgress(who)
	case fault.Is(err, fault.NotFound):
		report.EmitProgress("nobody compiles the catalog by itself: you will be asked to (" + err.Error() + ")")
	default:
		return err
	}
	return nil
}

func (c *Connection) computeDifference(ctx context.Context) (state.Difference, error) {
	return c.clients.Git.Compare(ctx, c.tenantRepo(), c.configurationFile(), c.buildEdits())
}

func formatChanges(unified string) string {
	more, fewer := 0, 0
	for line := range strings.Lines(unified) {
		switch {
		case strings.HasPrefix(line, "+++"), strings.HasPrefix(line, "---"):
		case strings.HasPrefix(line, "+"):
			more++
		case strings.HasPrefix(line, "-"):
			fewer++
		}
	}
	return fmt.Sprintf("%d new and %d fewer lines", more, fewer)
}

func (c *Connection) compileFirstCatalog(ctx context.Context, report provisioner.Report) error {
	if c.Facts.Get().Syn.ClusterUUID != "" {
		again, err := c.Renews(ctx)
		if err != nil {
			return err
		}
		if !again {
			return provisioner.Skip("the cluster was generated with it already")
		}
		// The next generation has another identity, and needs the complete configuration of a new cluster.
		if err := c.updateFacts(func(facts *state.SynFacts) { facts.ClusterUUID, facts.IgnitionCA = "", "" }); err != nil {
			return err
		}
	}
	return c.configure(ctx, report, "Add cluster "+c.Spec.Cluster.ID, c.Spec.Syn.CatalogDir == "")
}

// Vault needs every secret that this catalog refers to.
func (c *Connection) compileFinalCatalog(ctx context.Context, report provisioner.Report) error {
	generated := c.Generated()
	err := c.updateFacts(func(facts *state.SynFacts) {
		facts.ClusterUUID, facts.IgnitionCA = generated.ClusterID, string(generated.RootCA)
	})
	if err != nil {
		return err
	}
	if err := c.configure(ctx, report, "Set the identity of cluster "+c.Spec.Cluster.ID, true); err != nil {
		return err
	}
	return c.checkReferences(ctx, report)
}

func (c *Connection) configure(ctx context.Context, report provisioner.Report, message string, compiled bool) error {
	difference, err := c.clients.Git.Commit(ctx, c.tenantRepo(), c.configurationFile(), c.buildEdits(), message)
	if err != nil {
		return err
	}
	emitConfiguration(report, difference)
	if !compiled {
		report.EmitProgress("the catalog at hand is used: " + c.Spec.Syn.CatalogDir)
		return nil
	}
	if err := c.compile(ctx, report, difference); err != nil {
		return err
	}
	return c.fetchCatalog(ctx, report)
}

func emitConfiguration(report provisioner.Report, difference state.Difference) {
	action := state.Found
	if difference.Unified != "" {
		action = state.Updated
	}
	report.EmitObject(kindConfiguration, difference.File, difference.Commit, string(action))
}

// The compiler is the tenant's pipeline, a program on this machine, or else a person.
func (c *Connection) compile(ctx context.Context, report provisioner.Report, difference state.Difference) error {
	err := c.clients.Compiler.Compile(ctx, c.tenant, c.cluster, difference.Commit, report.EmitProgress)
	switch {
	case !fault.Is(err, fault.NotFound):
		return err
	case difference.Unified == "" && c.Facts.Get().Syn.Commit != "":
		return nil // a person compiled it in an earlier run
	}
	return c.waitCompiled(ctx, report)
}

// Lieutenant records the time of each compilation.
func (c *Connection) waitCompiled(ctx context.Context, report provisioner.Report) error {
	report.EmitActionNeeded("compile the catalog: commodore catalog compile --push " + c.Spec.Cluster.ID)
	since := c.Clock.Now()
	err := provisioner.PollUntil(c.Clock, compiledEvery, limitCompile, func(ctx context.Context, report provisioner.Report) error {
		lieutenant, err := c.signInLieutenant(ctx, report)
		if err != nil {
			return err
		}
		cluster, err := lieutenant.GetCluster(ctx, c.Spec.Cluster.ID)
		if err == nil && !cluster.Compiled.After(since) {
			err = errors.New("nobody has compiled the catalog yet")
		}
		return err
	})(ctx, report)
	var limit *provisioner.LimitError
	if errors.As(err, &limit) {
		return fault.New(fault.Waiting, "compile the catalog", err).
			WithHint("run: commodore catalog compile --push %s; then run again", c.Spec.Cluster.ID)
	}
	if err == nil {
		report.EmitActionNeeded("")
	}
	return err
}

// The catalog holds references to secrets and no secret.
func (c *Connection) fetchCatalog(ctx context.Context, report provisioner.Report) error {
	commit, err := c.clients.Git.Fetch(ctx, c.cluster.Catalog, c.Folder.Path(state.CatalogDir))
	if err != nil {
		return err
	}
	report.EmitProgress("the catalog is at commit " + commit[:min(len(commit), 12)])
	return c.updateFacts(func(facts *state.SynFacts) { facts.Commit = commit })
}

// CatalogDir returns the directory of the compiled catalog: as answered, or that of an earlier step; "" before that.
func (c *Connection) CatalogDir() string {
	if c.Spec.Syn.CatalogDir != "" {
		return c.Spec.Syn.CatalogDir
	}
	dir := c.Folder.Path(state.CatalogDir)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return dir
}
