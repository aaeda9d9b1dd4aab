// Package openshift watches a cluster come alive and finishes it, through its API. It is the only package that knows
// client-go.
package openshift
