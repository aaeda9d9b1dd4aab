package simcloud

import (
	"net/http"
	"sync"
	"time"

	"exoshift/internal/simcloud/acmedns"
	"exoshift/internal/simcloud/githost"
	"exoshift/internal/simcloud/server"
	"exoshift/internal/simcloud/services"
	"exoshift/internal/simcloud/store"
	"exoshift/internal/simcloud/syn"
	"exoshift/internal/simcloud/vault"
)

// projectSyn is what Project Syn consists of. It is opened when somebody asks for it: most zones never need it.
type projectSyn struct {
	syn   *syn.Syn
	vault *vault.Vault
	git   *githost.Host
	acme  *acmedns.Server

	issuing sync.Mutex
	tokens  *store.Table[string] // of the engineer
}

// openSyn opens what Project Syn consists of, or creates it.
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
		DB: z.db, Clock: z.clock, Now: z.worldTime, HostKey: services.GitHost + " " + z.hostKeys[services.GitHost],
		Repositories: p.git, Secrets: p.vault, Troubles: z.synTroubles(),
	})
	if err != nil {
		return nil, err
	}
	return p, p.seedTenants()
}

func (z *Zone) openGit(p *projectSyn) (*githost.Host, error) {
	key, err := server.HostKey(z.hostSeed, services.GitHost)
	if err != nil {
		return nil, err
	}
	return githost.New(githost.Config{
		DB: z.db, Clock: z.clock, HostKey: key, Host: services.GitHost,
		Clusters: func(id string) (githost.Cluster, bool) {
			found, ok := p.syn.Cluster(id)
			return githost.Cluster{
				Tenant: found.Tenant, Facts: found.Facts, DynamicFacts: found.DynamicFacts, Catalog: found.Catalog, DeployKey: found.DeployKey,
			}, ok
		},
		Compiled: func(id string, meta map[string]any) {
			_ = p.syn.Compiled(id, meta) // of a cluster that was deleted meanwhile nobody wants to know it
		},
		Troubles: z.gitTroubles(),
	})
}

func (z *Zone) openVault(p *projectSyn) (*vault.Vault, error) {
	transport := z.platform.Network(z.ca.Pool()).Transport()
	transport.DisableKeepAlives = true // nobody would close what is left open
	issuer, name, secret := syn.VaultClient()
	return vault.New(vault.Config{
		DB:   z.db,
		OIDC: vault.OIDC{Issuer: issuer, ClientID: name, ClientSecret: secret, HTTP: &http.Client{Transport: transport}},
		ServiceAccount: func(token string) (tenant, cluster string, ok bool) {
			id, ok := p.syn.ClusterOf(token)
			found, known := p.syn.Cluster(id)
			return found.Tenant, id, ok && known
		},
	})
}

// synTroubles returns what is wrong with Lieutenant.
func (z *Zone) synTroubles() syn.Troubles {
	return map[string]syn.Troubles{
		tokenExpired: {TokenLife: 30 * time.Minute},
		tokenUsed:    {UsedAfter: 15 * time.Minute},
	}[z.options.Scenario]
}

// gitTroubles returns what is wrong with the compilation of catalogs.
func (z *Zone) gitTroubles() githost.Troubles {
	return map[string]githost.Troubles{
		factMissing:    {FactMissing: true},
		compileFailure: {CompileFailure: true},
		secretMissing:  {SecretMissing: true},
	}[z.options.Scenario]
}

// synSites returns the hosts of Project Syn.
func (z *Zone) synSites() services.ProjectSyn {
	return services.ProjectSyn{
		Lieutenant: z.synHandler(func(p *projectSyn) http.Handler { return p.syn.Lieutenant() }),
		SignOn:     z.synHandler(func(p *projectSyn) http.Handler { return p.syn.SignOn() }),
		Vault:      z.synHandler(func(p *projectSyn) http.Handler { return p.vault.Handler() }),
		Git:        z.synHandler(func(p *projectSyn) http.Handler { return p.git.Web() }),
		ACME:       z.synHandler(func(p *projectSyn) http.Handler { return p.acme.Handler() }),
		GitSSH: server.Late(func() (server.Port, error) {
			p, err := z.syn()
			if err != nil {
				return nil, err
			}
			return p.git.SSH(), nil
		}),
	}
}

// synHandler returns a handler that opens Project Syn at its first request, and lets Lieutenant's operator catch up
// before each.
func (z *Zone) synHandler(part func(*projectSyn) http.Handler) http.Handler {
	var serve http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := z.syn()
		if err == nil {
			err = p.syn.Settle()
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

// Git returns the Git host, for whoever pushes and pulls beside the operator.
func (z *Zone) Git() (*githost.Host, error) {
	p, err := z.syn()
	if err != nil {
		return nil, err
	}
	return p.git, p.syn.Settle()
}

// Vault returns Vault, for whoever changes secrets beside the operator.
func (z *Zone) Vault() (*vault.Vault, error) {
	p, err := z.syn()
	if err != nil {
		return nil, err
	}
	return p.vault, p.syn.Settle()
}

// ResetToken is what somebody does who may change Lieutenant's own objects: the cluster gets another bootstrap token.
func (z *Zone) ResetToken(cluster string) error {
	p, err := z.syn()
	if err != nil {
		return err
	}
	return p.syn.ResetToken(cluster)
}
