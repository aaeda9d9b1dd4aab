package openshift

import (
	"context"
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
	"exoshift/internal/simcloud/openshift/hostnet"
)

type machineConfigServer struct {
	config       machineConfig        // role is that of the requesting machine
	access       []byte               // the node bootstrapper's kubeconfig
	configs      func() []kube.Object // all machine configurations
	pools        func(string) bool    // reports whether a role is served
	hasRendered  func(string) bool    // reports whether a rendered configuration exists; nil: always
	dropHostname bool                 // its files clear the host name
	console      func(format string, args ...any)
}

func (s machineConfigServer) serve(ctx context.Context, m machine.Machine, pair certificate.Pair) error {
	return hostnet.ListenAndServe(ctx, m, machineConfigPort, hostnet.NewTLSConfig(hostnet.UseCertificate(pair)), s.newHandler())
}

func (s machineConfigServer) newHandler() http.Handler {
	mux := http.NewServeMux()
	var said sync.Map // clients repeat requests every few seconds
	once := func(format string, args ...any) {
		if _, again := said.LoadOrStore(fmt.Sprintf(format, args...), true); !again {
			s.console(format, args...)
		}
	}
	mux.HandleFunc("GET /healthz", func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	mux.HandleFunc("GET /config/{pool}", func(w http.ResponseWriter, r *http.Request) {
		pool := r.PathValue("pool")
		if !s.pools(pool) {
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
		s.console("machine-config-server: Pool %s requested by address:%q User-Agent:%q", pool, r.RemoteAddr, r.UserAgent())
		w.Header().Set("Content-Type", "application/json")
		_, _ = w.Write(content) // the client closed the connection
	})
	return mux
}

// render returns the complete configuration of a role: the merged machine configurations, and the files of renderNodeConfig. Its
// version is 3.5.0 whatever the client accepts, where the real server would serve an older one before OpenShift 4.19: every
// simulated machine supports it.
func (s machineConfigServer) render(pool string) ([]byte, error) {
	merged, err := render(pool, s.config.Version, s.configs())
	if err != nil {
		return nil, err
	}
	if s.hasRendered != nil && !s.hasRendered(merged.name) {
		return nil, fmt.Errorf("could not fetch config %s: machineconfig.machineconfiguration.openshift.io %q not found", merged.name, merged.name)
	}
	own, err := s.renderNodeConfig(pool, merged.name)
	if err != nil {
		return nil, err
	}
	return json.Marshal(v3_5.Merge(merged.document, own))
}

func (s machineConfigServer) renderNodeConfig(pool, rendered string) (types.Config, error) {
	config := s.config
	config.Role, config.Rendered = pool, rendered
	marker, err := json.Marshal(config)
	if err != nil {
		return types.Config{}, err
	}
	files := map[string][]byte{machineConfigFile: marker, bootstrapAccess: s.access}
	if s.dropHostname && pool != "master" {
		files[hostnameFile] = nil
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

// serveMachineConfig is the server on a master.
func serveMachineConfig(ctx context.Context, c *cluster, m machine.Machine, config machineConfig) error {
	pair, err := c.record().loadPair("machine-config-server")
	if err != nil {
		return err
	}
	server := machineConfigServer{config: config, access: c.record().Files["bootstrap-kubeconfig"], console: m.Console,
		configs: func() []kube.Object { return c.objects.List(machineConfigResource, "") },
		hasRendered: func(name string) bool {
			_, ok := c.objects.Get(machineConfigResource, "", name)
			return ok
		},
		dropHostname: c.faults.BlankHostnames,
		pools: func(pool string) bool {
			_, ok := c.objects.Get("machineconfigpools.machineconfiguration.openshift.io", "", pool)
			return ok
		}}
	return server.serve(ctx, m, pair)
}
