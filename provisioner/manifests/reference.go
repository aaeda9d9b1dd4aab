package manifests

import (
	"fmt"
	"regexp"

	"exoshift/state"

	"github.com/goccy/go-yaml"
)

// reference matches what a compiled catalog has in place of a secret, e.g. ?{vaultkv:tenant/cluster/path/key:hash}.
var reference = regexp.MustCompile(`\?\{[a-z0-9]+:[^{}]*\}`)

// withCredentials puts an API key into the Secret of the cloud controller where that refers to one.
func (d document) withCredentials(credentials state.APIKey) (document, error) {
	if d.kind != "Secret" {
		return d, nil
	}
	secrets := map[string]string{"api-key": credentials.Key, "api-secret": credentials.Secret}
	values, _ := field(d.fields, "stringData").(yaml.MapSlice)
	changed := false
	for i, item := range values {
		key, _ := item.Key.(string)
		text, _ := item.Value.(string)
		if secret := secrets[key]; secret != "" && reference.MatchString(text) {
			values[i].Value, changed = secret, true
		}
	}
	if !changed {
		return d, nil
	}
	content, err := yaml.Marshal(d.fields)
	if err != nil {
		return d, fmt.Errorf("%s: %w", d.place, err)
	}
	d.content = content
	return d, nil
}

// unresolved fails if a reference to a secret is left anywhere: the cluster would take its text for the secret.
func (c *collection) unresolved() error {
	for _, d := range c.documents {
		if !reference.Match(d.content) {
			continue // the search would follow each of its aliases, and these may be of aliases
		}
		if key, text := firstReference("", d.fields); key != "" {
			return invalid(fmt.Errorf("%s: %s of %s is a reference that nothing resolves: %s", d.place, key, d, text)).
				WithHint("put the secret in its place in a copy of the catalog, or take the file away and apply it later")
		}
	}
	return nil
}

// firstReference returns the first reference below a value, and the path of its key.
func firstReference(path string, value any) (key, text string) {
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
			if key, text = firstReference(below, item.Value); key != "" {
				return key, text
			}
		}
	case []any:
		for i, item := range value {
			if key, text = firstReference(fmt.Sprintf("%s[%d]", path, i), item); key != "" {
				return key, text
			}
		}
	}
	return "", ""
}
