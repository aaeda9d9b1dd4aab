package manifests

import (
	"fmt"
	"net/netip"
	"strings"

	"exoshift/state"

	"github.com/goccy/go-yaml"
)

// checkCiliumCluster refuses a CiliumConfig of another cluster: its agents would connect to that one's API, and no node would
// become ready. Without a service network they need the address of the API.
func checkCiliumCluster(c *collection, domain string) error {
	config, found := c.find(func(d document) bool { return d.kind == "CiliumConfig" })
	if !found {
		return nil
	}
	host := findCiliumAPI(config)
	if _, err := netip.ParseAddr(host); err == nil || host == "" || host == "api-int."+domain || host == "api."+domain {
		return nil
	}
	return newInvalidError(fmt.Errorf("%s configures Cilium with the API %s, but this cluster's is api-int.%s", config.position, host, domain)).
		WithHint("compile the catalog of this cluster, or correct k8sServiceHost")
}

// CheckStart refuses manifests for a cluster that starts with Cilium if they lack its operator: the catalog of a running cluster
// no longer holds it.
func CheckStart(spec state.Spec, collected []state.Manifest) error {
	asked, begins := "", false
	for _, m := range collected {
		documents, err := parse(m.Source, m.Content)
		if err != nil {
			return err
		}
		for _, d := range documents {
			if d.kind == "CiliumConfig" {
				asked = m.Source
			}
			begins = begins || (d.kind == "Deployment" || d.kind == "DaemonSet") && (d.namespace == "cilium" || strings.Contains(d.name, "cilium"))
		}
	}
	if asked == "" || begins || spec.Syn.CatalogDir == "" {
		return nil
	}
	return wrapField("syn.catalogDir", newInvalidError(fmt.Errorf("%s requires Cilium, but nothing starts its operator: the catalog is of an installed cluster", asked)).
		WithHint("compile it with parameters.cilium.olm.generate_olm_deployment set to true; without syn.catalogDir this is automatic"))
}

// findCiliumAPI returns a value of Cilium's chart; the enterprise edition has its values below "cilium".
func findCiliumAPI(config document) string {
	spec, _ := getField(config.fields, "spec").(yaml.MapSlice)
	enterprise, _ := getField(spec, "cilium").(yaml.MapSlice)
	for _, values := range []yaml.MapSlice{spec, enterprise} {
		if host, _ := getField(values, "k8sServiceHost").(string); host != "" {
			return host
		}
	}
	return ""
}
