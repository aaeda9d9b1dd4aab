package syn

import (
	_ "embed" // the description of the API

	"github.com/goccy/go-yaml"
)

// descriptionYAML is the description published by Lieutenant (version v0.5.0, BSD 3-Clause License, VSHN AG).
//
//go:embed description.yaml
var descriptionYAML []byte

func loadDescription() (map[string]any, error) {
	var document map[string]any
	return document, yaml.Unmarshal(descriptionYAML, &document)
}
