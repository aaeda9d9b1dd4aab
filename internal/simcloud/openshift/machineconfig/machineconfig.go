// Package machineconfig renders the machine configurations of a simulated cluster, and serves them to its machines.
package machineconfig

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"sync"

	"github.com/coreos/ignition/v2/config/v3_5"
	"github.com/coreos/ignition/v2/config/v3_5/types"

	"exoshift/internal/simcloud/certificate"
	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/hostnet"
)

// Server is a machine config server.
type Server struct {
	Config       NodeConfig           // role is that of the requesting machine
	Access       []byte               // the node bootstrapper's kubeconfig
	Configs      func() []kube.Object // all machine configurations
	Pools        func(string) bool    // reports whether a role is served
	updated      func() string        // the release that nodes were updated to; nil: they were not
	hasRendered  func(string) bool    // reports whether a rendered configuration exists; nil: always
	dropHostname bool                 // its files clear the host name
	Console      func(format string, args ...any)
}

// Serve serves on a machine until ctx ends.
func (s Server) Serve(ctx context.Context, m machine.Machine, pair certificate.Pair) error {
	return hostnet.ListenAndServe(ctx, m, cluster.MachineConfigPort, hostnet.NewTLSConfig(hostnet.UseCertificate(pair)), s.newHandler())
}

func (s Server) newHandler() http.Handler {
	mux := http.NewServeMux()
	var seen sync.Map // clients repeat requests every few seconds
	once := func(format string, args ...any) {
		if _, again := seen.LoadOrStore(fmt.Sprintf(format, args...), true); !again {
			s.Console(format, args...)
		}
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.HandleFunc("GET /config/{pool}", func(w http.ResponseWriter, r *http.Request) {
		pool := r.PathValue("pool")
		if !s.Pools(pool) {
			once("machine-config-server: refusing to serve bootstrap configuration to pool %q", pool)
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		content, err := s.render(pool)
		if err != nil {
			once("machine-config-server: couldn't get config for pool %s: %v", pool, err)
			w.WriteHeader(http.StatusInternalServerError)
			return
		}
		s.Console("machine-config-server: Pool %s requested by address:%q User-Agent:%q", pool, r.RemoteAddr, r.UserAgent())
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(content) // the client closed the connection
	})
	return mux
}

// render returns the complete configuration of a role: the merged machine configurations, and the files of renderNodeConfig. Its
// version is 3.5.0 whatever the client accepts, where the real server would serve an older one before OpenShift 4.19: every
// simulated machine supports it.
func (s Server) render(pool string) ([]byte, error) {
	merged, err := Render(pool, s.Config.Version, s.update(), s.Configs())
	if err != nil {
		return nil, err
	}
	if s.hasRendered != nil && !s.hasRendered(merged.Name) {
		return nil, fmt.Errorf("could not fetch config %s: machineconfig.machineconfiguration.openshift.io %q not found", merged.Name, merged.Name)
	}
	own, err := s.renderNodeConfig(pool, merged.Name)
	if err != nil {
		return nil, err
	}
	return json.Marshal(v3_5.Merge(merged.Document, own))
}

func (s Server) update() string {
	if s.updated == nil {
		return ""
	}
	return s.updated()
}

func (s Server) renderNodeConfig(pool, rendered string) (types.Config, error) {
	config := s.Config
	config.Role, config.Rendered = pool, rendered
	marker, err := json.Marshal(config)
	if err != nil {
		return types.Config{}, err
	}
	files := map[string][]byte{machineConfigFile: marker, BootstrapAccessFile: s.Access}
	if s.dropHostname && pool != "master" {
		files[HostnameFile] = nil
	}
	own := types.Config{Ignition: types.Ignition{Version: types.MaxVersion.String()}}
	for _, path := range slices.Sorted(maps.Keys(files)) {
		source, mode, overwrite := "data:;base64,"+base64.StdEncoding.EncodeToString(files[path]), 0o600, true
		own.Storage.Files = append(own.Storage.Files, types.File{
			Node:          types.Node{Path: path, Overwrite: &overwrite},
			FileEmbedded1: types.FileEmbedded1{Contents: types.Resource{Source: &source}, Mode: &mode},
		})
	}
	return own, nil
}

// ServeCluster is the server on a master.
func ServeCluster(ctx context.Context, c *cluster.Cluster, m machine.Machine, config NodeConfig) error {
	pair, err := c.Record().LoadPair("machine-config-server")
	if err != nil {
		return err
	}
	server := Server{Config: config, Access: c.Record().Files["bootstrap-kubeconfig"], Console: m.Console,
		Configs: func() []kube.Object { return c.Objects.List(Resource, "") },
		hasRendered: func(name string) bool {
			_, ok := c.Objects.Get(Resource, "", name)
			return ok
		},
		updated:      c.ConfigVersion,
		dropHostname: c.Faults.BlankHostnames,
		Pools: func(pool string) bool {
			_, ok := c.Objects.Get("machineconfigpools.machineconfiguration.openshift.io", "", pool)
			return ok
		}}
	return hostnet.ListenAndServe(ctx, m, cluster.MachineConfigPort, hostnet.NewTLSConfig(chooseCertificate(c, pair)), server.newHandler())
}

// chooseCertificate serves the certificate of the Secret, as the pods of the server have it mounted; a cluster without one has the first.
func chooseCertificate(c *cluster.Cluster, first certificate.Pair) func(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	return func(hello *tls.ClientHelloInfo) (*tls.Certificate, error) {
		secret, exists := c.Objects.Get(cluster.SecretResource, "openshift-machine-config-operator", "machine-config-server-tls")
		if !exists {
			return hostnet.UseCertificate(first)(hello)
		}
		data := secret.Map("data")
		var content [2][]byte
		for i, key := range []string{"tls.crt", "tls.key"} {
			encoded, _ := data[key].(string)
			var err error
			if content[i], err = base64.StdEncoding.DecodeString(encoded); err != nil {
				return nil, err
			}
		}
		pair, err := certificate.Parse(content[0], content[1])
		if err != nil {
			return nil, err
		}
		return hostnet.UseCertificate(pair)(hello)
	}
}
