package catalog

import (
	"errors"
	"fmt"
	"io"
	"net"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"

	"exoshift/internal/fault"
	"exoshift/internal/text"
)

// listAgentKeys attributes errors of the keys to the agent, because they are not the host's.
func listAgentKeys(conn net.Conn) func() ([]ssh.Signer, error) {
	return func() ([]ssh.Signer, error) {
		keys, err := agent.NewClient(conn).Signers()
		switch {
		case err != nil:
			return nil, fault.New(fault.Denied, signInOp, fmt.Errorf("list the keys of the SSH agent: %w", shortenError(err))).
				WithHint("restart the agent and add your key: eval $(ssh-agent); ssh-add")
		case len(keys) == 0:
			return nil, fault.Newf(fault.Denied, signInOp, "the SSH agent has no key, or is locked").
				WithHint("add your key with ssh-add, which asks for its passphrase; ssh-add -X unlocks an agent")
		}
		for i, key := range keys {
			if able, is := key.(ssh.AlgorithmSigner); is {
				keys[i] = agentKey{able}
			}
		}
		return keys, nil
	}
}

// agentKey is a key at an agent, which may ask a person for each signature.
type agentKey struct{ ssh.AlgorithmSigner }

func (k agentKey) SignWithAlgorithm(random io.Reader, data []byte, algorithm string) (*ssh.Signature, error) {
	signature, err := k.AlgorithmSigner.SignWithAlgorithm(random, data, algorithm)
	if err != nil {
		return nil, fault.New(fault.Denied, signInOp, fmt.Errorf("the SSH agent does not sign with the key %s: %w", ssh.FingerprintSHA256(k.PublicKey()), shortenError(err))).
			WithHint("confirm it in the agent, or touch the security key; then run again")
	}
	return signature, nil
}

func shortenError(err error) error {
	return errors.New(text.Sanitize(err.Error(), text.WithLimit(maxRemoteOutput)))
}
