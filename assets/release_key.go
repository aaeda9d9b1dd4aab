package assets

import _ "embed"

//go:embed release-key.asc
var releaseKey string

// ReleaseKey returns the OpenPGP public key, armored, that signs the releases of OpenShift Container Platform: Red Hat's
// "release key 2", as openshift/cluster-update-keys publishes it.
func ReleaseKey() []byte { return []byte(releaseKey) }
