package openshift_test

import (
	"exoshift/provisioner/install"
	"exoshift/provisioner/openshift"
)

// The recipe's interfaces are satisfied without importing it.
var (
	_ install.Cluster = (*openshift.Cluster)(nil)
	_ install.GitOps  = (*openshift.Cluster)(nil)
)
