package simcloud

import (
	"net/http"
	"net/netip"
	"strings"
	"sync"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/acmedns"
	"exoshift/internal/simcloud/githost"
	"exoshift/internal/simcloud/scenario"
	"exoshift/internal/simcloud/server"
	"exoshift/internal/simcloud/services"
	"exoshift/internal/simcloud/store"
	"exoshift/internal/simcloud/syn"
	"exoshift/internal/simcloud/vault"
)

// projectSyn holds the services of Project Syn.
type projectSyn struct {
	syn   *syn.Syn
	vault *vault.Vault
	git   *githost.Host
	acme  *acmedns.Server

	issuing sync.Mutex
	tokens  *store.Table[string] // of the engineer
}

// ProjectSyn opens the services of Project Syn at the first use of one: most zones never need them.
type ProjectSyn struct {
	config projectSynConfig
	open   func() (*projectSyn, error)
}

type projectSynConfig struct {
	db          *store.DB
	clock       network.Clock
	serverTime  func(asker netip.Addr) time.Time
	hostSeed    []byte                 // of the SSH host keys
	hostKeys    map[string]string      // by host
	client      func() *http.Transport // of the platform
	lieutenant  scenario.Lieutenant
	compilation scenario.Compilation
	wrap        func(http.Handler) http.Handler // the web servers; nil means none
}

func newProjectSyn(config projectSynConfig) *ProjectSyn {
	s := &ProjectSyn{config: config}
	s.open = sync.OnceValues(s.openServices)
	return s
}

func (s *ProjectSyn) openServices() (*projectSyn, error) {
	p := &projectSyn{}
	var err error
	if p.tokens, err = store.Load[string](s.config.db, "zone/person"); err != nil {
		return nil, err
	}
	if p.git, err = s.openGit(p); err != nil {
		return nil, err
	}
	if p.vault, err = s.openVault(p); err != nil {
		return nil, err
	}
	if p.acme, err = acmedns.New(acmedns.Config{DB: s.config.db}); err != nil {
		return nil, err
	}
	p.syn, err = syn.New(syn.Config{
		DB: s.config.db, Clock: s.config.clock, Now: s.config.serverTime, HostKey: services.GitHost + " " + s.config.hostKeys[services.GitHost],
		Repositories: p.git, Secrets: p.vault, Faults: s.config.lieutenant,
	})
	if err != nil {
		return nil, err
	}
	return p, p.createTenants()
}

func (s *ProjectSyn) openGit(p *projectSyn) (*githost.Host, error) {
	key, err := server.DeriveHostKey(s.config.hostSeed, services.GitHost)
	if err != nil {
		return nil, err
	}
	return githost.New(githost.Config{
		DB: s.config.db, Clock: s.config.clock, HostKey: key, Host: services.GitHost,
		Clusters: func(id string) (githost.Cluster, bool) {
			found, ok := p.syn.FindCluster(id)
			return githost.Cluster{
				Tenant: found.Tenant, Facts: found.Facts, DynamicFacts: found.DynamicFacts, Catalog: found.Catalog, DeployKey: found.DeployKey,
			}, ok
		},
		Compiled: func(id string, meta map[string]any) {
			_ = p.syn.RecordCompilation(id, meta) // the cluster may have been deleted meanwhile
		},
		Faults: s.config.compilation,
	})
}

func (s *ProjectSyn) openVault(p *projectSyn) (*vault.Vault, error) {
	transport := s.config.client()
	transport.DisableKeepAlives = true // nothing would close idle connections
	issuer, name, secret := syn.VaultClient()
	return vault.New(vault.Config{
		DB:   s.config.db,
		OIDC: vault.OIDC{Issuer: issuer, ClientID: name, ClientSecret: secret, HTTP: &http.Client{Transport: transport}},
		ServiceAccount: func(token string) (tenant, cluster string, ok bool) {
			id, ok := p.syn.FindClusterByToken(token)
			found, known := p.syn.FindCluster(id)
			return found.Tenant, id, ok && known
		},
	})
}

func (s *ProjectSyn) buildSynHosts() services.ProjectSyn {
	return services.ProjectSyn{
		Lieutenant: s.newHandler(func(p *projectSyn) http.Handler { return p.syn.Lieutenant.Handler() }),
		SignOn:     s.newHandler(func(p *projectSyn) http.Handler { return p.syn.SignOn.Handler() }),
		Vault:      s.newHandler(func(p *projectSyn) http.Handler { return p.vault.NewHandler() }),
		Git:        s.newHandler(func(p *projectSyn) http.Handler { return p.git.NewWebHandler() }),
		ACME:       s.newHandler(func(p *projectSyn) http.Handler { return p.acme.Handler() }),
		GitSSH: server.LazyPort(func() (server.Port, error) {
			p, err := s.open()
			if err != nil {
				return nil, err
			}
			return p.git.SSH(), nil
		}),
	}
}

// newHandler returns a handler that opens Project Syn at its first request, and runs Lieutenant's operator before each.
func (s *ProjectSyn) newHandler(part func(*projectSyn) http.Handler) http.Handler {
	var serve http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		p, err := s.open()
		if err == nil {
			err = p.syn.Reconcile()
		}
		if err != nil {
			http.Error(w, err.Error(), http.StatusInternalServerError)
			return
		}
		part(p).ServeHTTP(w, r)
	})
	if s.config.wrap != nil {
		serve = s.config.wrap(serve)
	}
	return serve
}

// OpenGit returns the Git host, for pushes and pulls by others than the operator.
func (s *ProjectSyn) OpenGit() (*githost.Host, error) {
	p, err := s.open()
	if err != nil {
		return nil, err
	}
	return p.git, p.syn.Reconcile()
}

// OpenVault returns Vault, for changes of secrets by others than the operator.
func (s *ProjectSyn) OpenVault() (*vault.Vault, error) {
	p, err := s.open()
	if err != nil {
		return nil, err
	}
	return p.vault, p.syn.Reconcile()
}

// ResetToken replaces the cluster's bootstrap token, as an administrator of Lieutenant does.
func (s *ProjectSyn) ResetToken(cluster string) error {
	p, err := s.open()
	if err != nil {
		return err
	}
	return p.syn.ResetToken(cluster)
}

// listChallenges returns the answers to an authority's challenges at a name of acme-dns.
func (s *ProjectSyn) listChallenges(name string) []string {
	if !strings.HasSuffix(name, "."+acmedns.DefaultZone) {
		return nil
	}
	p, err := s.open()
	if err != nil {
		return nil
	}
	texts, _ := p.acme.TXT(name)
	return texts
}
