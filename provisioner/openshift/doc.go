// Package openshift makes a cluster out of machines: it runs openshift-install of one version, opens the boot image
// that this version wants, and watches and finishes the cluster through its API. It is the only package that knows
// client-go.
package openshift
