package simcloud

import (
	"net/http"
	"sync"
	"time"

	"exoshift/internal/simcloud/acmedns"
	"exoshift/internal/simcloud/githost"
	"exoshift/internal/simcloud/githost/commodore"
	"exoshift/internal/simcloud/server"
	"exoshift/internal/simcloud/services"
	"exoshift/internal/simcloud/store"
	"exoshift/internal/simcloud/syn"
	"exoshift/internal/simcloud/vault"
)

// projectSyn holds the services of Project Syn. They are opened lazily: most zones never need them.
type projectSyn struct {
	syn   *syn.Syn
	vault *vault.Vault
	git   *githost.Host
	acme  *acmedns.Server

	issuing sync.Mutex
	tokens  *store.Table[string] // of the engineer
}

func (z *Zone) openSyn() (*projectSyn, error) {
	p := &projectSyn{}
	var err error
	if p.tokens, err = store.Load[string](z.db, "zone/person"); err != nil {
		return nil, err
	}
	if p.git, err = z.openGit(p); err != nil {
		return nil, err
	}
	if p.vault, err = z.openVault(p); err != nil {
		return nil, err
	}
	if p.acme, err = acmedns.New(acmedns.Config{DB: z.db}); err != nil {
		return nil, err
	}
	p.syn, err = syn.New(syn.Config{
		DB: z.db, Clock: z.clock, Now: z.getServerTime, HostKey: services.GitHost + " " + z.hostKeys[services.GitHost],
		Repositories: p.git, Secrets: p.vault, Faults: z.buildSynFaults(),
	})
	if err != nil {
		return nil, err
	}
	return p, p.createTenants()
}

func (z *Zone) openGit(p *projectSyn) (*githost.Host, error) {
	key, err := server.DeriveHostKey(z.hostSeed, services.GitHost)
	if err != nil {
		return nil, err
	}
	return githost.New(githost.Config{
		DB: z.db, Clock: z.clock, HostKey: key, Host: services.GitHost,
		Clusters: func(id string) (githost.Cluster, bool) {
			found, ok := p.syn.FindCluster(id)
			return githost.Cluster{
				Tenant: found.Tenant, Facts: found.Facts, DynamicFacts: found.DynamicFacts, Catalog: found.Catalog, DeployKey: found.DeployKey,
			}, ok
		},
		Compiled: func(id string, meta map[string]any) {
			_ = p.syn.RecordCompilation(id, meta) // the cluster may have been deleted meanwhile
		},
		Faults: z.buildGitFaults(),
	})
}

func (z *Zone) openVault(p *projectSyn) (*vault.Vault, error) {
	transport := z.platform.Network(z.ca.Pool()).NewTransport()
	transport.DisableKeepAlives = true // nothing would close idle connections
	issuer, name, secret := syn.VaultClient()
	return vault.New(vault.Config{
		DB:   z.db,
		OIDC: vault.OIDC{Issuer: issuer, ClientID: name, ClientSecret: secret, HTTP: &http.Client{Transport: transport}},
		ServiceAccount: func(token string) (tenant, cluster string, ok bool) {
			id, ok := p.syn.FindClusterByToken(token)
			found, known := p.syn.FindCluster(id)
			return found.Tenant, id, ok && known
		},
	})
}

func (z *Zone) buildSynFaults() syn.Faults {
	return map[string]syn.Faults{
		tokenExpired: {TokenLife: 30 * time.Minute},
		tokenUsed:    {UsedAfter: 15 * time.Minute},
	}[z.options.Scenario]
}

func (z *Zone) buildGitFaults() commodore.Faults {
	return map[string]commodore.Faults{
		factMissing:    {FactMissing: true},
		compileFailure: {CompileFailure: true},
		secretMissing:  {SecretMissing: true},
	}[z.options.Scenario]
}

func (z *Zone) buildSynHosts() services.ProjectSyn {
	return services.ProjectSyn{
		Lieutenant: z.newSynHandler(func(p *projectSyn) http.Handler { return p.syn.Lieutenant.Handler() }),
		SignOn:     z.newSynHandler(func(p *projectSyn) http.Handler { return p.syn.SignOn.Handler() }),
		Vault:      z.newSynHandler(func(p *projectSyn) http.Handler { return p.vault.NewHandler() }),
		Git:        z.newSynHandler(func(p *projectSyn) http.Handler { return p.git.NewWebHandler() }),
		ACME:       z.newSynHandler(func(p *projectSyn) http.Handler { return p.acme.Handler() }),
		GitSSH: server.LazyPort(func() (server.Port, error) {
			p, err := z.syn()
			if err != nil {
				return nil, err
			}
			return p.git.SSH(), nil
		}),
	}
}

// newSynHandler returns a handler that opens Project Syn at its first request, and runs Lieutenant's operator before each.
func (z *Zone) newSynHandler(part func(*projectSyn) http.Handler) http.Handler {
	var serve http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := z.syn()
		if err == nil {
			err = p.syn.Reconcile()
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		part(p).ServeHTTP(w, r)
	})
	if z.options.Syn != nil {
		serve = z.options.Syn(serve)
	}
	return serve
}

// OpenGit returns the Git host, for pushes and pulls by others than the operator.
func (z *Zone) OpenGit() (*githost.Host, error) {
	p, err := z.syn()
	if err != nil {
		return nil, err
	}
	return p.git, p.syn.Reconcile()
}

// OpenVault returns Vault, for changes of secrets by others than the operator.
func (z *Zone) OpenVault() (*vault.Vault, error) {
	p, err := z.syn()
	if err != nil {
		return nil, err
	}
	return p.vault, p.syn.Reconcile()
}

// ResetToken replaces the cluster's bootstrap token, as an administrator of Lieutenant does.
func (z *Zone) ResetToken(cluster string) error {
	p, err := z.syn()
	if err != nil {
		return err
	}
	return p.syn.ResetToken(cluster)
}
