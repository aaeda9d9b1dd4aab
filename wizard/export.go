package wizard

import (
	"fmt"

	"github.com/goccy/go-yaml"

	"exoshift/state"
)

// Export writes a Spec as an answers file with every default spelled out, in the order of the format. origins says by
// field where a value came from (typed, default, detected); that becomes a comment on its line. Parse returns the
// same Spec again. There is no secret in it, as a Spec holds references only.
func Export(spec state.Spec, origins map[string]string) ([]byte, error) {
	comments := yaml.CommentMap{}
	for _, field := range fieldsOf(spec) {
		if origin := origins[field.Key]; origin != "" && field.Get(spec) != "" {
			comments["$."+field.Key] = []*yaml.Comment{yaml.LineComment(" " + origin)}
		}
	}
	content, err := yaml.MarshalWithOptions(spec, yaml.WithComment(comments))
	if err != nil {
		return nil, fmt.Errorf("write the answers as YAML: %w", err)
	}
	return content, nil
}
