package probe

import "context"

// A probe takes an attempt, layer by layer, and returns the first failure; open connections are closed by the caller.
type kind struct {
	port  string // if the address names none
	probe func(context.Context, *attempt) error
}

func listKinds() map[string]kind {
	return map[string]kind{
		"https": {"443", probeHTTP},
		"http":  {"80", probeHTTP},
		"tcp":   {"", probeTCP},
		"tls":   {"443", probeTLS},

		"registry":   {"443", probeRegistry},
		"release":    {"443", probeRelease},
		"acme":       {"443", probeACME},
		"graph":      {"443", probeGraph},
		"vault":      {"443", probeVault},
		"lieutenant": {"443", probeLieutenant},
		"oidc":       {"443", probeOIDC},
		"s3":         {"443", probeS3},
		"ssh":        {"22", probeSSH},
		"ntp":        {"123", probeTime},
		"dns":        {"53", probeResolver},
		"zone":       {"53", probeZone},
		"closed":     {"", probeClosed},
		"proxy":      {"", probeProxy},
	}
}

func probeTCP(ctx context.Context, a *attempt) error { return a.connect(ctx) }

func probeTLS(ctx context.Context, a *attempt) error { return a.handshake(ctx) }
