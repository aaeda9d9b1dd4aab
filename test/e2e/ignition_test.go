package e2e

import (
	"bytes"
	"compress/gzip"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"exoshift/ignition"
	"exoshift/internal/simcloud/fabric"
	"exoshift/state"
)

const patience = 5 * time.Minute // with Ignition, which has nothing to wait for

func TestIgnition_NodeDocuments(t *testing.T) {
	engine := ignitionTool(t, ignitionEngine)
	w, ok := newWorld(t)
	if !ok {
		return
	}
	w.names.set("api-int", w.machineConfigServer(t, w.ca))
	topolvm := clusters()["TopoLVM"].Machines(state.RoleWorker)[2]
	for _, test := range []struct {
		node  state.Machine
		pool  string
		units []string
	}{
		{state.Default().Machines(state.RoleMaster)[1], "master", nil},
		{state.Default().Machines(state.RoleInfra)[0], "worker", nil},
		{state.Default().Machines(state.RoleStorage)[2], "worker", []string{"exoscale-zero-storagepool.service"}},
		{topolvm, "worker", []string{"exoscale-initialize-topolvm-vg.service"}},
	} {
		t.Run(test.node.Name, func(t *testing.T) {
			m := w.firstBoot(t, engine, nodeDocument(t, test.node, w.ca))
			must(t, m.boot(patience))
			m.has(t, "/etc/hostname", test.node.Name+"\n")
			m.has(t, encapsulated, test.pool)
			m.enables(t, append(test.units, "kubelet.service")...)
			for _, unit := range test.units {
				m.prepares(t, unit)
			}
		})
	}
}

func TestIgnition_BootstrapKeepsHostname(t *testing.T) {
	engine := ignitionTool(t, ignitionEngine)
	w, ok := newWorld(t)
	if !ok {
		return
	}
	w.bucket(t, bootstrapConfig)
	m := w.bootstrapMachine(t, engine)
	must(t, m.boot(patience))
	m.has(t, "/etc/hostname", "bootstrap\n")
	m.has(t, motd, "bootstrap\n")
	m.enables(t, "bootkube.service")
}

func TestIgnition_RefusesOtherHash(t *testing.T) {
	engine := ignitionTool(t, ignitionEngine)
	w, ok := newWorld(t)
	if !ok {
		return
	}
	w.bucket(t, bootstrapConfig+" ")
	m := w.bootstrapMachine(t, engine)
	m.refuses(t, "hash verification failed")
}

func TestIgnition_RefusesOtherMachineConfigServer(t *testing.T) {
	engine := ignitionTool(t, ignitionEngine)
	w, ok := newWorld(t)
	if !ok {
		return
	}
	other, err := fabric.NewCA("root-ca of another cluster")
	must(t, err)
	w.names.set("api-int", w.machineConfigServer(t, other))
	m := w.firstBoot(t, engine, nodeDocument(t, state.Default().Machines(state.RoleMaster)[0], w.ca))
	m.refuses(t, "certificate signed by unknown authority")
}

func TestIgnition_RefusesGzippedUserData(t *testing.T) {
	engine := ignitionTool(t, ignitionEngine)
	w, ok := newWorld(t)
	if !ok {
		return
	}
	w.names.set("api-int", w.machineConfigServer(t, w.ca))
	var packed bytes.Buffer
	writer := gzip.NewWriter(&packed)
	_, err := writer.Write(nodeDocument(t, state.Default().Machines(state.RoleMaster)[0], w.ca))
	must(t, err)
	must(t, writer.Close())
	w.firstBoot(t, engine, packed.Bytes()).refuses(t, "config is not valid")
}

// Masters are started before anything serves their configuration.
func TestIgnition_WaitsForMachineConfigServer(t *testing.T) {
	engine := ignitionTool(t, ignitionEngine)
	w, ok := newWorld(t)
	if !ok {
		return
	}
	server := w.machineConfigServer(t, w.ca)
	m := w.firstBoot(t, engine, nodeDocument(t, state.Default().Machines(state.RoleMaster)[0], w.ca))
	named := time.AfterFunc(2*time.Second, func() { w.names.set("api-int", server) })
	defer named.Stop()
	must(t, m.boot(patience))
	m.has(t, encapsulated, "master")
}

// bootstrapMachine is booted with a pointer to bootstrapConfig; its image trusts the bucket's certificate.
func (w *world) bootstrapMachine(t *testing.T, engine string) *firstBoot {
	t.Helper()
	document, err := ignition.RenderBootstrapPointer("bootstrap", bootstrapLink, []byte(bootstrapConfig))
	must(t, err)
	m := w.firstBoot(t, engine, document)
	m.trust = filepath.Join(t.TempDir(), "ca.pem")
	must(t, os.WriteFile(m.trust, w.ca.PEM(), 0o644))
	return m
}

// refuses fails the test unless Ignition logs the reason, and ends or tries again.
func (m *firstBoot) refuses(t *testing.T, reason string) {
	t.Helper()
	m.reason = reason
	if err := m.boot(patience); err == nil || !strings.Contains(err.Error(), reason) {
		t.Errorf("error %v, want %q", err, reason)
	}
	m.untouched(t)
}
