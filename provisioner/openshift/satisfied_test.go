package openshift_test

import (
	"exoshift/provisioner/install"
	"exoshift/provisioner/install/syn"
	"exoshift/provisioner/openshift"
)

// The recipe's interfaces are satisfied without importing it.
var (
	_ install.Cluster = (*openshift.Cluster)(nil)
	_ syn.GitOps      = (*openshift.Cluster)(nil)
)
