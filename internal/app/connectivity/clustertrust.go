package connectivity

import (
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"
)

// readClusterAuthorities returns the CA certificates of the API of an installed cluster, as PEM, which are in no other trust
// store; "" if there is no such cluster or it is unknown.
func (s *Checker) readClusterAuthorities() string {
	if !s.installed {
		return ""
	}
	path, err := state.DefaultPath(s.Spec.Cluster.ID)
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
	trusted, err := kubeapi.ParseAuthorities(content)
	if err != nil {
		return "" // the check of the API reports that it is not trusted
	}
	return string(trusted)
}
