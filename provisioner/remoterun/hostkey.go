package remoterun

import (
	"crypto/ed25519"
	"crypto/rand"
	"errors"
	"io/fs"
	"net"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
)

type hostKeys struct {
	algorithms []string // of the known keys; none: any
	check      ssh.HostKeyCallback
}

func (h *Host) loadHostKeys() (hostKeys, error) {
	const op = "find the known key of the host"
	lookUp, err := h.readKnownHosts()
	if err != nil {
		return hostKeys{}, fault.New(fault.Invalid, op, err).WithHint("fix that file; for details: `%s`", h.formatCommand())
	}
	keys := hostKeys{check: func(host string, remote net.Addr, key ssh.PublicKey) error {
		return h.toHostKeyFault(lookUp(host, remote, key), key)
	}}
	keys.algorithms, err = listKnownAlgorithms(lookUp, h.address)
	if err != nil {
		return hostKeys{}, fault.New(fault.Internal, op, err)
	}
	return keys, nil
}

// readKnownHosts looks at each file before knownhosts opens it, which would wait at a pipe.
func (h *Host) readKnownHosts() (ssh.HostKeyCallback, error) {
	var files []string
	for _, path := range h.options.KnownHosts {
		_, err := fileread.Bytes(path, fileread.Small)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		files = append(files, path)
	}
	return knownhosts.New(files...)
}

// listKnownAlgorithms returns the algorithms of the known keys, so that the host is asked for one of them. The lookup of a random
// key returns the list in its error.
func listKnownAlgorithms(lookUp ssh.HostKeyCallback, address string) ([]string, error) {
	public, _, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return nil, err
	}
	nobodys, err := ssh.NewPublicKey(public)
	if err != nil {
		return nil, err
	}
	var mismatch *knownhosts.KeyError
	if !errors.As(lookUp(address, &net.TCPAddr{}, nobodys), &mismatch) {
		return nil, nil
	}
	var algorithms []string
	for _, known := range mismatch.Want {
		if kind := known.Key.Type(); kind == ssh.KeyAlgoRSA { // the same key signs with newer algorithms
			algorithms = append(algorithms, ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256)
		} else {
			algorithms = append(algorithms, kind)
		}
	}
	return algorithms, nil
}

func (h *Host) toHostKeyFault(err error, key ssh.PublicKey) error {
	const op = "verify the host"
	var mismatch *knownhosts.KeyError
	var revoked *knownhosts.RevokedError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &revoked):
		return fault.New(fault.Denied, op, err).WithHint("do not use this host: its key was revoked")
	case errors.As(err, &mismatch) && len(mismatch.Want) == 0:
		return fault.Newf(fault.Denied, op, "%s is not a known host; its key is %s", h.address, ssh.FingerprintSHA256(key)).
			WithHint("compare this fingerprint with the host's; `%s` adds it to the known hosts", h.formatCommand())
	case errors.As(err, &mismatch):
		return fault.Newf(fault.Conflict, op, "%s presents the key %s, which differs from %s line %d", h.address, ssh.FingerprintSHA256(key),
			mismatch.Want[0].Filename, mismatch.Want[0].Line).
			WithHint("check whether the host was reinstalled or the connection is intercepted; then fix that line")
	}
	return fault.New(fault.Denied, op, err).WithHint("check whether this works: %s", h.formatCommand())
}

func (h *Host) formatCommand() string {
	if h.alias != "" {
		return "ssh " + h.alias
	}
	host, port, err := net.SplitHostPort(h.address)
	if err != nil || port == sshPort {
		return "ssh " + h.user + "@" + host
	}
	return "ssh -p " + port + " " + h.user + "@" + host
}
