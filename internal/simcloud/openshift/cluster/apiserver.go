package cluster

import (
	"context"
	"fmt"
	"strconv"
	"strings"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/kube/apiserver"
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/hostnet"
)

// Ports of a master.
const (
	APIPort           = 6443
	MachineConfigPort = 22623
)

// Exec runs a command in a container of a pod.
type Exec = func(pod kube.Object, container string, command []string) apiserver.ExecResult

// ServeAPI serves a cluster's API on a machine. issued selects serving certificates issued by the cluster itself. exec may be nil.
func ServeAPI(ctx context.Context, c *Cluster, m machine.Machine, issued bool, exec Exec) error {
	config, err := c.newAPITLS(issued)
	if err != nil {
		return err
	}
	server := &apiserver.Server{
		Objects:       c.Objects,
		Authenticator: apiserver.Authenticator{Clients: c.getClientCAs, Token: c.Accounts.FindTokenUser, Issue: c.Accounts.issueToken},
		Authorize:     c.Accounts.Authorize,
		Ready:         c.Members.CheckQuorum,
		Exec:          exec,
		Version:       GetKubernetesVersion(c.TargetVersion()),
	}
	defer c.AddServer(m.Address().String())()
	return hostnet.ListenAndServe(ctx, m, APIPort, config, server)
}

// GetKubernetesVersion returns the version of Kubernetes in a release: OpenShift 4.N runs Kubernetes 1.(N+13).
func GetKubernetesVersion(openshift string) string {
	parts := strings.Split(openshift, ".")
	if len(parts) < 2 {
		return "1.33.0"
	}
	minor, _ := strconv.Atoi(parts[1])
	return fmt.Sprintf("1.%d.5", minor+13)
}
