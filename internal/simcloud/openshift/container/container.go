// Package container is what a program in a pod of a simulated cluster is given.
package container

import (
	"cmp"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/cluster"
)

// Container is what a program in a pod is given.
type Container struct {
	Cluster *cluster.Cluster
	Machine machine.Machine
	Pod     kube.Object
	Env     map[string]string
	Args    []string
	// APIServer is where the API is reached from this container; authority is its certificate authority.
	APIServer string
	Authority []byte
	// Running is called once the program serves.
	Running func()
}

// NewClient returns a client of the API, as the pod's service account.
func (c Container) NewClient() (*apiclient.Client, error) {
	account := GetServiceAccount(kube.Object(c.Pod.Map("spec")))
	token := c.Cluster.Accounts.IssuePodToken(c.Pod.Namespace(), account)
	return apiclient.New(c.Machine, apiclient.Access{Server: c.APIServer, Authority: c.Authority, Token: token}, c.Cluster.Timeout())
}

// GetAPIAddress returns the address of the API in a container's environment.
func GetAPIAddress(env map[string]string) string {
	return "https://" + env["KUBERNETES_SERVICE_HOST"] + ":" + env["KUBERNETES_SERVICE_PORT"]
}

// GetServiceAccount returns the name of a pod's service account.
func GetServiceAccount(spec kube.Object) string {
	return cmp.Or(spec.GetString("serviceAccountName"), spec.GetString("serviceAccount"), "default")
}
