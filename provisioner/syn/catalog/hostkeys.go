package catalog

import (
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"path"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
)

const (
	hostKeyOp     = "verify the Git host"
	maxKnownHosts = 1 << 20 // bytes of a known_hosts file
	revoked       = "revoked"
)

type hostKeySet struct {
	address string
	source  string
	keys    []ssh.PublicKey
	revoked []ssh.PublicKey
}

// findHostKeys returns the keys of the first source that has any: Lieutenant, the network, the person's files, the keys shipped
// with this program. Revocations of earlier sources remain in force.
func (t sshTransport) findHostKeys() (hostKeySet, error) {
	sources := []func() (hostKeySet, error){
		func() (hostKeySet, error) {
			return parseKnownHosts([]byte(t.hostKeys), "Lieutenant", t.repo.sshAddress())
		},
		func() (hostKeySet, error) {
			return parseNetworkKey(t.git.network.HostKeys[t.repo.host], t.repo.sshAddress())
		},
	}
	for _, file := range t.git.access.KnownHosts {
		sources = append(sources, func() (hostKeySet, error) { return readKnownHosts(file, t.repo.sshAddress()) })
	}
	sources = append(sources, func() (hostKeySet, error) { return listShippedKeys(t.repo.sshAddress()) })
	all := hostKeySet{address: t.repo.sshAddress()}
	for _, source := range sources {
		found, err := source()
		if err != nil {
			return hostKeySet{}, fault.New(fault.Invalid, hostKeyOp, err).WithHint("fix that list of host keys")
		}
		all.revoked = append(all.revoked, found.revoked...)
		if len(found.keys) > 0 {
			all.source, all.keys = found.source, found.keys
			return all, nil
		}
	}
	if len(all.revoked) > 0 {
		return all, nil
	}
	return hostKeySet{}, newUnknownHostError(t.repo.sshAddress())
}

func newUnknownHostError(address string) error {
	return fault.Newf(fault.Denied, hostKeyOp, "the host key of %s is not known", address).
		WithHint("compare the key with the one that the host's operator publishes, and add it to ~/.ssh/known_hosts")
}

// parseNetworkKey parses a line in authorized_keys format.
func parseNetworkKey(line, address string) (hostKeySet, error) {
	if line == "" {
		return hostKeySet{}, nil
	}
	key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(line))
	return hostKeySet{address: address, source: "the network's own list", keys: []ssh.PublicKey{key}}, err
}

// readKnownHosts ignores a missing file.
func readKnownHosts(file, address string) (hostKeySet, error) {
	content, err := fileread.Bytes(file, maxKnownHosts)
	if errors.Is(err, fs.ErrNotExist) {
		return hostKeySet{}, nil
	}
	if err != nil {
		return hostKeySet{}, err
	}
	return parseKnownHosts(content, file, address)
}

// parseKnownHosts skips lines that cannot be parsed, as ssh does.
func parseKnownHosts(content []byte, source, address string) (hostKeySet, error) {
	found := hostKeySet{address: address, source: source}
	if len(content) > maxKnownHosts {
		return found, fmt.Errorf("the host keys of %s are too many", source)
	}
	for line := range strings.Lines(string(content)) {
		marker, hosts, key, _, _, err := ssh.ParseKnownHosts([]byte(line))
		if err != nil || !matchHost(hosts, knownhosts.Normalize(address)) {
			continue
		}
		switch marker {
		case "":
			found.keys = append(found.keys, key)
		case revoked:
			found.revoked = append(found.revoked, key)
		}
	}
	return found, nil
}

// matchHost supports patterns that exclude hosts.
func matchHost(patterns []string, host string) bool {
	matched := false
	for _, pattern := range patterns {
		pattern, excludes := strings.CutPrefix(pattern, "!")
		if !matchPattern(pattern, host) {
			continue
		}
		if excludes {
			return false
		}
		matched = true
	}
	return matched
}

func matchPattern(pattern, host string) bool {
	if parts := strings.Split(pattern, "|"); len(parts) == 4 && parts[0] == "" && parts[1] == "1" {
		salt, saltErr := base64.StdEncoding.DecodeString(parts[2])
		want, wantErr := base64.StdEncoding.DecodeString(parts[3])
		sum := hmac.New(sha1.New, salt)
		_, _ = sum.Write([]byte(host))
		return saltErr == nil && wantErr == nil && hmac.Equal(want, sum.Sum(nil))
	}
	if strings.ContainsAny(pattern, "*?") && !strings.ContainsAny(pattern, `[\`) {
		matched, err := path.Match(pattern, host)
		return err == nil && matched
	}
	return knownhosts.Normalize(pattern) == host
}

// editableSource is the file in which a person can correct the keys of the host; shipped keys are overridden by the person's
// file.
func (p hostKeySet) editableSource() string {
	if p.source == shippedList {
		return "~/.ssh/known_hosts"
	}
	return p.source
}

// listAlgorithms is offered to the host, so that it presents a known key.
func (p hostKeySet) listAlgorithms() (list []string) {
	for _, key := range p.keys {
		if kind := key.Type(); kind == ssh.KeyAlgoRSA { // the same key signs with newer algorithms
			list = append(list, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256)
		} else {
			list = append(list, kind)
		}
	}
	return list
}

func (p hostKeySet) check(_ string, _ net.Addr, key ssh.PublicKey) error {
	is := func(other ssh.PublicKey) bool { return string(other.Marshal()) == string(key.Marshal()) }
	shown := ssh.FingerprintSHA256(key)
	switch {
	case slices.ContainsFunc(p.revoked, is):
		return fault.Newf(fault.Denied, hostKeyOp, "%s presents the key %s, which is marked as revoked in a list of known hosts", p.address, shown).
			WithHint("do not use this host; contact its operator")
	case slices.ContainsFunc(p.keys, is):
		return nil
	case len(p.keys) == 0:
		return newUnknownHostError(p.address)
	}
	var known []string
	for _, key := range p.keys {
		known = append(known, ssh.FingerprintSHA256(key))
	}
	return fault.Newf(fault.Conflict, hostKeyOp, "%s presents the key %s, but by %s its key is %s", p.address, shown, p.source,
		strings.Join(known, " or ")).
		WithHint("ask its operator whether the host has a new key; if so, add it to %s, otherwise the connection is intercepted; nothing is sent until then", p.editableSource())
}
