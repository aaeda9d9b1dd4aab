package main

import (
	"exoshift/provisioner/openshift"
	"exoshift/state"
)

// readClusterAuthorities are those that a cluster which stands signs its API by, as PEM: nobody else trusts them. "": there is
// no such cluster, or nobody knows.
func readClusterAuthorities(spec state.Spec) string {
	if !isInstalled(spec) {
		return ""
	}
	path, err := state.DefaultPath(spec.Cluster.ID)
	if err != nil {
		return ""
	}
	folder, err := state.OpenReadOnly(path)
	if err != nil {
		return ""
	}
	content, err := folder.Read(state.InstallDir + "/auth/kubeconfig")
	if err != nil {
		return ""
	}
	trusted, err := openshift.ParseAuthorities(content)
	if err != nil {
		return "" // the check of the API says that it is not trusted
	}
	return string(trusted)
}
