package probe

import (
	"fmt"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// listHostKeyAlgorithms are the algorithms that are asked for to be shown each of a server's keys: it shows one at a time.
func listHostKeyAlgorithms() [][]string {
	return [][]string{
		{ssh.KeyAlgoED25519},
		{ssh.KeyAlgoECDSA256, ssh.KeyAlgoECDSA384, ssh.KeyAlgoECDSA521},
		{ssh.KeyAlgoRSASHA512, ssh.KeyAlgoRSASHA256},
	}
}

// hostPins are the fingerprints of the keys that a server may show: any of them will do. None: nobody knows its key.
type hostPins struct {
	fingerprints []string   // as ssh-keygen prints them
	kinds        [][]string // the algorithms of their keys
}

// parsePins reads "SHA256:…" fingerprints and public keys as in authorized_keys, separated by commas.
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
	if anyKind || len(pins.kinds) == 0 { // the type of a key may be none that is asked for
		pins.kinds = listHostKeyAlgorithms()
	}
	return pins, nil
}

// addKeyType wants the keys of a type to be shown.
func (p *hostPins) addKeyType(keyType string) {
	for _, kind := range listHostKeyAlgorithms() {
		wanted := slices.Contains(kind, keyType) || keyType == ssh.KeyAlgoRSA && kind[0] == ssh.KeyAlgoRSASHA512
		if wanted && !slices.ContainsFunc(p.kinds, func(known []string) bool { return known[0] == kind[0] }) {
			p.kinds = append(p.kinds, kind)
		}
	}
}

// listAlgorithms returns the algorithms to ask for, one try after the other. Who pins nothing takes what the server prefers.
func (p hostPins) listAlgorithms() [][]string {
	if len(p.fingerprints) == 0 {
		return [][]string{slices.Concat(p.kinds...)}
	}
	return p.kinds
}

func (p hostPins) hasFingerprint(fingerprint string) bool {
	return slices.Contains(p.fingerprints, fingerprint)
}
