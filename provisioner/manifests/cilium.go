package manifests

import (
	"fmt"
	"net/netip"

	"github.com/goccy/go-yaml"
)

// sameCluster refuses a CiliumConfig that was made for another cluster: its agents would ask that one's API, and no node
// would become ready. Without a service network they need to be told where the API is.
func (c *collection) sameCluster(domain string) error {
	config, found := c.find(func(d document) bool { return d.kind == "CiliumConfig" })
	if !found {
		return nil
	}
	host := apiOfCilium(config)
	if _, err := netip.ParseAddr(host); err == nil || host == "" || host == "api-int."+domain || host == "api."+domain {
		return nil
	}
	return invalid(fmt.Errorf("%s leads Cilium to the API at %s, and this cluster's is api-int.%s", config.place, host, domain)).
		WithHint("compile the catalog of this cluster, or correct k8sServiceHost")
}

// apiOfCilium is the value of Cilium's chart; the enterprise edition has its values below "cilium".
func apiOfCilium(config document) string {
	spec, _ := field(config.fields, "spec").(yaml.MapSlice)
	enterprise, _ := field(spec, "cilium").(yaml.MapSlice)
	for _, values := range []yaml.MapSlice{spec, enterprise} {
		if host, _ := field(values, "k8sServiceHost").(string); host != "" {
			return host
		}
	}
	return ""
}
