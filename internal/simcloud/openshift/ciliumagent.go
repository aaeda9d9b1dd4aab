package openshift

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"
)

// runCilium is the agent on a node. Service addresses are not translated before it runs, so its environment must name the API
// server.
func runCilium(ctx context.Context, c container) error {
	if err := checkNetworkType(c.cluster, ciliumKind); err != nil {
		return err
	}
	api, err := newClient(c.machine, access{server: getAPIAddress(c.env), authority: c.authority}, c.cluster.getTimeout())
	if err != nil {
		return err
	}
	defer api.close()
	if _, err := api.get(ctx, "/readyz"); err != nil {
		return fmt.Errorf("unable to contact k8s api-server: %w", err)
	}
	c.running()
	<-ctx.Done()
	return ctx.Err()
}

// checkNetworkType returns nil if the network operator's configuration leaves nodes and services to another plugin; otherwise
// kube-proxy and that plugin conflict.
func checkNetworkType(c *cluster, kind string) error {
	operator, ok := c.objects.Get("networks.operator.openshift.io", "", "cluster")
	proxy, told := operator.Get("spec.deployKubeProxy").(bool)
	switch plugin := cmp.Or(operator.GetString("spec.networkType"), operator.GetString("spec.defaultNetwork.type")); {
	case !ok:
		return errors.New("there is no Network of operator.openshift.io named cluster")
	case !strings.EqualFold(plugin, kind):
		return fmt.Errorf("the Network of operator.openshift.io is of type %q, not %s", plugin, kind)
	case !told || proxy:
		return errors.New("the Network of operator.openshift.io does not set deployKubeProxy to false")
	}
	return nil
}
