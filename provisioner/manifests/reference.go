package manifests

import (
	"fmt"
	"regexp"
	"strings"

	"exoshift/state"

	"github.com/goccy/go-yaml"
)

// reference matches a compiled catalog's placeholder for a secret, e.g. ?{vaultkv:tenant/cluster/path/key:hash}.
var reference = regexp.MustCompile(`\?\{[a-z0-9]+:[^{}]*\}`)

// Resolve returns the secret for a reference of a compiled catalog.
type Resolve func(secret state.VaultSecret) (string, error)

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
	// JSON, which is YAML, quotes every string: an unquoted secret like 08 or 1e3 would be parsed as a number.
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

func parseVaultSecret(text string) (state.VaultSecret, bool) {
	inner, ok := strings.CutPrefix(strings.TrimSuffix(text, "}"), "?{vaultkv:")
	place, _, _ := strings.Cut(inner, ":")
	slash := strings.LastIndex(place, "/")
	if !ok || slash <= 0 {
		return state.VaultSecret{}, false
	}
	return state.VaultSecret{Path: place[:slash], Key: place[slash+1:]}, true
}

// checkReferences fails if a reference to a secret is left: the cluster would use its text as the secret.
func checkReferences(c *collection) error {
	for _, d := range c.documents {
		if !reference.Match(d.content) {
			continue // aliases are not followed, as these may refer to further aliases
		}
		if key, text := findReference("", d.fields); key != "" {
			return newInvalidError(fmt.Errorf("%s: %s of %s is an unresolved reference: %s", d.position, key, d, text)).
				WithHint("replace it with the secret in a copy of the catalog, or remove the file and apply it later")
		}
	}
	return nil
}

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
