package catalog

import (
	"cmp"
	"context"
	"errors"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/state"
)

const (
	compileOp    = "compile the catalog"
	compileLimit = time.Hour
)

// Compiler compiles catalogs: with the pipeline of the tenant's repository, or with commodore on this machine.
type Compiler struct {
	network network.Network
	access  Access
	local   Commodore
}

// NewCompiler returns a compiler. It sends no requests. The zero Commodore means that commodore is not available.
func NewCompiler(n network.Network, access Access, local Commodore) *Compiler {
	return &Compiler{network: n, access: access, local: local}
}

// CheckReady returns which compiler would be used.
func (c *Compiler) CheckReady(ctx context.Context, tenant state.SynTenant, cluster state.SynCluster) (string, error) {
	if c.access.Token == "" {
		return c.checkLocal(fault.Newf(fault.NotFound, compileOp, "there is no token for the Git host, and no commodore on this machine").
			WithHint("create a token at the Git host with the scopes api and write_repository and set it as syn.gitToken, or install commodore"))
	}
	project, err := c.newProject(tenant, cluster)
	if err != nil {
		return "", err
	}
	err = project.checkPipelines(ctx)
	if fault.Is(err, fault.NotFound) {
		return c.checkLocal(err)
	}
	if err != nil {
		return "", err
	}
	return "the pipeline of " + project.repo.String() + " compiles the catalog of " + cluster.ID, nil
}

func (c *Compiler) checkLocal(without error) (string, error) {
	if c.local.Program == "" {
		return "", without
	}
	return "commodore on this machine compiles the catalog: " + c.local.Program, nil
}

// Compile waits until the catalog is compiled from a commit of the tenant's repository.
func (c *Compiler) Compile(ctx context.Context, tenant state.SynTenant, cluster state.SynCluster, commit string, remote func(text string)) error {
	if c.access.Token == "" {
		return c.compileLocal(ctx, cluster, remote, fault.Newf(fault.NotFound, compileOp, "it cannot be compiled").
			WithHint("create a token at the Git host with the scopes api and write_repository and set it as syn.gitToken, or install commodore"))
	}
	project, err := c.newProject(tenant, cluster)
	if err != nil {
		return err
	}
	err = project.waitPipeline(ctx, cluster.ID, commit, remote)
	var none noPipelineError
	switch {
	case errors.As(err, &none):
		remote(none.reason)
	case fault.Is(err, fault.NotFound):
		remote(err.Error())
	default:
		return err
	}
	return c.compileLocal(ctx, cluster, remote, err)
}

func (c *Compiler) compileLocal(ctx context.Context, cluster state.SynCluster, remote func(string), without error) error {
	if c.local.Program == "" {
		return without
	}
	remote("commodore on this machine compiles the catalog of " + cluster.ID)
	return c.local.compile(ctx, cluster, remote)
}

func (c *Compiler) newProject(tenant state.SynTenant, cluster state.SynCluster) (*project, error) {
	p, err := parseRepoURL(tenant.Config.URL, true)
	if err != nil {
		return nil, err
	}
	branch := cmp.Or(cluster.TenantRevision, tenant.Config.Revision)
	return &project{repo: p, branch: branch, token: c.access.Token, client: newHTTPClient(c.network, maxTrace), clock: c.network.Clock}, nil
}
