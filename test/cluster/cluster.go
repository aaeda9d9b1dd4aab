// Package cluster tests exoshift with the real API server, controller manager and etcd: OpenShift's kinds are real
// definitions, a script plays the machines and the operators, and what looks at them is the product as it is. It is a
// module of its own, as these programs need what exoshift does not; "make e2e" runs it.
package cluster
