// Package githost is a Git host: repositories by HTTPS and SSH, the part of GitLab's API that pipelines need, and the pipeline
// that compiles a cluster's catalog.
package githost

import (
	"sync"

	"exoshift/internal/network"
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
	Faults   Faults
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

// Faults are injected failures of the compilation. The zero Faults inject none.
type Faults struct {
	FactMissing    bool // the configuration of all tenants also requires the fact service_level
	CompileFailure bool // a component does not compile
	SecretMissing  bool // the catalog refers to a secret that does not exist
}

// Host is a Git host.
type Host struct {
	config       Config
	repositories *store.Table[repository]
	objects      *store.Table[object]
	tokens       *store.Table[token]
	keys         *store.Table[key]
	pipelines    *store.Table[pipeline]

	mu            sync.Mutex // guards read-modify-write of references, numbers, pipelines
	pipelinesLock sync.Mutex // one compilation at a time
}

// New opens the host with the state in the store.
func New(config Config) (*Host, error) {
	if config.Clusters == nil {
		config.Clusters = func(string) (Cluster, bool) { return Cluster{}, false }
	}
	if config.Compiled == nil {
		config.Compiled = func(string, map[string]any) {}
	}
	h := &Host{config: config}
	var failed [5]error
	h.repositories, failed[0] = store.Load[repository](config.DB, "githost/repositories")
	h.objects, failed[1] = store.Load[object](config.DB, "githost/objects")
	h.tokens, failed[2] = store.Load[token](config.DB, "githost/tokens")
	h.keys, failed[3] = store.Load[key](config.DB, "githost/keys")
	h.pipelines, failed[4] = store.Load[pipeline](config.DB, "githost/pipelines")
	for _, err := range failed {
		if err != nil {
			return nil, err
		}
	}
	return h, nil
}

// SSH serves the host's port 22.
func (h *Host) SSH() server.Port {
	return server.SSH{Version: "SSH-2.0-GitLab-SSHD", Key: h.config.HostKey, Admit: h.checkKey, Serve: h.serve}
}
