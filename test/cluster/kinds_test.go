package cluster

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// definitionFiles are those of OpenShift's definitions that matter, below the folder of github.com/openshift/api.
func definitionFiles() []string {
	const generated = "/zz_generated.crd-manifests/"
	return []string{
		"config/v1" + generated + "0000_00_cluster-version-operator_01_clusterversions-Default.crd.yaml",
		"config/v1" + generated + "0000_00_cluster-version-operator_01_clusteroperators.crd.yaml",
		"config/v1" + generated + "0000_10_config-operator_01_infrastructures-Default.crd.yaml",
		"config/v1" + generated + "0000_10_config-operator_01_schedulers-Default.crd.yaml",
		"operator/v1" + generated + "0000_12_etcd_01_etcds-Default.crd.yaml",
		"operator/v1" + generated + "0000_20_kube-apiserver_01_kubeapiservers-Default.crd.yaml",
		"operator/v1" + generated + "0000_25_kube-controller-manager_01_kubecontrollermanagers.crd.yaml",
		"operator/v1" + generated + "0000_25_kube-scheduler_01_kubeschedulers.crd.yaml",
		"operator/v1" + generated + "0000_50_ingress_00_ingresscontrollers.crd.yaml",
		"imageregistry/v1" + generated + "00_configs.crd.yaml",
		"samples/v1" + generated + "00_configs.crd.yaml",
		"machineconfiguration/v1" + generated + "0000_80_machine-config_01_machineconfigpools.crd.yaml",
		"route/v1" + generated + "routes.crd.yaml",
	}
}

var definitions = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// define adds OpenShift's kinds and waits until the API server serves them.
func define(t *testing.T, objects dynamic.Interface) {
	t.Helper()
	folder, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}", "github.com/openshift/api").Output()
	must(t, err)
	var names []string
	for _, file := range definitionFiles() {
		names = append(names, defineOne(t, objects, filepath.Join(strings.TrimSpace(string(folder)), file)))
	}
	for _, name := range names {
		until(t, func() error { return established(t, objects, name) })
	}
}

func defineOne(t *testing.T, objects dynamic.Interface, path string) string {
	t.Helper()
	content, err := os.ReadFile(path)
	must(t, err)
	definition := &unstructured.Unstructured{}
	must(t, yaml.Unmarshal(content, &definition.Object))
	_, err = objects.Resource(definitions).Create(t.Context(), definition, metav1.CreateOptions{})
	must(t, err)
	return definition.GetName()
}

func established(t *testing.T, objects dynamic.Interface, name string) error {
	t.Helper()
	definition, err := objects.Resource(definitions).Get(t.Context(), name, metav1.GetOptions{})
	if err != nil {
		return err
	}
	conditions, _, err := unstructured.NestedSlice(definition.Object, "status", "conditions")
	for _, condition := range conditions {
		fields, _ := condition.(map[string]any)
		if fields["type"] == "Established" && fields["status"] == "True" {
			return nil
		}
	}
	return fmt.Errorf("the API server does not serve %s yet (%v)", name, err)
}
