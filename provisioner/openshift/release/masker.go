package release

import (
	"cmp"
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"exoshift/state"

	"github.com/goccy/go-yaml"
)

const hidden = "***"

// secretShapes look like secrets wherever they come from: credentials, the password of the cluster's first user,
// private keys, the user of an URL.
var secretShapes = regexp.MustCompile(strings.Join([]string{
	`(?:auth|password)\\*"\s*:\s*\\*"[^"\\]*`,
	`\b[A-Za-z0-9]{5}(?:-[A-Za-z0-9]{5}){3}\b`,
	`-----BEGIN [A-Z ]*PRIVATE KEY-----[^-]*`,
	`://[^/\s]+@`,
}, "|"))

// masker hides secrets in what the program says: it quotes values of the install-config that it refuses, and ends
// with the password of the cluster's first user.
type masker struct{ secrets []string }

// newMasker knows the secrets that a generation is made from.
func newMasker(wanted state.Generation) masker {
	var m masker
	m.addPullSecret(wanted.InstallConfig)
	for _, manifest := range wanted.Manifests {
		m.addSecret(manifest.Content)
	}
	return m
}

// addPullSecret notes the pull secret of an install-config and the credentials in it.
func (m *masker) addPullSecret(installConfig []byte) {
	var config struct {
		PullSecret string `yaml:"pullSecret"`
	}
	// An install-config that does not parse is for the program to complain about.
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

// addSecret notes the values of a manifest that is a Secret.
func (m *masker) addSecret(manifest []byte) {
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

// add notes a secret, as it is and as it looks within quotes.
func (m *masker) add(secret string) {
	secret = strings.TrimSpace(secret)
	if len(secret) < 4 {
		return // hiding so short a text would only hide others
	}
	quoted := strconv.Quote(secret)
	m.secrets = append(m.secrets, secret, quoted[1:len(quoted)-1])
	// The longest first: a secret that is the beginning of another would leave the other's rest.
	slices.SortStableFunc(m.secrets, func(a, b string) int { return cmp.Compare(len(b), len(a)) })
}

// hide replaces the known secrets, and what looks like one.
func (m masker) hide(text string) string {
	for _, secret := range m.secrets {
		text = strings.ReplaceAll(text, secret, hidden)
	}
	return secretShapes.ReplaceAllString(text, hidden)
}
