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
	"exoshift/provisioner/manifests"
	"exoshift/state"
)

const (
	kindConfiguration = "configuration"
	compiledEvery     = 15 * time.Second
	limitCompile      = 30 * time.Minute
)

// Catalog is the cluster's configuration in its tenant's repository, and the catalog that is compiled of it.
type Catalog struct {
	spec         state.Spec
	folder       state.Folder
	facts        *state.FactsStore
	clock        provisioner.Clock
	session      *session
	registration *registration
	git          Git
	compiler     Compiler
	renews       func(context.Context) (bool, error) // whether the cluster's identity is about to be replaced
	generated    func() state.Ignition

	alerting bool // alerts are about to be enabled: they are not held back any more
}

func (c *Catalog) compare(ctx context.Context, report provisioner.Report) error {
	difference, err := c.computeDifference(ctx)
	if err != nil {
		return err
	}
	if difference.Unified != "" {
		report.EmitProgress(fmt.Sprintf("%s in %s gets %s", difference.File, difference.Repository, formatChanges(difference.Unified)))
	}
	who, err := c.compiler.CheckReady(ctx, c.registration.tenant, c.registration.cluster)
	switch {
	case err == nil:
		report.EmitProgress(who)
	case fault.Is(err, fault.NotFound):
		report.EmitProgress("the catalog is not compiled automatically: action needed (" + err.Error() + ")")
	default:
		return err
	}
	return nil
}

func (c *Catalog) computeDifference(ctx context.Context) (state.Difference, error) {
	return c.git.Compare(ctx, c.tenantRepo(), c.configurationFile(), c.buildEdits())
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

func (c *Catalog) compileFirst(ctx context.Context, report provisioner.Report) error {
	if c.facts.Get().Syn.ClusterUUID != "" {
		again, err := c.renews(ctx)
		if err != nil {
			return err
		}
		if !again {
			return provisioner.Skip("the cluster was already generated with it")
		}
		// The next generation has another identity, and needs the complete configuration of a new cluster.
		if err := c.facts.UpdateSyn(func(facts *state.SynFacts) { facts.ClusterUUID, facts.IgnitionCA = "", "" }); err != nil {
			return err
		}
	}
	return c.configure(ctx, report, "Add cluster "+c.spec.Cluster.ID, c.spec.Syn.CatalogDir == "")
}

// Vault needs every secret that this catalog refers to.
func (c *Catalog) compileFinal(ctx context.Context, report provisioner.Report) error {
	generated := c.generated()
	err := c.facts.UpdateSyn(func(facts *state.SynFacts) {
		facts.ClusterUUID, facts.IgnitionCA = generated.ClusterID, string(generated.RootCA)
	})
	if err != nil {
		return err
	}
	if err := c.configure(ctx, report, "Set the identity of cluster "+c.spec.Cluster.ID, true); err != nil {
		return err
	}
	return c.checkReferences(ctx, report)
}

func (c *Catalog) configure(ctx context.Context, report provisioner.Report, message string, compiled bool) error {
	difference, err := c.git.Commit(ctx, c.tenantRepo(), c.configurationFile(), c.buildEdits(), message)
	if err != nil {
		return err
	}
	emitConfiguration(report, difference)
	if !compiled {
		report.EmitProgress("the existing catalog is used: " + c.spec.Syn.CatalogDir)
		return nil
	}
	if err := c.compile(ctx, report, difference); err != nil {
		return err
	}
	return c.fetch(ctx, report)
}

func emitConfiguration(report provisioner.Report, difference state.Difference) {
	action := state.Found
	if difference.Unified != "" {
		action = state.Updated
	}
	report.EmitObject(kindConfiguration, difference.File, difference.Commit, string(action))
}

// The compiler is the tenant's pipeline, a program on this machine, or else a person.
func (c *Catalog) compile(ctx context.Context, report provisioner.Report, difference state.Difference) error {
	err := c.compiler.Compile(ctx, c.registration.tenant, c.registration.cluster, difference.Commit, report.EmitProgress)
	switch {
	case !fault.Is(err, fault.NotFound):
		return err
	case difference.Unified == "" && c.facts.Get().Syn.Commit != "":
		return nil // a person compiled it in an earlier run
	}
	return c.waitCompiled(ctx, report)
}

// Lieutenant records the time of each compilation.
func (c *Catalog) waitCompiled(ctx context.Context, report provisioner.Report) error {
	report.EmitActionNeeded("compile the catalog: commodore catalog compile --push " + c.spec.Cluster.ID)
	since := c.clock.Now()
	err := provisioner.PollUntil(c.clock, compiledEvery, limitCompile, func(ctx context.Context, report provisioner.Report) error {
		lieutenant, err := c.session.signInLieutenant(ctx, report)
		if err != nil {
			return err
		}
		cluster, err := lieutenant.GetCluster(ctx, c.spec.Cluster.ID)
		if err == nil && !cluster.Compiled.After(since) {
			err = errors.New("the catalog is not compiled yet")
		}
		return err
	})(ctx, report)
	var limit *provisioner.LimitError
	if errors.As(err, &limit) {
		return fault.New(fault.Waiting, "compile the catalog", err).
			WithHint("run: commodore catalog compile --push %s; then run again", c.spec.Cluster.ID)
	}
	if err == nil {
		report.EmitActionNeeded("")
	}
	return err
}

// The catalog holds references to secrets and no secret.
func (c *Catalog) fetch(ctx context.Context, report provisioner.Report) error {
	commit, err := c.git.Fetch(ctx, c.registration.cluster.Catalog, c.folder.Path(state.CatalogDir))
	if err != nil {
		return err
	}
	if err := manifests.CheckInfrastructure(c.spec, c.folder.Path(state.CatalogDir)); err != nil {
		return err
	}
	if c.facts.Get().Syn.Synthesized.IsZero() { // a cluster that has its certificates got its records otherwise
		if err := manifests.CheckACME(c.spec, c.folder.Path(state.CatalogDir)); err != nil {
			return err
		}
	}
	report.EmitProgress("the catalog is at commit " + commit[:min(len(commit), 12)])
	return c.facts.UpdateSyn(func(facts *state.SynFacts) { facts.Commit = commit })
}

// CatalogDir returns the directory of the compiled catalog: as answered, or that of an earlier step; "" before that.
func (c *Catalog) CatalogDir() string {
	if c.spec.Syn.CatalogDir != "" {
		return c.spec.Syn.CatalogDir
	}
	dir := c.folder.Path(state.CatalogDir)
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return ""
	}
	return dir
}

// conflict is an edit of the cluster's configuration that is refused.
type conflict struct {
	edit state.YAMLEdit
	err  error
}

// listConflicts returns the edits that would write over what this installation has not written.
func (c *Catalog) listConflicts(ctx context.Context) ([]conflict, error) {
	edits := c.buildEdits()
	_, err := c.compareEdits(ctx, edits...)
	if !isConflict(err) {
		return nil, err
	}
	conflicts := []conflict{}
	for _, edit := range edits {
		switch _, err := c.compareEdits(ctx, edit); {
		case isConflict(err):
			conflicts = append(conflicts, conflict{edit, err})
		case err != nil:
			return nil, err
		}
	}
	if len(conflicts) == 0 { // each by itself would do
		conflicts = append(conflicts, conflict{err: err})
	}
	return conflicts, nil
}

func (c *Catalog) compareEdits(ctx context.Context, edits ...state.YAMLEdit) (state.Difference, error) {
	return c.git.Compare(ctx, c.tenantRepo(), c.configurationFile(), edits)
}

// isConflict reports whether a configuration cannot be edited because of its values or its syntax.
func isConflict(err error) bool { return fault.Is(err, fault.Conflict) || fault.Is(err, fault.Invalid) }

// holds reports whether an edit would leave the cluster's configuration unchanged.
func (c *Catalog) holds(ctx context.Context, edit state.YAMLEdit) (bool, error) {
	difference, err := c.compareEdits(ctx, edit)
	if isConflict(err) {
		return false, nil
	}
	return err == nil && difference.Unified == "", err
}

// hasIdentity reports whether the cluster's configuration has the cluster ID that this folder's openshift-install
// generated.
func (c *Catalog) hasIdentity(ctx context.Context) (bool, error) {
	uuid := c.facts.Get().Syn.ClusterUUID
	if uuid == "" {
		return false, nil
	}
	return c.holds(ctx, set("openshift", "clusterID").to(uuid))
}
