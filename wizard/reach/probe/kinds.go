package probe

import "context"

// A probe takes an attempt, layer by layer, and returns the first failure; open connections are closed by the caller.
type kind struct {
	port  string // if the address names none
	probe func(context.Context, *attempt) error
}

var kinds = map[string]kind{
	"https": {"443", overHTTP(probeHTTP)},
	"http":  {"80", overHTTP(probeHTTP)},
	"tcp":   {"", probeTCP},
	"tls":   {"443", probeTLS},

	"registry":   {"443", overHTTP(probeRegistry)},
	"release":    {"443", overHTTP(probeRelease)},
	"acme":       {"443", overHTTP(probeACME)},
	"graph":      {"443", overHTTP(probeGraph)},
	"vault":      {"443", overHTTP(probeVault)},
	"lieutenant": {"443", overHTTP(probeLieutenant)},
	"oidc":       {"443", overHTTP(probeOIDC)},
	"s3":         {"443", overHTTP(probeS3)},
	"ssh":        {"22", probeSSH},
	"ntp":        {"123", probeTime},
	"dns":        {"53", probeResolver},
	"zone":       {"53", probeZone},
	"closed":     {"", probeClosed},
	"proxy":      {"", probeProxy},
}

func getDefaultPort(scheme string) (port string, known bool) {
	found, known := kinds[scheme]
	return found.port, known
}

func overHTTP(probe func(context.Context, client) error) func(context.Context, *attempt) error {
	return func(ctx context.Context, a *attempt) error { return probe(ctx, client{a}) }
}

func probeTCP(ctx context.Context, a *attempt) error { return a.connect(ctx) }

func probeTLS(ctx context.Context, a *attempt) error { return a.handshake(ctx) }
