package bootstrap

import (
	"fmt"
	"strings"

	"github.com/goccy/go-yaml"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/journal"
	"exoshift/internal/simcloud/openshift/machineconfig"
)

// optOpenShift is where openshift-install's files are on the bootstrap machine.
const optOpenShift = "/opt/openshift/"

// disk is what openshift-install left on the disk of the bootstrap machine.
type disk struct{ machine *journal.Machine }

func (d disk) readText(name string) string {
	content, _ := d.machine.ReadFile(optOpenShift + name)
	return string(content)
}

func (d disk) readManifest(name string) (kube.Object, error) {
	content, ok := d.machine.ReadFile(optOpenShift + name)
	if !ok {
		return nil, fmt.Errorf("%s is missing", name)
	}
	documents, err := cluster.ParseManifest(content)
	if err != nil || len(documents) != 1 {
		return nil, fmt.Errorf("%s: %d documents: %w", name, len(documents), err)
	}
	return documents[0], nil
}

// listDocuments returns the documents of all manifests on the disk, sorted by file name. Errors are written to the console.
func (d disk) listDocuments() []document {
	var found []document
	for name := range strings.SplitSeq(d.readText("manifests.txt"), "\n") {
		objects, err := cluster.ParseManifest([]byte(d.readText(name)))
		if err != nil {
			d.machine.Console("cluster-bootstrap: %s: %v", name, err)
		}
		for _, object := range objects {
			found = append(found, document{name, object})
		}
	}
	return found
}

func (d disk) readMachineConfigs() []kube.Object {
	var found []kube.Object
	for _, document := range d.listDocuments() {
		if document.object.GetString("kind") == machineconfig.Kind {
			found = append(found, document.object)
		}
	}
	return found
}

func (d disk) getReplicas() int {
	config := struct {
		ControlPlane struct {
			Replicas int `yaml:"replicas"`
		} `yaml:"controlPlane"`
	}{}
	config.ControlPlane.Replicas = 3
	if err := yaml.Unmarshal([]byte(d.readText("install-config.yaml")), &config); err != nil {
		d.machine.Console("install-config.yaml: %v", err)
	}
	return config.ControlPlane.Replicas
}

type document struct {
	file   string
	object kube.Object
}
