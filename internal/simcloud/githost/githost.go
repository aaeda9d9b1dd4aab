// Package githost is a Git host: repositories by HTTPS and SSH, the part of GitLab's API that pipelines need, and the pipeline
// that compiles a cluster's catalog.
package githost

import (
	"sync"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/githost/commodore"
	"exoshift/internal/simcloud/scenario"
	"exoshift/internal/simcloud/server"
	"exoshift/internal/simcloud/store"

	"golang.org/x/crypto/ssh"
)

// Config configures a Git host.
type Config struct {
	DB      *store.DB
	Clock   network.Clock
	HostKey ssh.Signer // of the SSH server
	Host    string     // its name, e.g. git.vshn.net
	// Clusters returns Lieutenant's data about a cluster. nil: there are none.
	Clusters func(id string) (Cluster, bool)
	// Compiled is called after each successful compilation with Lieutenant's compileMeta. nil: it is not reported.
	Compiled func(id string, meta map[string]any)
	Faults   scenario.Compilation
}

// Cluster is Lieutenant's data about a cluster, as far as the host and its pipelines use it.
type Cluster struct {
	Tenant       string
	Facts        map[string]string
	DynamicFacts map[string]any // reported by the cluster; without them it cannot be compiled
	Catalog      string         // path of the catalog's repository, e.g. syn/cluster-catalogs/c-demo
	DeployKey    string         // "<type> <key>", with read access to the catalog; "": none yet
	NoPipeline   bool           // the cluster is not compiled by the pipeline
}

// Host is a Git host.
type Host struct {
	*Repositories
	*Accounts
	config    Config
	pipelines *pipelines
	git       *gitServer

	stateMutex sync.Mutex // guards states
	states     *store.Table[terraformState]
}

// New opens the host with the state in the store.
func New(config Config) (*Host, error) {
	if config.Clusters == nil {
		config.Clusters = func(string) (Cluster, bool) { return Cluster{}, false }
	}
	if config.Compiled == nil {
		config.Compiled = func(string, map[string]any) {}
	}
	repositories := &Repositories{clock: config.Clock}
	accounts := &Accounts{clock: config.Clock, repositories: repositories, clusters: config.Clusters}
	compiled := &pipelines{
		clock: config.Clock, clusters: config.Clusters, repositories: repositories, compiler: &compiler{
			Compiler: commodore.Compiler{GitHost: config.Host, HostKey: config.HostKey.PublicKey(), Faults: config.Faults},
			config:   config, repositories: repositories,
		},
	}
	repositories.pushed = compiled.create
	var failed [6]error
	repositories.table, failed[0] = store.Load[repository](config.DB, "githost/repositories")
	repositories.objects, failed[1] = store.Load[object](config.DB, "githost/objects")
	accounts.tokens, failed[2] = store.Load[token](config.DB, "githost/tokens")
	accounts.keys, failed[3] = store.Load[key](config.DB, "githost/keys")
	compiled.table, failed[4] = store.Load[pipeline](config.DB, "githost/pipelines")
	var states *store.Table[terraformState]
	states, failed[5] = openTerraformStates(config.DB)
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	return &Host{
		states: states, Repositories: repositories, Accounts: accounts, config: config, pipelines: compiled,
		git: &gitServer{repositories: repositories, accounts: accounts, pipelines: compiled},
	}, nil
}

// SSH serves the host's port 22.
func (h *Host) SSH() server.Port {
	return server.SSH{Version: "SSH-2.0-GitLab-SSHD", Key: h.config.HostKey, Admit: h.git.checkKey, Serve: h.git.serve}
}
