package kubelet

import (
	"context"
	"path"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/kube/apiserver"
	"exoshift/internal/simcloud/openshift/argo"
	"exoshift/internal/simcloud/openshift/ceph"
	"exoshift/internal/simcloud/openshift/certmanager"
	"exoshift/internal/simcloud/openshift/cloudprovider"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/container"
	"exoshift/internal/simcloud/openshift/hostshell"
	"exoshift/internal/simcloud/openshift/maintenance"
	"exoshift/internal/simcloud/openshift/monitoring"
	"exoshift/internal/simcloud/openshift/operators"
)

// programs are the simulated programs, by the name of their image. Each returns why it ended, nil on success.
var programs = map[string]func(context.Context, container.Container) error{ //nolint:gochecknoglobals // a table that nothing changes
	"cloud-controller-manager": cloudprovider.RunCloudController, "exoscale-cloud-controller-manager": cloudprovider.RunCloudController,
	"csi-driver": cloudprovider.RunBlockStorage, "exoscale-csi-driver": cloudprovider.RunBlockStorage,
	operators.CiliumAgent: runCilium, "steward": argo.RunSteward, "argocd": argo.RunArgo, "argocd-operator": argo.RunArgoOperator,
	"cert-manager-controller": certmanager.RunCertManager, "openshift-upgrade-controller": maintenance.RunUpgrades,
	"emergency-credentials-controller": maintenance.RunEmergency, "ceph": ceph.Run,
}

// findProgram returns the program of a pod and its container: the first simulated one, else the first.
func findProgram(pod kube.Object) (string, kube.Object) {
	containers := pod.List("spec.containers")
	for _, container := range containers {
		if name := parseImageName(container.GetString("image")); programs[name] != nil {
			return name, container
		}
	}
	if len(containers) == 0 {
		return "", nil
	}
	return parseImageName(containers[0].GetString("image")), containers[0]
}

// parseImageName returns the name of an image without registry, tag and digest: it identifies the program of a container.
func parseImageName(image string) string {
	name, _, _ := strings.Cut(image, "@")
	name, _, _ = strings.Cut(path.Base(name), ":")
	return name
}

// jobTime is how long a Job takes before it has its effect, if any.
const jobTime = 10 * time.Second

// runJob has the effect of a Job.
func runJob(ctx context.Context, c container.Container) error {
	switch {
	case strings.HasPrefix(c.Pod.Name(), certmanager.AcmeJob+"-"):
		return certmanager.RegisterACME(ctx, c)
	case c.Pod.Namespace() == monitoring.Namespace && strings.HasPrefix(c.Pod.Name(), monitoring.SilenceName):
		return monitoring.ApplySilences(c.Cluster)
	}
	return nil
}

// execCommand runs a command in a container, which has only those commands that clients of the cluster run.
func execCommand(c *cluster.Cluster, pod kube.Object, container string, command []string) apiserver.ExecResult {
	if app, _ := pod.Label("app"); app == cluster.EtcdApp && container == "etcdctl" && command[0] == "etcdctl" {
		if node := pod.GetString("spec.nodeName"); !c.Members.IsAlive(node) {
			return apiserver.ExecResult{Unreachable: "dial tcp: " + node + ": i/o timeout"}
		}
		ended := c.Members.Etcdctl(command[1:])
		return apiserver.ExecResult{Out: ended.Stdout, Err: ended.Stderr, Code: ended.Code}
	}
	if out, failure, code, handled := ceph.Execute(c, pod, command); handled {
		return apiserver.ExecResult{Out: out, Err: failure, Code: code}
	}
	if result, handled := hostshell.Execute(c, pod, command); handled {
		return result
	}
	const notFound = 127
	return apiserver.ExecResult{Err: command[0] + ": command not found\n", Code: notFound}
}
