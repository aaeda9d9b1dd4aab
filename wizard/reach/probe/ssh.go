package probe

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"

	"exoshift/wizard/reach"
)

// probeSSH compares the host key with those that the address pins.
func probeSSH(ctx context.Context, a *attempt) error {
	pins, err := parsePins(a.target.url.Fragment)
	if err != nil {
		return a.fail(&a.layers.HTTP, reach.Malformed, err)
	}
	var seen []string
	for i, algorithms := range pins.listAlgorithms() {
		at := a
		if i > 0 {
			at = a.again()
		}
		key, err := readHostKey(ctx, at, algorithms)
		if err != nil {
			return err
		}
		if key == nil {
			continue // the server has none of these
		}
		seen = append(seen, ssh.FingerprintSHA256(key))
		a.record(reach.EvidenceHostKey, strings.Join(seen, ", "))
		if len(pins.fingerprints) == 0 || pins.hasFingerprint(ssh.FingerprintSHA256(key)) {
			a.record(reach.EvidenceHostKey, ssh.FingerprintSHA256(key))
			a.layers.HTTP = reach.LayerOK
			return nil
		}
	}
	return newHostKeyError(a, pins, seen)
}

func newHostKeyError(a *attempt, pins hostPins, seen []string) error {
	err := fmt.Errorf("the server shows another host key than %s", strings.Join(pins.fingerprints, ", "))
	if len(seen) == 0 {
		err = errors.New("the server has no host key of a kind that is compared")
	}
	return a.fail(&a.layers.HTTP, reach.HostKey, err)
}

func readHostKey(ctx context.Context, a *attempt, algorithms []string) (ssh.PublicKey, error) {
	if err := a.connect(ctx); err != nil {
		return nil, err
	}
	defer a.limit(ctx, a.deps.Limits.HTTP)()
	greeting, again, err := readGreeting(a.conn)
	a.record(reach.EvidenceStatus, greeting)
	if err != nil {
		return nil, a.fail(&a.layers.HTTP, mapProtocolError(err, reach.Unexpected), err)
	}
	key, err := readSSHHostKey(again, algorithms)
	var none *ssh.AlgorithmNegotiationError
	if errors.As(err, &none) && strings.Contains(none.Error(), "host key") {
		return nil, nil
	}
	if err != nil {
		return nil, a.fail(&a.layers.HTTP, mapProtocolError(err, reach.Malformed), err)
	}
	return key, nil
}
