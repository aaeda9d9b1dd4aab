package main

import (
	"exoshift/provisioner/openshift"
	"exoshift/state"
)

// clusterAuthorities are those that a cluster which stands signs its API by, as PEM: nobody else trusts them. "": there is
// no such cluster, or nobody knows.
func clusterAuthorities(spec state.Spec) string {
	if !stands(spec) {
		return ""
	}
	path, err := state.DefaultPath(spec.Cluster.ID)
	if err != nil {
		return ""
	}
	folder, err := state.Look(path)
	if err != nil {
		return ""
	}
	content, err := folder.Read(state.InstallDir + "/auth/kubeconfig")
	if err != nil {
		return ""
	}
	trusted, err := openshift.Authorities(content)
	if err != nil {
		return "" // the check of the API says that it is not trusted
	}
	return string(trusted)
}
