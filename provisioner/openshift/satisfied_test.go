package openshift_test

import (
	"exoshift/provisioner/install"
	"exoshift/provisioner/openshift"
)

// The recipe's interface is satisfied without importing it.
var _ install.Cluster = (*openshift.Cluster)(nil)
