package install

import (
	"context"
	"errors"
	"fmt"
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

// compareConfiguration says what the cluster's file in the tenant's repository will say, and who compiles it.
func (i *Installation) compareConfiguration(ctx context.Context, report provisioner.Report) error {
	difference, err := i.difference(ctx)
	if err != nil {
		return err
	}
	if difference.Unified != "" {
		progress(report, fmt.Sprintf("%s in %s gets %s", difference.File, difference.Repository, changedLines(difference.Unified)))
	}
	who, err := i.world.Syn.Compiler.Ready(ctx, i.syn.tenant, i.syn.cluster)
	switch {
	case err == nil:
		progress(report, who)
	case fault.Is(err, fault.NotFound):
		progress(report, "nobody compiles the catalog by itself: you will be asked to ("+err.Error()+")")
	default:
		return err
	}
	return nil
}

func (i *Installation) difference(ctx context.Context) (state.Difference, error) {
	return i.world.Syn.Git.Compare(ctx, i.tenantRepo(), i.configurationFile(), i.edits())
}

func changedLines(unified string) string {
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

// firstCatalog makes the catalog that the cluster is generated with.
func (i *Installation) firstCatalog(ctx context.Context, report provisioner.Report) error {
	if i.Facts().Syn.ClusterUUID != "" {
		again, err := i.outdated(ctx)
		if err != nil {
			return err
		}
		if !again {
			return provisioner.Skip("the cluster was generated with it already")
		}
		// What is generated next has another identity, and needs all that a new cluster is generated with.
		if err := i.rememberSyn(func(facts *state.SynFacts) { facts.ClusterUUID, facts.IgnitionCA = "", "" }); err != nil {
			return err
		}
	}
	return i.configure(ctx, report, "Add cluster "+i.spec.Cluster.ID, i.spec.Syn.CatalogDir == "")
}

// finalCatalog makes the catalog that the cluster will run by, and makes sure that Vault has everything it refers to.
func (i *Installation) finalCatalog(ctx context.Context, report provisioner.Report) error {
	err := i.rememberSyn(func(facts *state.SynFacts) {
		facts.ClusterUUID, facts.IgnitionCA = i.ignition.ClusterID, string(i.ignition.RootCA)
	})
	if err != nil {
		return err
	}
	if err := i.configure(ctx, report, "Set the identity of cluster "+i.spec.Cluster.ID, true); err != nil {
		return err
	}
	return i.checkReferences(ctx, report)
}

// configure writes what is known into the cluster's configuration and, if wanted, has the catalog compiled and fetches it.
func (i *Installation) configure(ctx context.Context, report provisioner.Report, message string, compiled bool) error {
	difference, err := i.world.Syn.Git.Commit(ctx, i.tenantRepo(), i.configurationFile(), i.edits(), message)
	if err != nil {
		return err
	}
	action := state.Found
	if difference.Unified != "" {
		action = state.Updated
	}
	object(report, kindConfiguration, difference.File, difference.Commit, action)
	if !compiled {
		progress(report, "the catalog at hand is used: "+i.spec.Syn.CatalogDir)
		return nil
	}
	if err := i.compile(ctx, report, difference); err != nil {
		return err
	}
	return i.fetchCatalog(ctx, report)
}

// compile waits until somebody has compiled the catalog: the tenant's pipeline, a program here, or else a person.
func (i *Installation) compile(ctx context.Context, report provisioner.Report, difference state.Difference) error {
	said := func(text string) { progress(report, text) }
	err := i.world.Syn.Compiler.Compile(ctx, i.syn.tenant, i.syn.cluster, difference.Commit, said)
	switch {
	case !fault.Is(err, fault.NotFound):
		return err
	case difference.Unified == "" && i.Facts().Syn.Commit != "":
		return nil // it was compiled by a person in an earlier run
	}
	return i.compiledBySomebody(ctx, report)
}

// compiledBySomebody waits for the moment at which Lieutenant hears of a compilation.
func (i *Installation) compiledBySomebody(ctx context.Context, report provisioner.Report) error {
	tellErrand(report, "compile the catalog: commodore catalog compile --push "+i.spec.Cluster.ID)
	since := i.world.Clock.Now()
	err := i.until(compiledEvery, limitCompile, func(ctx context.Context, report provisioner.Report) error {
		lieutenant, err := i.lieutenant(ctx, report)
		if err != nil {
			return err
		}
		cluster, err := lieutenant.Cluster(ctx, i.spec.Cluster.ID)
		if err == nil && !cluster.Compiled.After(since) {
			err = errors.New("nobody has compiled the catalog yet")
		}
		return err
	})(ctx, report)
	var limit *provisioner.LimitError
	if errors.As(err, &limit) {
		return fault.New(fault.Waiting, "compile the catalog", err).
			WithHint("run: commodore catalog compile --push %s; then run again", i.spec.Cluster.ID)
	}
	if err == nil {
		tellErrand(report, "")
	}
	return err
}

// fetchCatalog brings the compiled catalog into the folder; it holds references to secrets and no secret.
func (i *Installation) fetchCatalog(ctx context.Context, report provisioner.Report) error {
	commit, err := i.world.Syn.Git.Fetch(ctx, i.syn.cluster.Catalog, i.folder.Path(state.CatalogDir))
	if err != nil {
		return err
	}
	progress(report, "the catalog is at commit "+commit[:min(len(commit), 12)])
	return i.rememberSyn(func(facts *state.SynFacts) { facts.Commit = commit })
}

// checkReferences finds what the catalog needs of Vault and Vault does not have: Argo CD would find out much later.
func (i *Installation) checkReferences(ctx context.Context, report provisioner.Report) error {
	const op = "check the secrets that the catalog needs"
	wanted, err := i.world.Syn.Git.Wanted(i.folder.Path(state.CatalogDir))
	if err != nil {
		return err
	}
	vault, err := i.vault(ctx, report)
	if err != nil {
		return err
	}
	missing, err := vault.Missing(ctx, wanted)
	if err != nil {
		return err
	}
	if len(missing) == 0 {
		progress(report, fmt.Sprintf("Vault has all of the %d secrets that the catalog needs", len(wanted)))
		return nil
	}
	return fault.Newf(fault.Conflict, op, "Vault does not have %s", list(missing)).
		WithHint("write them to Vault below clusters/kv, or take away the component that needs them; then run again")
}

// list names the first few of many.
func list(secrets []state.VaultSecret) string {
	const most = 5
	var names []string
	for n, secret := range secrets {
		if n == most {
			names = append(names, fmt.Sprintf("%d more", len(secrets)-most))
			break
		}
		names = append(names, secret.String())
	}
	return strings.Join(names, ", ")
}
