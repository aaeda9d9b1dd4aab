package network

import (
	"context"
	"errors"
	"net"
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

func TestLookUpWithFallback_SilentFirstServer(t *testing.T) {
	silent := func(ctx context.Context, _ string) ([]netip.Addr, error) {
		<-ctx.Done()
		return nil, ctx.Err()
	}
	broken := func(context.Context, string) ([]netip.Addr, error) { return nil, errors.New("refused") }
	known := func(context.Context, string) ([]netip.Addr, error) {
		return []netip.Addr{netip.MustParseAddr("203.0.113.9")}, nil
	}
	unknown := func(_ context.Context, name string) ([]netip.Addr, error) {
		return nil, &net.DNSError{Err: "no such host", Name: name, IsNotFound: true}
	}
	for name, test := range map[string]struct {
		lookups []lookup
		found   int
		took    time.Duration
	}{
		"the second knows the name":      {[]lookup{silent, known}, 1, fallbackDelay},
		"the second knows no such name":  {[]lookup{silent, unknown}, 0, fallbackDelay},
		"the first answers":              {[]lookup{known, unknown}, 1, 0},
		"the first knows no such name":   {[]lookup{unknown, known}, 0, 0},
		"the first refuses":              {[]lookup{broken, known}, 1, 0},
		"both refuse":                    {[]lookup{broken, broken}, 0, 0},
		"only the last of three answers": {[]lookup{silent, silent, known}, 1, 2 * fallbackDelay},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				began := time.Now()
				found, err := resolveWithFallback(t.Context(), test.lookups, "quay.io")
				if len(found) != test.found || (err == nil) != (test.found > 0) {
					t.Errorf("found %v, %v", found, err)
				}
				if took := time.Since(began); took != test.took {
					t.Errorf("took %s, want %s", took, test.took)
				}
			})
		})
	}
}
