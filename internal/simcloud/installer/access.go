package installer

import (
	"crypto/x509"
	"encoding/json"
	"encoding/pem"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
)

// Policies of the additional trust bundle.
const (
	trustForProxyOnly = "Proxyonly"
	trustAlways       = "Always"
)

func checkAccess(c installConfig, found *validationErrors) {
	if err := checkPullSecret(c.PullSecret); err != nil {
		found.addInvalid("pullSecret", c.PullSecret, "%v", err)
	}
	for line := range strings.Lines(c.SSHKey) {
		if _, _, _, _, err := ssh.ParseAuthorizedKey([]byte(line)); err != nil && strings.TrimSpace(line) != "" {
			found.addInvalid("sshKey", c.SSHKey, "%v", err)
			break
		}
	}
	if err := checkBundle(c.TrustBundle); c.TrustBundle != "" && err != nil {
		found.addInvalid("additionalTrustBundle", c.TrustBundle, "%v", err)
	}
	found.checkOneOf("additionalTrustBundlePolicy", c.TrustPolicy, trustForProxyOnly, trustAlways)
}

func checkPullSecret(text string) error {
	var secret struct {
		Auths map[string]map[string]any `json:"auths"`
	}
	if err := json.Unmarshal([]byte(text), &secret); err != nil {
		return err
	}
	if len(secret.Auths) == 0 {
		return errors.New("auths required")
	}
	var faults []error
	for _, host := range slices.Sorted(maps.Keys(secret.Auths)) {
		_, auth := secret.Auths[host]["auth"]
		if _, store := secret.Auths[host]["credsStore"]; !auth && !store {
			faults = append(faults, fmt.Errorf("auths[%q] requires either auth or credsStore", host))
		}
	}
	return errors.Join(faults...)
}

// checkBundle accepts only PEM certificates, without text between or after them.
func checkBundle(bundle string) error {
	for rest := []byte(bundle); len(strings.TrimSpace(string(rest))) > 0; {
		if !strings.HasPrefix(strings.TrimSpace(string(rest)), "-----BEGIN CERTIFICATE-----") {
			return errors.New("invalid block")
		}
		var block *pem.Block
		if block, rest = pem.Decode(rest); block == nil {
			return errors.New("invalid block")
		}
		if _, err := x509.ParseCertificate(block.Bytes); err != nil {
			return err
		}
	}
	return nil
}
