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

// serveAPI: issued selects serving certificates issued by the cluster itself.
func (c *cluster) serveAPI(ctx context.Context, m machine.Machine, issued bool) error {
	config, err := c.newAPITLS(issued)
	if err != nil {
		return err
	}
	server := &apiserver.Server{
		Objects:       c.objects,
		Authenticator: apiserver.Authenticator{Clients: c.getClientCAs, Token: c.findTokenUser, Issue: c.issueToken},
		Authorize:     c.authorize,
		Ready:         c.checkQuorum,
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

const csrResource = "certificatesigningrequests"

// authorize allows three kinds of users without reading roles: administrators, the node bootstrapper, and nodes.
func authorize(a apiserver.Attributes) bool {
	reads := a.Verb == "get" || a.Verb == "list" || a.Verb == "watch"
	switch {
	case a.User.HasGroup("system:masters"):
		return true
	case a.User.Name == nodeBootstrapper:
		return a.Resource == csrResource && (reads || a.Verb == "create")
	case a.User.HasGroup("system:nodes"):
		return authorizeNode(a, strings.TrimPrefix(a.User.Name, "system:node:"), reads)
	}
	return false
}

func authorizeNode(a apiserver.Attributes, node string, reads bool) bool {
	switch a.Resource {
	case csrResource:
		return reads || a.Verb == "create"
	case "nodes":
		return reads || a.Verb == "create" || a.Name == node
	case "nodes/status":
		return a.Name == node
	case "pods":
		return reads && (a.Name != "" || a.OwnerOfSpec == node)
	case "pods/status":
		return true
	case "secrets", "configmaps":
		return a.Verb == "get"
	}
	return false
}
