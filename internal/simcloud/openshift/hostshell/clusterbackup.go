package hostshell

import (
	"strings"

	"exoshift/internal/simcloud/kube/apiserver"
	"exoshift/internal/simcloud/openshift/cluster"
)

// backUp is cluster-backup.sh of the cluster-etcd-operator, 4.18 to 4.21: the snapshot of etcd, and the resources of the static pods.
func (s shell) backUp(arguments []string) apiserver.ExecResult {
	force := len(arguments) > 0 && arguments[0] == "--force"
	if force {
		arguments = arguments[1:]
	}
	if len(arguments) != 1 {
		return apiserver.ExecResult{Out: "Path to backup dir required: ./cluster-backup.sh [--force] <path-to-backup-dir>\n", Code: 1}
	}
	suffix := s.cluster.Clock.Now().UTC().Format("2006-01-02_150405")
	for _, name := range []string{"kube-apiserver", "kube-controller-manager", "kube-scheduler", "etcd"} {
		operator, _ := s.cluster.Objects.Get(cluster.OperatorResource, "", name)
		switch status := operator.Condition("Progressing").GetString("status"); {
		case status == "False":
		case force:
			suffix += "__POSSIBLY_DIRTY__"
			force = false
		case status == "":
			return apiserver.ExecResult{Out: "Could not find the status of the " + name + ". Check if the API server is running. Pass the --force flag to skip checks.\n", Code: 1}
		default:
			return apiserver.ExecResult{Out: "Currently the " + name + " operator is progressing. A reliable backup requires that a rollout is not in progress.  Aborting!\n", Code: 1}
		}
	}
	if err := s.cluster.Members.CheckQuorum(); err != nil {
		return apiserver.ExecResult{Err: "Error: " + err.Error() + "\n", Code: 1}
	}
	made := s.newSnapshot()
	snapshot, status, err := made.encode()
	var resources []byte
	if err == nil {
		resources, err = packResources(made.Key, s.cluster.Clock.Now())
	}
	if err != nil {
		return apiserver.ExecResult{Err: "Error: " + err.Error() + "\n", Code: 1}
	}
	folder, database := arguments[0], "snapshot_"+suffix+".db"
	disk := Disk{s.host}
	files := disk.Load(folder)
	if files == nil {
		files = map[string][]byte{}
	}
	files[database], files["static_kuberesources_"+suffix+".tar.gz"] = snapshot, resources
	disk.Save(folder, files)
	return apiserver.ExecResult{Out: strings.Join([]string{
		"Certificate /etc/kubernetes/static-pod-certs/configmaps/etcd-all-bundles/server-ca-bundle.crt is missing. Checking in different directory",
		"found latest kube-apiserver: /etc/kubernetes/static-pod-resources/kube-apiserver-pod-6",
		"found latest etcd: /etc/kubernetes/static-pod-resources/etcd-pod-3",
		"Snapshot saved at " + folder + "/" + database, status,
		"snapshot db and kube resources are successfully saved to " + folder, "",
	}, "\n")}
}
