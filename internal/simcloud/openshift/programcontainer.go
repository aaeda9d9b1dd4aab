package openshift

import (
	"cmp"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/machine"
)

// container is what a program in a pod is given.
type container struct {
	cluster *cluster
	machine machine.Machine
	pod     kube.Object
	env     map[string]string
	// apiServer is where the API is reached from this container; authority is its certificate authority.
	apiServer string
	authority []byte
	// running is called once the program serves.
	running func()
}

// newClient returns a client of the API, as the pod's service account.
func (c container) newClient() (*client, error) {
	account := getServiceAccount(kube.Object(c.pod.Map("spec")))
	token := c.cluster.accounts.issuePodToken(c.pod.Namespace(), account)
	return newClient(c.machine, access{server: c.apiServer, authority: c.authority, token: token}, c.cluster.getTimeout())
}

// getAPIAddress returns the address of the API in a container's environment.
func getAPIAddress(env map[string]string) string {
	return "https://" + env["KUBERNETES_SERVICE_HOST"] + ":" + env["KUBERNETES_SERVICE_PORT"]
}

// getServiceAccount returns the name of a pod's service account.
func getServiceAccount(spec kube.Object) string {
	return cmp.Or(spec.GetString("serviceAccountName"), spec.GetString("serviceAccount"), "default")
}
