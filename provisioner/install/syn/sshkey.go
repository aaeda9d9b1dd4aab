package syn

import (
	"bytes"
	"context"
	"crypto"
	"crypto/ecdsa"
	"crypto/ed25519"
	"crypto/elliptic"
	"crypto/rand"
	"encoding/base64"
	"encoding/pem"
	"strings"

	"golang.org/x/crypto/ssh"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

const (
	sshSecret  = "exoscale/ssh"
	sshPrivate = "private_key"
)

// The key in Vault is for the operators of the cluster; its public half is recorded in the facts.
func (s *secrets) putSSHKey(ctx context.Context, report provisioner.Report, vault Vault) error {
	made, err := newSSHKey(s.spec.Cluster.ID, s.spec.OpenShift.FIPS)
	if err != nil {
		return err
	}
	where := s.joinPath(sshSecret)
	action, err := vault.EnsureSecret(ctx, where, map[string]string{sshPrivate: made})
	if err != nil {
		return err
	}
	report.EmitObject(kindSecret, where, "", string(action))
	public, err := s.readSSHKey(ctx, vault)
	if err != nil {
		return err
	}
	return s.facts.UpdateSyn(func(facts *state.SynFacts) { facts.SSHPublicKey = public })
}

// readSSHKey returns the public half of the key in Vault.
func (s *secrets) readSSHKey(ctx context.Context, vault Vault) (string, error) {
	where := s.joinPath(sshSecret)
	values, err := vault.GetSecret(ctx, where)
	if err != nil {
		return "", err
	}
	public, err := toPublicKey(values[sshPrivate])
	if err != nil {
		return "", fault.Newf(fault.Conflict, "read the SSH key in Vault", "%s/%s is not a base64-encoded OpenSSH private key", where, sshPrivate).
			WithHint("correct the secret, or delete it if the key is not used")
	}
	if s.spec.OpenShift.FIPS && strings.HasPrefix(public, ssh.KeyAlgoED25519+" ") {
		return "", fault.Newf(fault.Conflict, "read the SSH key in Vault", "%s/%s is an Ed25519 key, which a cluster in FIPS mode does not accept", where, sshPrivate).
			WithHint("delete the secret if the key is not used; the next run writes an ECDSA key").WithField("openshift.fips")
	}
	return public, nil
}

// OpenSSH format, in base64. A cluster in FIPS mode accepts no Ed25519.
func newSSHKey(comment string, fips bool) (string, error) {
	var key crypto.PrivateKey
	var err error
	if fips {
		key, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	} else {
		_, key, err = ed25519.GenerateKey(rand.Reader)
	}
	if err != nil {
		return "", err
	}
	block, err := ssh.MarshalPrivateKey(key, comment)
	if err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(block)), nil
}

func toPublicKey(private string) (string, error) {
	text, err := base64.StdEncoding.DecodeString(private)
	if err != nil {
		return "", err
	}
	signer, err := ssh.ParsePrivateKey(text)
	if err != nil {
		return "", err
	}
	return string(bytes.TrimSpace(ssh.MarshalAuthorizedKey(signer.PublicKey()))), nil
}
