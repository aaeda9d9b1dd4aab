// Package openshift observes and completes an installation through the cluster's API. It is the only package that imports
// client-go.
package openshift
