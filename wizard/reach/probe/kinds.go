package probe

import (
	"context"

	"exoshift/wizard/reach/probe/connection"
	"exoshift/wizard/reach/probe/dns"
	"exoshift/wizard/reach/probe/registry"
	"exoshift/wizard/reach/probe/release"
)

// A probe takes an attempt, layer by layer, and returns the first failure; open connections are closed by the caller.
type kind struct {
	port  string // if the address names none
	probe func(context.Context, *connection.Attempt) error
}

var kinds = map[string]kind{ //nolint:gochecknoglobals // a table that nothing changes
	"https": {"443", overHTTP(probeHTTP)},
	"http":  {"80", overHTTP(probeHTTP)},
	"tcp":   {"", probeTCP},
	"tls":   {"443", probeTLS},

	"registry":   {"443", overHTTP(registry.Probe)},
	"release":    {"443", overHTTP(release.Probe)},
	"acme":       {"443", overHTTP(probeACME)},
	"graph":      {"443", overHTTP(release.ProbeGraph)},
	"vault":      {"443", overHTTP(probeVault)},
	"lieutenant": {"443", overHTTP(probeLieutenant)},
	"oidc":       {"443", overHTTP(probeOIDC)},
	"s3":         {"443", overHTTP(probeS3)},
	"ssh":        {"22", probeSSH},
	"ntp":        {"123", probeTime},
	"dns":        {"53", dns.ProbeResolver},
	"zone":       {"53", dns.ProbeZone},
	"closed":     {"", probeClosed},
	"proxy":      {"", probeProxy},
}

func getDefaultPort(scheme string) (port string, known bool) {
	found, known := kinds[scheme]
	return found.port, known
}

func overHTTP(probe func(context.Context, connection.Client) error) func(context.Context, *connection.Attempt) error {
	return func(ctx context.Context, a *connection.Attempt) error {
		return probe(ctx, connection.Client{Attempt: a})
	}
}

func probeTCP(ctx context.Context, a *connection.Attempt) error { return a.Connect(ctx) }

func probeTLS(ctx context.Context, a *connection.Attempt) error { return a.Handshake(ctx) }
