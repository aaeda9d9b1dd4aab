package kubelet

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/container"
	"exoshift/internal/simcloud/openshift/operators"
)

// runCilium is the agent on a node. Service addresses are not translated before it runs, so its environment must name the API
// server.
func runCilium(ctx context.Context, c container.Container) error {
	if err := checkNetworkType(c.Cluster, operators.CiliumKind); err != nil {
		return err
	}
	api, err := apiclient.New(c.Machine, apiclient.Access{Server: container.GetAPIAddress(c.Env), Authority: c.Authority}, c.Cluster.Timeout())
	if err != nil {
		return err
	}
	defer api.Close()
	if _, err := api.Get(ctx, "/readyz"); err != nil {
		return fmt.Errorf("unable to contact k8s api-server: %w", err)
	}
	c.Running()
	<-ctx.Done()
	return ctx.Err()
}

// checkNetworkType returns nil if the network operator's configuration leaves nodes and services to another plugin; otherwise
// kube-proxy and that plugin conflict.
func checkNetworkType(c *cluster.Cluster, kind string) error {
	operator, ok := c.Objects.Get("networks.operator.openshift.io", "", "cluster")
	proxy, known := operator.Get("spec.deployKubeProxy").(bool)
	switch plugin := cmp.Or(operator.GetString("spec.networkType"), operator.GetString("spec.defaultNetwork.type")); {
	case !ok:
		return errors.New("there is no Network of operator.openshift.io named cluster")
	case !strings.EqualFold(plugin, kind):
		return fmt.Errorf("the Network of operator.openshift.io is of type %q, not %s", plugin, kind)
	case !known || proxy:
		return errors.New("the Network of operator.openshift.io does not set deployKubeProxy to false")
	}
	return nil
}
