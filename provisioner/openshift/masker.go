package openshift

import (
	"encoding/json"
	"regexp"
	"strings"

	"github.com/goccy/go-yaml"
)

const hidden = "***"

// secretShapes look like secrets wherever they come from: credentials, the password of the cluster's first user,
// private keys, the user of an URL.
var secretShapes = regexp.MustCompile(strings.Join([]string{
	`(?:auth|password)\\*"\s*:\s*\\*"[^"\\]*`,
	`\b[A-Za-z0-9]{5}(?:-[A-Za-z0-9]{5}){3}\b`,
	`-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*`,
	`://[^/@\s]+@`,
}, "|"))

// masker hides secrets in what the program says: it quotes values of the install-config that it refuses, and ends
// with the password of the cluster's first user.
type masker struct{ secrets []string }

// newMasker knows the secrets of an install-config.
func newMasker(installConfig []byte) masker {
	var config struct {
		PullSecret string `yaml:"pullSecret"`
	}
	// An install-config that does not parse is for the program to complain about.
	_ = yaml.Unmarshal(installConfig, &config)
	var m masker
	m.add(config.PullSecret)
	var pull struct {
		Auths map[string]struct {
			Auth     string `json:"auth"`
			Password string `json:"password"`
		} `json:"auths"`
	}
	_ = json.Unmarshal([]byte(config.PullSecret), &pull)
	for _, account := range pull.Auths {
		m.add(account.Auth)
		m.add(account.Password)
	}
	return m
}

// add notes a secret, as it is and as it looks within quotes.
func (m *masker) add(secret string) {
	secret = strings.TrimSpace(secret)
	if len(secret) < 4 {
		return // hiding so short a text would only hide others
	}
	m.secrets = append(m.secrets, secret)
	if quoted, err := json.Marshal(secret); err == nil {
		m.secrets = append(m.secrets, strings.Trim(string(quoted), `"`))
	}
}

// hide replaces the known secrets, and what looks like one.
func (m masker) hide(text string) string {
	for _, secret := range m.secrets {
		text = strings.ReplaceAll(text, secret, hidden)
	}
	return secretShapes.ReplaceAllString(text, hidden)
}
