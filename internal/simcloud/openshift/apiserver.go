package openshift

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"exoshift/internal/simcloud/kube/apiserver"
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/hostnet"
)

const (
	apiPort           = 6443
	machineConfigPort = 22623
)

// serveAPI serves a cluster's API on a machine. issued selects serving certificates issued by the cluster itself.
func serveAPI(ctx context.Context, c *cluster, m machine.Machine, issued bool) error {
	config, err := c.newAPITLS(issued)
	if err != nil {
		return err
	}
	server := &apiserver.Server{
		Objects:       c.objects,
		Authenticator: apiserver.Authenticator{Clients: c.getClientCAs, Token: c.accounts.findTokenUser, Issue: c.accounts.issueToken},
		Authorize:     c.accounts.authorize,
		Ready:         c.members.checkQuorum,
		Version:       getKubernetesVersion(c.record().Version),
	}
	defer c.addServer(m.Address().String())()
	return hostnet.ListenAndServe(ctx, m, apiPort, config, server)
}

// getKubernetesVersion: OpenShift 4.N runs Kubernetes 1.(N+13).
func getKubernetesVersion(openshift string) string {
	parts := strings.Split(openshift, ".")
	if len(parts) < 2 {
		return "1.33.0"
	}
	minor, _ := strconv.Atoi(parts[1])
	return fmt.Sprintf("1.%d.5", minor+13)
}
