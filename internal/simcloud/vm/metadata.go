package vm

import (
	"io"
	"log"
	"net/http"
	"net/netip"
	"strings"
	"time"

	"exoshift/internal/simcloud/fabric"
)

// metadataAddress is the address of the metadata service for instances.
const metadataAddress = "169.254.169.254"

type metadata struct {
	host      *fabric.Host
	server    *http.Server
	instances func() []Instance
}

func serveMetadata(f *fabric.Fabric, instances func() []Instance) (*metadata, error) {
	address, err := netip.ParseAddr(metadataAddress)
	if err != nil {
		return nil, err
	}
	host, err := f.AddHost(address)
	if err != nil {
		return nil, err
	}
	l, err := host.Listen(80)
	if err != nil {
		return nil, err
	}
	m := &metadata{host: host, instances: instances}
	mux := http.NewServeMux()
	for _, version := range []string{"/1.0", "/latest"} {
		mux.HandleFunc("GET "+version+"/user-data", m.serveUserData)
		mux.HandleFunc("GET "+version+"/meta-data/{$}", m.listKeys)
		mux.HandleFunc("GET "+version+"/meta-data/{key}", m.serveKey)
	}
	m.server = &http.Server{Handler: mux, ReadHeaderTimeout: time.Minute, ErrorLog: log.New(io.Discard, "", 0)}
	go func() { _ = m.server.Serve(l) }()
	return m, nil
}

func (m *metadata) close() {
	_ = m.server.Close()
	m.host.Close()
}

func (m *metadata) findCaller(r *http.Request) (Instance, bool) {
	from, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return Instance{}, false
	}
	return find(m.instances(), from.Addr())
}

// serveUserData serves the bytes unchanged; without any, the body is empty.
func (m *metadata) serveUserData(w http.ResponseWriter, r *http.Request) {
	i, ok := m.findCaller(r)
	if !ok {
		http.NotFound(w, r)
		return
	}
	w.Header().Set("Content-Type", "application/octet-stream")
	_, _ = w.Write(i.UserData) // the client closed the connection
}

func (m *metadata) listKeys(w http.ResponseWriter, _ *http.Request) {
	_, _ = io.WriteString(w, strings.Join([]string{"availability-zone", "cloud-identifier", "instance-id", "local-hostname",
		"local-ipv4", "public-hostname", "public-ipv4", "service-offering", "vm-id"}, "\n"))
}

func (m *metadata) serveKey(w http.ResponseWriter, r *http.Request) {
	i, ok := m.findCaller(r)
	values := map[string]string{
		"availability-zone": i.Zone, "cloud-identifier": "exoscale", "instance-id": i.ID, "vm-id": i.ID,
		"local-hostname": i.Name, "public-hostname": i.Name, "local-ipv4": i.Address.String(),
		"public-ipv4": i.Address.String(), "service-offering": i.Type,
	}
	value, known := values[r.PathValue("key")]
	if !ok || !known {
		http.NotFound(w, r)
		return
	}
	_, _ = io.WriteString(w, value)
}
