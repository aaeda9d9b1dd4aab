package program

import (
	"cmp"
	"encoding/json"
	"regexp"
	"strconv"
	"strings"

	"exoshift/internal/stable"
	"exoshift/state"

	"github.com/goccy/go-yaml"
)

const hidden = "***"

// secretShapes match secrets of any origin: credentials, the password of kubeadmin, private keys, the user of a URL.
var secretShapes = regexp.MustCompile(strings.Join([]string{
	`(?:auth|password)\\*"\s*:\s*\\*"[^"\\]*`,
	`\b[A-Za-z0-9]{5}(?:-[A-Za-z0-9]{5}){3}\b`,
	`-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*`,
	`://[^/\s]+@`,
}, "|"))

// Masker removes secrets from the program's output: it quotes values of the install-config that it refuses, and prints the
// password of kubeadmin at the end.
type Masker struct{ secrets []string }

// NewMasker returns a masker of the pull secret and the Secrets among the inputs.
func NewMasker(wanted state.Generation) Masker {
	var m Masker
	m.addPullSecret(wanted.InstallConfig)
	for _, manifest := range wanted.Manifests {
		m.addSecret(manifest.Content)
	}
	return m
}

func (m *Masker) addPullSecret(installConfig []byte) {
	var config struct {
		PullSecret string `yaml:"pullSecret"`
	}
	// The program reports an install-config that does not parse.
	_ = yaml.Unmarshal(installConfig, &config)
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
}

func (m *Masker) addSecret(manifest []byte) {
	var secret struct {
		Kind       string            `yaml:"kind"`
		Data       map[string]string `yaml:"data"`
		StringData map[string]string `yaml:"stringData"`
	}
	// A manifest of another form is no Secret.
	if err := yaml.Unmarshal(manifest, &secret); err != nil || secret.Kind != "Secret" {
		return
	}
	for _, values := range []map[string]string{secret.Data, secret.StringData} {
		for _, value := range values {
			m.add(value)
		}
	}
}

// add adds a secret verbatim and with the escapes of a quoted string.
func (m *Masker) add(secret string) {
	secret = strings.TrimSpace(secret)
	if len(secret) < 4 {
		return // masking so short a text would mask other words
	}
	quoted := strconv.Quote(secret)
	m.secrets = append(m.secrets, secret, quoted[1:len(quoted)-1])
	// Longest first: masking a secret that is a prefix of another would leave the rest of the other.
	stable.Sort(m.secrets, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
}

// Hide masks the secrets and the secretShapes.
func (m Masker) Hide(text string) string {
	for _, secret := range m.secrets {
		text = strings.ReplaceAll(text, secret, hidden)
	}
	return secretShapes.ReplaceAllString(text, hidden)
}
