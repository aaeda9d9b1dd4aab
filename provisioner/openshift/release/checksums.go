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

// archive is the packed program as it is published.
type archive struct {
	url, name string
	sum       string // sha256, hex
}

// publishedArchive finds the archive for this host in the list of checksums that the publisher signed.
func (i *Installer) publishedArchive(ctx context.Context, p publication) (archive, error) {
	url := p.directory + checksumName
	list, err := i.read(ctx, url)
	if err != nil {
		return archive{}, err
	}
	if p.signed {
		if list, err = i.signedList(ctx, p, list); err != nil {
			return archive{}, err
		}
	} else {
		i.log("OKD publishes no signatures: " + p.name() + " is verified by its sha256, published over HTTPS, only")
	}
	sum, found := sumOf(list, p.archive)
	if !found {
		return archive{}, fault.Newf(fault.Invalid, "read "+url, "it has no checksum of %s", p.archive).
			WithHint("check the version in the answers; if it exists, the server shows the list of another one")
	}
	return archive{url: p.directory + p.archive, name: p.archive, sum: sum}, nil
}

// signedList returns the list of checksums that the release key's owner signed.
func (i *Installer) signedList(ctx context.Context, p publication, list []byte) ([]byte, error) {
	url := p.directory + signatureName
	signature, err := i.read(ctx, url)
	if fault.Is(err, fault.NotFound) {
		return nil, fault.New(fault.Invalid, "verify "+p.directory+checksumName, err).
			WithHint("releases are unpacked only if they are signed; use a mirror that has the signatures, too")
	}
	if err != nil {
		return nil, err
	}
	signed, err := p.key.verify(list, signature, time.Now())
	if err != nil {
		return nil, fault.New(fault.Invalid, "verify "+url, err).
			WithHint("run again; if it stays so, do not trust this server, or name its own key with --release-key (pre-releases have another key, too)")
	}
	i.log(p.name() + ": its checksums are signed by " + p.key.fingerprint)
	return signed, nil
}

// sumOf finds the line "<sha256 in hex>  <name>".
func sumOf(list []byte, name string) (string, bool) {
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
