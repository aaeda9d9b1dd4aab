package release_test

import (
	"exoshift/provisioner/install"
	"exoshift/provisioner/install/nodeimage"
	"exoshift/provisioner/openshift/release"
	"exoshift/provisioner/openshift/release/download"
)

// The recipe's interfaces are satisfied without importing it.
var (
	_ install.Installer = (*release.Installer)(nil)
	_ nodeimage.Source  = (*download.Client)(nil)
)
