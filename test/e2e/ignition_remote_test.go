package e2e

import (
	"crypto/tls"
	"net/http"
	"strings"
	"testing"

	"exoshift/internal/simcloud/fabric"
)

const (
	bucketServer = "sos-ch-gva-2.exo.io"
	// encapsulated is the file by which the machine config daemon knows the first boot.
	encapsulated = "/etc/ignition-machine-config-encapsulated.json"
	motd         = "/etc/motd"
)

// bootstrapConfig stands for bootstrap.ign.
const bootstrapConfig = `{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"` + motd + `",` +
	`"mode":420,"contents":{"source":"data:,bootstrap%0A"}}]},` +
	`"systemd":{"units":[{"name":"bootkube.service","enabled":true,"contents":"[Service]\nExecStart=/bin/true\n"}]}}`

// poolConfig stands for what a cluster's machine config server says to the machines of a pool.
func poolConfig(pool string) string {
	return `{"ignition":{"version":"3.2.0"},"storage":{"files":[{"path":"` + encapsulated + `","mode":420,` +
		`"overwrite":true,"contents":{"source":"data:,` + pool + `"}}]},` +
		`"systemd":{"units":[{"name":"kubelet.service","enabled":true,"contents":"[Service]\nExecStart=/bin/true\n"}]}}`
}

// machineConfigServer serves the configurations of both pools on a machine of this world, which no name leads to yet.
// Like the real one it wants to know what the machine understands.
func (w *world) machineConfigServer(t *testing.T, ca *fabric.CA) *machine {
	t.Helper()
	m := w.machine("bootstrap", 10)
	served := http.NewServeMux()
	for _, pool := range []string{"master", "worker"} {
		served.HandleFunc("/config/"+pool, func(rw http.ResponseWriter, r *http.Request) {
			if !strings.HasPrefix(r.Header.Get("Accept"), "application/vnd.coreos.ignition+json;version=3.") {
				rw.WriteHeader(http.StatusBadRequest)
				return
			}
			_, _ = rw.Write([]byte(poolConfig(pool)))
		})
	}
	config, err := ca.NewServerTLS("api-int." + domain)
	must(t, err)
	serve(t, tls.NewListener(m.listen(machineConfig), config), served)
	return m
}

// bucket serves content where the bootstrap link leads, and to nobody who comes without its signature.
func (w *world) bucket(t *testing.T, content string) {
	t.Helper()
	m := w.machine("bucket", 40)
	w.names.publish(bucketServer, m)
	config, err := w.ca.NewServerTLS(bucketServer)
	must(t, err)
	serve(t, tls.NewListener(m.listen(443), config), http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if "https://"+bucketServer+r.RequestURI != bootstrapLink {
			rw.WriteHeader(http.StatusForbidden)
			return
		}
		_, _ = rw.Write([]byte(content))
	}))
}

// publish gives an address to a name outside of the cluster's zone.
func (n *names) publish(name string, m *machine) {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.addresses[name+"."] = append(n.addresses[name+"."], m.address)
}
