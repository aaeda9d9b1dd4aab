package probe

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// A server presents one key per handshake, so each algorithm needs one of its own.
func listHostKeyAlgorithms() [][]string {
	return [][]string{
		{ssh.KeyAlgoED25519},
		{ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521},
		{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256},
	}
}

// The server may present any of these keys. None: its key is not checked.
type hostPins struct {
	fingerprints []string   // as ssh-keygen prints them
	kinds        [][]string // the algorithms of their keys
}

// "SHA256:…" fingerprints and public keys as in authorized_keys, separated by commas.
func parsePins(text string) (hostPins, error) {
	pins := hostPins{}
	anyKind := strings.TrimSpace(text) == ""
	for pin := range strings.SplitSeq(text, ",") {
		pin = strings.TrimSpace(pin)
		switch key, _, _, _, err := ssh.ParseAuthorizedKey([]byte(pin)); {
		case pin == "":
		case len(strings.TrimRight(pin, "=")) == len("SHA256:")+43 && strings.HasPrefix(pin, "SHA256:"):
			pins.fingerprints, anyKind = append(pins.fingerprints, strings.TrimRight(pin, "=")), true
		case err != nil:
			return hostPins{}, fmt.Errorf("the host key %.80q is neither a SHA256 fingerprint nor a public key", pin)
		default:
			pins.fingerprints = append(pins.fingerprints, ssh.FingerprintSHA256(key))
			pins.addKeyType(key.Type())
		}
	}
	if anyKind || len(pins.kinds) == 0 { // a pinned key may have a type without a known algorithm
		pins.kinds = listHostKeyAlgorithms()
	}
	return pins, nil
}

func (p *hostPins) addKeyType(keyType string) {
	for _, kind := range listHostKeyAlgorithms() {
		wanted := slices.Contains(kind, keyType) || keyType == ssh.KeyAlgoRSA && kind[0] == ssh.KeyAlgoRSASHA512
		if wanted && !slices.ContainsFunc(p.kinds, func(known []string) bool { return known[0] == kind[0] }) {
			p.kinds = append(p.kinds, kind)
		}
	}
}

// One handshake for each entry. Without pins the server's preference counts.
func (p hostPins) listAlgorithms() [][]string {
	if len(p.fingerprints) == 0 {
		return [][]string{slices.Concat(p.kinds...)}
	}
	return p.kinds
}

func (p hostPins) hasFingerprint(fingerprint string) bool {
	return slices.Contains(p.fingerprints, fingerprint)
}
