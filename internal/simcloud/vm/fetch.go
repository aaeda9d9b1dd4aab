package vm

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"crypto/sha512"
	"crypto/tls"
	"crypto/x509"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/coreos/ignition/v2/config/v3_5/types"
	"github.com/vincent-petithory/dataurl"
)

const (
	ignitionAccept = "application/vnd.coreos.ignition+json;version=3.5.0, */*;q=0.1"
	ignitionAgent  = "Ignition/2.20.0"
	minBackoff     = 200 * time.Millisecond
	maxBackoff     = 5 * time.Second
)

type fetcher struct {
	guest     *guest
	transport *http.Transport
}

func newFetcher(b *guest) *fetcher {
	f := &fetcher{guest: b, transport: b.Network().NewTransport()}
	f.useCheapKeyExchange()
	return f
}

// useCheapKeyExchange selects the cheapest key exchange: a zone's machines poll thousands of times for what is not there yet.
func (f *fetcher) useCheapKeyExchange() {
	f.transport.TLSClientConfig.CurvePreferences = []tls.CurveID{tls.CurveP256}
}

func (f *fetcher) close() { f.transport.CloseIdleConnections() }

// addAuthorities adds certificate authorities to those of the public internet, and replaces any added before; an empty list
// changes nothing.
func (f *fetcher) addAuthorities(ctx context.Context, authorities []types.Resource) error {
	if len(authorities) == 0 {
		return nil
	}
	pool := x509.NewCertPool()
	if f.guest.hypervisor.config.Roots != nil {
		pool = f.guest.hypervisor.config.Roots.Clone()
	}
	for _, authority := range authorities {
		bundle, err := f.get(ctx, authority)
		if err != nil {
			return fmt.Errorf("fetch a certificate authority: %w", err)
		}
		if !pool.AppendCertsFromPEM(bundle) {
			return errors.New("unable to parse CA bundle: no certificates found")
		}
	}
	f.close()
	f.transport = f.guest.Network().NewTransport()
	f.transport.TLSClientConfig.RootCAs = pool
	f.useCheapKeyExchange()
	return nil
}

// get returns a resource, uncompressed and verified.
func (f *fetcher) get(ctx context.Context, resource types.Resource) ([]byte, error) {
	if resource.Source == nil {
		return nil, errors.New("source is required")
	}
	content, err := f.download(ctx, *resource.Source, resource.HTTPHeaders)
	if err != nil {
		return nil, err
	}
	if resource.Compression != nil && *resource.Compression == "gzip" {
		if content, err = decompressGzip(content); err != nil {
			return nil, err
		}
	}
	return content, verify(content, resource.Verification.Hash)
}

func (f *fetcher) download(ctx context.Context, source string, extra types.HTTPHeaders) ([]byte, error) {
	u, err := url.Parse(source)
	if err != nil {
		return nil, err
	}
	switch u.Scheme {
	case "data":
		decoded, err := dataurl.DecodeString(source)
		if err != nil {
			return nil, err
		}
		return decoded.Data, nil
	case "http", "https":
		headers, err := extra.Parse()
		if err != nil {
			return nil, err
		}
		return f.fetchHTTP(ctx, source, headers)
	}
	return nil, fmt.Errorf("unable to fetch from scheme %q", u.Scheme)
}

// fetchHTTP retries until a response is not a 5xx status.
func (f *fetcher) fetchHTTP(ctx context.Context, source string, headers http.Header) ([]byte, error) {
	shown, _, _ := strings.Cut(source, "?") // the query of a presigned link is a secret
	report := func(attempt int, outcome string) {
		if attempt <= 5 || attempt%20 == 0 || outcome == http.StatusText(http.StatusOK) { // the console is short
			f.guest.Console("ignition: GET %s: attempt #%d: %s", shown, attempt, outcome)
		}
	}
	for attempt, backoff := 1, minBackoff; ; attempt++ {
		content, status, err := f.fetchOnce(ctx, source, headers)
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case err != nil:
			report(attempt, strings.ReplaceAll(err.Error(), source, shown))
		case status == http.StatusOK || status == http.StatusNoContent:
			report(attempt, http.StatusText(status))
			return content, nil
		case status < http.StatusInternalServerError:
			return nil, statusError{shown, status}
		default:
			report(attempt, http.StatusText(status))
		}
		if err := f.guest.clock().Sleep(ctx, backoff); err != nil {
			return nil, err
		}
		backoff = min(2*backoff, maxBackoff)
	}
}

func (f *fetcher) fetchOnce(ctx context.Context, source string, headers http.Header) ([]byte, int, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, source, nil)
	if err != nil {
		return nil, 0, err
	}
	request.Header.Set("Accept", ignitionAccept)
	request.Header.Set("Accept-Encoding", "identity")
	request.Header.Set("User-Agent", ignitionAgent)
	for name, values := range headers {
		request.Header[name] = values
	}
	response, err := (&http.Client{Transport: f.transport}).Do(request)
	if err != nil {
		return nil, 0, err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	return content, response.StatusCode, err
}

type statusError struct {
	source string
	status int
}

func (e statusError) Error() string {
	return fmt.Sprintf("failed to fetch %s: %d %s", e.source, e.status, http.StatusText(e.status))
}

func decompressGzip(content []byte) ([]byte, error) {
	reader, err := gzip.NewReader(bytes.NewReader(content))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(reader)
}

// verify compares content with a hash of the form sha256-... or sha512-...
func verify(content []byte, hash *string) error {
	if hash == nil {
		return nil
	}
	function, want, _ := strings.Cut(*hash, "-")
	var got string
	switch function {
	case "sha256":
		sum := sha256.Sum256(content)
		got = hex.EncodeToString(sum[:])
	case "sha512":
		sum := sha512.Sum512(content)
		got = hex.EncodeToString(sum[:])
	default:
		return fmt.Errorf("unrecognized hash function %q", function)
	}
	if got != want {
		return fmt.Errorf("hash verification failed (calculated %s but expected %s)", got, want)
	}
	return nil
}
