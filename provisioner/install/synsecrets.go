package install

import (
	"bytes"
	"context"
	"crypto/ed25519"
	"crypto/rand"
	"encoding/base64"
	"encoding/pem"
	"path"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"

	"exoshift/internal/fault"
	"exoshift/provisioner"
	"exoshift/state"
)

const kindVaultSecret = "vault-secret"

// vaultPath is where Vault keeps a secret of the cluster.
func (i *Installation) vaultPath(name string) string {
	return path.Join(i.spec.Syn.Tenant, i.spec.Cluster.ID, name)
}

// vaultKey says where Vault keeps the API key of a policy.
type vaultKey struct{ path, key, secret string }

func vaultKeys() map[string]vaultKey {
	return map[string]vaultKey{
		storagePolicy:         {"exoscale/storage_iam", "s3_access_key", "s3_secret_key"},
		"csi-driver-exoscale": {"exoscale/csi_driver", "access_key", "secret_key"},
		cloudController:       {"exoscale/ccm", "access_key", "secret_key"},
	}
}

// keptKey returns the API key of a policy that an earlier step or run has kept, or one without key and secret.
func (i *Installation) keptKey(ctx context.Context, report provisioner.Report, policy string) (state.APIKey, error) {
	if !i.connected() {
		return i.folder.APIKey(i.name(policy))
	}
	i.mu.Lock()
	known, found := i.syn.keys[policy]
	i.mu.Unlock()
	if found {
		return known, nil
	}
	key := state.APIKey{Name: i.name(policy)}
	vault, err := i.vault(ctx, report)
	if err != nil {
		return key, err
	}
	place := vaultKeys()[policy]
	values, err := vault.Secret(ctx, i.vaultPath(place.path))
	if err != nil && !fault.Is(err, fault.NotFound) {
		return key, err
	}
	key.Key, key.Secret = values[place.key], values[place.secret]
	return key, nil
}

// keeper keeps an API key where it belongs: in Vault where there is one, else in the folder.
func (i *Installation) keeper(ctx context.Context, report provisioner.Report, policy string) func(state.APIKey) error {
	if !i.connected() {
		return i.folder.SaveAPIKey
	}
	return func(key state.APIKey) error {
		vault, err := i.vault(ctx, report)
		if err != nil {
			return err
		}
		place := vaultKeys()[policy]
		_, err = vault.SetSecret(ctx, i.vaultPath(place.path), map[string]string{place.key: key.Key, place.secret: key.Secret})
		if err != nil {
			return err
		}
		i.mu.Lock()
		defer i.mu.Unlock()
		if i.syn.keys == nil {
			i.syn.keys = map[string]state.APIKey{}
		}
		i.syn.keys[policy] = key
		return nil
	}
}

// SecretPaths are the paths in Vault that an installation writes to, sorted.
func SecretPaths(spec state.Spec) []string {
	i := &Installation{spec: spec}
	paths := []string{i.vaultPath(sshSecret)}
	for name := range passwords() {
		paths = append(paths, i.vaultPath(name))
	}
	for _, place := range vaultKeys() {
		paths = append(paths, i.vaultPath(place.path))
	}
	slices.Sort(paths)
	return paths
}

// passwords are what is made once in a cluster's life: data is encrypted with them.
func passwords() map[string]map[string]string {
	return map[string]map[string]string{
		"registry":       {"httpSecret": password(128)},
		"global-backup":  {"password": password(32)},
		"cluster-backup": {"password": password(32)},
	}
}

// password returns random capital letters and digits.
func password(length int) string {
	var text strings.Builder
	for text.Len() < length {
		text.WriteString(rand.Text())
	}
	return text.String()[:length]
}

// putSecrets makes the secrets that the catalog refers to. What Vault has already stays: a backup is worth nothing
// without the password that it was made with.
func (i *Installation) putSecrets(ctx context.Context, report provisioner.Report) error {
	vault, err := i.vault(ctx, report)
	if err != nil {
		return err
	}
	for name, values := range passwords() {
		action, err := vault.EnsureSecret(ctx, i.vaultPath(name), values)
		if err != nil {
			return err
		}
		object(report, kindVaultSecret, i.vaultPath(name), "", action)
	}
	return i.putSSHKey(ctx, report, vault)
}

const (
	sshSecret  = "exoscale/ssh"
	sshPrivate = "private_key"
)

// putSSHKey has a key in Vault by which whoever runs the cluster gets into its nodes, and notes its public half.
func (i *Installation) putSSHKey(ctx context.Context, report provisioner.Report, vault Vault) error {
	made, err := newSSHKey(i.spec.Cluster.ID)
	if err != nil {
		return err
	}
	where := i.vaultPath(sshSecret)
	action, err := vault.EnsureSecret(ctx, where, map[string]string{sshPrivate: made})
	if err != nil {
		return err
	}
	object(report, kindVaultSecret, where, "", action)
	values, err := vault.Secret(ctx, where)
	if err != nil {
		return err
	}
	public, err := publicSSHKey(values[sshPrivate])
	if err != nil {
		return fault.Newf(fault.Conflict, "read the SSH key in Vault", "%s/%s holds no private key in OpenSSH's form, in base64", where, sshPrivate).
			WithHint("correct the secret, or delete it if nobody uses the key")
	}
	return i.rememberSyn(func(facts *state.SynFacts) { facts.SSHPublicKey = public })
}

// newSSHKey returns a private key in OpenSSH's form, in base64.
func newSSHKey(comment string) (string, error) {
	_, key, err := ed25519.GenerateKey(rand.Reader)
	if err != nil {
		return "", err
	}
	block, err := ssh.MarshalPrivateKey(key, comment)
	if err != nil {
		return "", err
	}
	return base64.StdEncoding.EncodeToString(pem.EncodeToMemory(block)), nil
}

func publicSSHKey(private string) (string, error) {
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
