package cluster

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"

	"exoshift/internal/simcloud/kube"
)

// ParseManifest parses the documents of a manifest.
func ParseManifest(content []byte) ([]kube.Object, error) {
	var objects []kube.Object
	for document := range strings.SplitSeq("\n"+string(content), "\n---") {
		if strings.TrimSpace(document) == "" {
			continue
		}
		encoded, err := yaml.YAMLToJSON([]byte(document))
		if err != nil {
			return nil, err
		}
		var object kube.Object
		if err := json.Unmarshal(encoded, &object); err != nil {
			return nil, err
		}
		if object != nil {
			objects = append(objects, object)
		}
	}
	return objects, nil
}

// FindKindOf returns the kind of an object, or an error in kubectl's words.
func FindKindOf(objects *kube.Objects, object kube.Object) (kube.Kind, error) {
	kind, known := objects.FindKindOf(object)
	if !known {
		return kube.Kind{}, fmt.Errorf("no matches for kind %q in version %q", object.GetString("kind"), object.GetString("apiVersion"))
	}
	return kind, nil
}
