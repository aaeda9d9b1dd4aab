package manifests

import (
	"fmt"
	"regexp"
	"strings"

	"exoshift/state"

	"github.com/goccy/go-yaml"
)

// reference matches what a compiled catalog has in place of a secret, e.g. ?{vaultkv:tenant/cluster/path/key:hash}.
var reference = regexp.MustCompile(`\?\{[a-z0-9]+:[^{}]*\}`)

// Resolve returns the secret that a reference of a compiled catalog leads to.
type Resolve func(secret state.VaultSecret) (string, error)

// withSecrets puts secrets in the place of their references. Without resolve only the cloud controller's own Secret is
// filled in, with an API key.
func (d document) withSecrets(credentials state.APIKey, resolve Resolve) (document, error) {
	if d.kind != "Secret" && resolve == nil || !reference.Match(d.content) {
		return d, nil
	}
	var err error
	if resolve == nil {
		d.putCredentials(credentials)
	} else {
		_, err = d.replace(d.fields, resolve)
	}
	if err != nil {
		return d, err
	}
	// As JSON, which is YAML, every text is in quotes: a secret like 08 or 1e3 would be a number for its reader.
	content, err := yaml.MarshalWithOptions(d.fields, yaml.JSON())
	if err != nil {
		return d, fmt.Errorf("%s: %w", d.position, err)
	}
	d.content = content
	return d, nil
}

func (d document) putCredentials(credentials state.APIKey) {
	secrets := map[string]string{"api-key": credentials.Key, "api-secret": credentials.Secret}
	values, _ := getField(d.fields, "stringData").(yaml.MapSlice)
	for i, item := range values {
		key, _ := item.Key.(string)
		text, _ := item.Value.(string)
		if secret := secrets[key]; secret != "" && reference.MatchString(text) {
			values[i].Value = secret
		}
	}
}

// replace resolves the references below a value, in place where it is a map or a list.
func (d document) replace(value any, resolve Resolve) (any, error) {
	var err error
	switch value := value.(type) {
	case string:
		return d.resolveText(value, resolve)
	case yaml.MapSlice:
		for i := range value {
			if value[i].Value, err = d.replace(value[i].Value, resolve); err != nil {
				return nil, err
			}
		}
	case []any:
		for i := range value {
			if value[i], err = d.replace(value[i], resolve); err != nil {
				return nil, err
			}
		}
	}
	return value, nil
}

// resolveText leaves a reference of another kind than Vault's as it is: nothing resolves it, which is found out later.
func (d document) resolveText(text string, resolve Resolve) (string, error) {
	var failure error
	resolved := reference.ReplaceAllStringFunc(text, func(found string) string {
		secret, ok := parseVaultSecret(found)
		if !ok || failure != nil {
			return found
		}
		value, err := resolve(secret)
		if err != nil {
			failure = fmt.Errorf("%s: %s: %w", d.position, d, err)
		}
		return value
	})
	return resolved, failure
}

// parseVaultSecret reads a reference like ?{vaultkv:t-demo/c-demo/registry/httpSecret:0123abcd}.
func parseVaultSecret(text string) (state.VaultSecret, bool) {
	inner, ok := strings.CutPrefix(strings.TrimSuffix(text, "}"), "?{vaultkv:")
	place, _, _ := strings.Cut(inner, ":")
	slash := strings.LastIndex(place, "/")
	if !ok || slash <= 0 {
		return state.VaultSecret{}, false
	}
	return state.VaultSecret{Path: place[:slash], Key: place[slash+1:]}, true
}

// checkReferences fails if a reference to a secret is left anywhere: the cluster would take its text for the secret.
func (c *collection) checkReferences() error {
	for _, d := range c.documents {
		if !reference.Match(d.content) {
			continue // the search would follow each of its aliases, and these may be of aliases
		}
		if key, text := findReference("", d.fields); key != "" {
			return newInvalidError(fmt.Errorf("%s: %s of %s is a reference that nothing resolves: %s", d.position, key, d, text)).
				WithHint("put the secret in its place in a copy of the catalog, or take the file away and apply it later")
		}
	}
	return nil
}

// findReference returns the first reference below a value, and the path of its key.
func findReference(path string, value any) (key, text string) {
	switch value := value.(type) {
	case string:
		if text := reference.FindString(value); text != "" {
			return path, text
		}
	case yaml.MapSlice:
		for _, item := range value {
			below := fmt.Sprint(item.Key)
			if path != "" {
				below = path + "." + below
			}
			if key, text = findReference(below, item.Value); key != "" {
				return key, text
			}
		}
	case []any:
		for i, item := range value {
			if key, text = findReference(fmt.Sprintf("%s[%d]", path, i), item); key != "" {
				return key, text
			}
		}
	}
	return "", ""
}
