package release

import (
	"bufio"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"time"

	"exoshift/internal/fault"
)

type archive struct {
	url, name string
	sum       string // sha256, hex
}

// checksums is the published file of a release's checksums, and its signature; OKD publishes none.
type checksums struct{ list, signature []byte }

func (m mirror) findArchive(ctx context.Context, p publication) (archive, checksums, error) {
	var published checksums
	var err error
	if published.list, err = m.downloads.Read(ctx, p.directory+checksumName); err != nil {
		return archive{}, published, err
	}
	if p.signed {
		published.signature, err = m.fetchSignature(ctx, p)
	}
	if err != nil {
		return archive{}, published, err
	}
	sum, err := p.findChecksum(published)
	switch {
	case err != nil:
		return archive{}, published, err
	case p.signed:
		m.log(p.name() + ": its checksums are signed by " + p.key.fingerprint)
	default:
		m.log("OKD publishes no signatures: " + p.name() + " is verified by its sha256, published over HTTPS, only")
	}
	return archive{url: p.directory + p.archive, name: p.archive, sum: sum}, published, nil
}

func (p publication) findChecksum(published checksums) (string, error) {
	list := published.list
	if p.signed {
		var err error
		if list, err = p.key.verify(published.list, published.signature, time.Now()); err != nil {
			return "", fault.New(fault.Invalid, "verify "+p.directory+signatureName, err).
				WithHint("run again; if the problem persists, do not trust this server, or set its key with --release-key (pre-releases have another key, too)")
		}
	}
	sum, found := parseChecksum(list, p.archive)
	if !found {
		return "", fault.Newf(fault.Invalid, "read "+p.directory+checksumName, "it has no checksum of %s", p.archive).
			WithHint("check the version in the answers; if it exists, the server returns the list of another one")
	}
	return sum, nil
}

func (m mirror) fetchSignature(ctx context.Context, p publication) ([]byte, error) {
	signature, err := m.downloads.Read(ctx, p.directory+signatureName)
	if fault.Is(err, fault.NotFound) {
		return nil, fault.New(fault.Invalid, "verify "+p.directory+checksumName, err).
			WithHint("only signed releases are unpacked; use a mirror with signatures")
	}
	return signature, err
}

// parseChecksum parses the line "<sha256 in hex>  <name>".
func parseChecksum(list []byte, name string) (string, bool) {
	lines := bufio.NewScanner(bytes.NewReader(list))
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) != 2 || strings.TrimPrefix(fields[1], "*") != name {
			continue
		}
		if sum, err := hex.DecodeString(fields[0]); err == nil && len(sum) == sha256.Size {
			return strings.ToLower(fields[0]), true
		}
	}
	return "", false
}
