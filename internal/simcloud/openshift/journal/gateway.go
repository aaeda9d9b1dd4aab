package journal

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"exoshift/internal/simcloud/openshift/hostnet"
)

const (
	gatewayPort = 19531
	tlsDir      = "/opt/openshift/tls/"
	gatewayPair = tlsDir + "journal-gatewayd"
	// presetFile lists the units that Ignition enabled.
	presetFile = "/etc/systemd/system-preset/20-ignition.preset"
)

// serveGateway is systemd-journal-gatewayd with the certificates that openshift-install writes to the disk. It does not run
// where its socket is not enabled (OKD).
func (m *Machine) serveGateway(ctx context.Context) error {
	if preset, _ := m.ReadFile(presetFile); !strings.Contains(string(preset), "enable systemd-journal-gatewayd.socket") {
		return nil
	}
	certificate, _ := m.ReadFile(gatewayPair + ".crt")
	key, _ := m.ReadFile(gatewayPair + ".key")
	pair, err := tls.X509KeyPair(certificate, key)
	if err != nil {
		return err
	}
	clients := x509.NewCertPool()
	trusted, _ := m.ReadFile(tlsDir + "root-ca.crt")
	if !clients.AppendCertsFromPEM(trusted) {
		return errors.New("no certificates in root-ca.crt")
	}
	config := &tls.Config{
		Certificates: []tls.Certificate{pair}, ClientCAs: clients, ClientAuth: tls.RequireAndVerifyClientCert, MinVersion: tls.VersionTLS12,
	}
	mux := http.NewServeMux()
	mux.HandleFunc("GET /entries", m.serveEntries)
	return hostnet.ListenAndServe(ctx, m, gatewayPort, config, mux)
}

// serveEntries requires the JSON content type: the real default is plain text.
func (m *Machine) serveEntries(w http.ResponseWriter, r *http.Request) {
	for name := range r.URL.Query() {
		if name != "_SYSTEMD_UNIT" && name != "boot" {
			http.Error(w, "Failed to parse URL arguments.", http.StatusBadRequest)
			return
		}
	}
	wanted, err := parseRange(r.Header.Get("Range"))
	if err != nil {
		http.Error(w, "Failed to parse Range header.", http.StatusBadRequest)
		return
	}
	if r.Header.Get("Accept") != "application/json" {
		http.Error(w, "this gateway speaks JSON alone", http.StatusNotAcceptable)
		return
	}
	w.Header().Set("Content-Type", "application/json")
	encoder := json.NewEncoder(w)
	for _, e := range wanted.selectEntries(m.listEntries(r.URL.Query()["_SYSTEMD_UNIT"])) {
		if encoder.Encode(e) != nil {
			return
		}
	}
}

// entryRange is the header "Range: entries=CURSOR[[:SKIP]:COUNT]".
type entryRange struct {
	cursor string
	skip   int
	count  int // 0: all
}

func parseRange(header string) (entryRange, error) {
	var wanted entryRange
	if header == "" {
		return wanted, nil
	}
	text, ok := strings.CutPrefix(header, "entries=")
	parts := strings.Split(text, ":")
	if !ok || len(parts) > 3 {
		return wanted, errors.New("malformed")
	}
	wanted.cursor = strings.TrimSpace(parts[0])
	if len(parts) == 1 {
		return wanted, nil
	}
	var err error
	if wanted.count, err = strconv.Atoi(parts[len(parts)-1]); err == nil && wanted.count < 1 {
		err = errors.New("no entries requested")
	}
	if err == nil && len(parts) == 3 {
		wanted.skip, err = strconv.Atoi(parts[1])
	}
	return wanted, err
}

// selectEntries stops, like the real one, at the journal's last entry rather than after it, so a cursor that is skipped at the
// end is returned again. A position before the oldest entry means the oldest.
func (r entryRange) selectEntries(all []entry) []entry {
	if len(all) == 0 {
		return nil
	}
	from := r.skip
	switch {
	case r.cursor != "":
		from += max(slices.IndexFunc(all, func(e entry) bool { return e.Cursor == r.cursor }), 0)
	case r.skip < 0:
		from = len(all) + r.skip - 1
	}
	from = min(max(from, 0), len(all)-1)
	part := all[from:]
	if r.count > 0 && r.count < len(part) {
		part = part[:r.count]
	}
	return part
}
