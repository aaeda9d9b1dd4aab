package ignition

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/vincent-petithory/dataurl"
	"sigs.k8s.io/yaml"

	"exoshift/internal/fault"
)

// proxyManifestPath is the cluster's Proxy object on the bootstrap machine: cluster-bootstrap creates it, and the first
// configuration of the nodes is rendered from it (openshift-install's bootkube.sh).
const proxyManifestPath = "/opt/openshift/manifests/cluster-proxy-01-config.yaml"

// WithNoProxy returns bootstrap.ign with addresses that are reached without the cluster's proxy. Without a proxy, and where it is
// left out for everything, it is the same document.
func WithNoProxy(document []byte, addresses []string) ([]byte, error) {
	const op = "exclude the nodes' addresses from the proxy"
	content, err := readFile(document, proxyManifestPath)
	if err == nil {
		content, err = addNoProxy(content, addresses)
	}
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err)
	}
	if content == nil {
		return document, nil
	}
	changed, err := withFiles(document, map[string][]byte{proxyManifestPath: content})
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err)
	}
	return changed, nil
}

func readFile(document []byte, path string) ([]byte, error) {
	var bootstrap struct {
		Storage struct {
			Files []struct {
				Path     string `json:"path"`
				Contents struct {
					Source      string `json:"source"`
					Compression string `json:"compression"`
				} `json:"contents"`
			} `json:"files"`
		} `json:"storage"`
	}
	if json.Unmarshal(document, &bootstrap) != nil {
		return nil, errors.New("bootstrap.ign has no list of files")
	}
	for _, file := range bootstrap.Storage.Files {
		if file.Path != path {
			continue
		}
		source, err := dataurl.DecodeString(file.Contents.Source)
		if err != nil || file.Contents.Compression != "" {
			return nil, fmt.Errorf("%s has an unknown form", path)
		}
		return source.Data, nil
	}
	return nil, fmt.Errorf("bootstrap.ign has no %s", path)
}

// The status is what the network operator computes of the specification in the cluster: sorted, and each element once. A
// difference would be another configuration of the nodes, which would restart for it. nil: nothing is to be changed.
func addNoProxy(manifest []byte, addresses []string) ([]byte, error) {
	var object map[string]any
	if err := yaml.Unmarshal(manifest, &object); err != nil {
		return nil, errors.New("the manifest of the proxy is not YAML")
	}
	spec, _ := object["spec"].(map[string]any)
	status, _ := object["status"].(map[string]any)
	wanted, _ := spec["noProxy"].(string)
	effective, _ := status["noProxy"].(string)
	if effective == "" || wanted == "*" {
		return nil, nil
	}
	own := splitList(wanted)
	for _, address := range addresses {
		if !slices.Contains(own, address) {
			own = append(own, address)
		}
	}
	all := slices.Sorted(slices.Values(append(splitList(effective), addresses...)))
	spec["noProxy"], status["noProxy"] = strings.Join(own, ","), strings.Join(slices.Compact(all), ",")
	return yaml.Marshal(object)
}

func splitList(text string) []string {
	return strings.FieldsFunc(text, func(r rune) bool { return r == ',' })
}
