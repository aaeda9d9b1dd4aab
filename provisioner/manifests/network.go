package manifests

import (
	"errors"
	"fmt"

	"exoshift/state"

	"github.com/goccy/go-yaml"
)

const (
	cilium = "Cilium"
	// operatorConfig is where openshift-install writes the network operator's settings, if any.
	operatorConfig = plainFolder + "cluster-network-03-config.yml"
)

// ensureNetwork checks that the manifests match the chosen plugin: OpenShift installs only OVN-Kubernetes by itself.
func ensureNetwork(c *collection, spec state.NetworkSpec) error {
	if spec.CNI != cilium {
		brought, found := c.find(func(d document) bool { return d.kind == "CiliumConfig" })
		if found {
			return newInvalidError(fmt.Errorf("%s contains Cilium, but network.cni is %s", brought.position, spec.CNI)).
				WithHint("set network.cni to Cilium in the answers file, or remove Cilium")
		}
		return nil
	}
	if _, found := c.find(isCilium); !found {
		return newInvalidError(errors.New("network.cni is Cilium, but its manifests are missing")).
			WithHint("set syn.catalogDir to a catalog with the component cilium, or add Cilium's manifests to openshift.manifestsDir")
	}
	if _, found := c.find(isOperatorConfig); found {
		return nil
	}
	return addOperatorConfig(c, spec)
}

func isCilium(d document) bool {
	return d.kind == "CiliumConfig" || d.name == "cilium" || d.namespace == "cilium"
}

func isOperatorConfig(d document) bool {
	return d.group() == "operator.openshift.io" && d.kind == "Network" && d.name == "cluster"
}

// addOperatorConfig selects Cilium and disables kube-proxy, which Cilium replaces, in the form of Project Syn's procedure.
func addOperatorConfig(c *collection, spec state.NetworkSpec) error {
	content, err := yaml.Marshal(yaml.MapSlice{
		{Key: "apiVersion", Value: "operator.openshift.io/v1"},
		{Key: "kind", Value: "Network"},
		{Key: "metadata", Value: yaml.MapSlice{{Key: "name", Value: "cluster"}}},
		{Key: "spec", Value: yaml.MapSlice{
			{Key: "clusterNetwork", Value: []yaml.MapSlice{{
				{Key: "cidr", Value: spec.PodCIDR}, {Key: "hostPrefix", Value: spec.HostPrefix},
			}}},
			{Key: "deployKubeProxy", Value: false},
			{Key: "externalIP", Value: yaml.MapSlice{{Key: "policy", Value: yaml.MapSlice{}}}},
			{Key: "networkType", Value: cilium},
			{Key: "serviceNetwork", Value: []string{spec.ServiceCIDR}},
		}},
	})
	if err != nil {
		return fmt.Errorf("%s: %w", operatorConfig, err)
	}
	d, err := newDocument("exoshift's own "+operatorConfig, 1, content)
	if err != nil {
		return err
	}
	return c.add(operatorConfig, d)
}
