// Package e2e tests what exoshift hands to foreign programs with these programs themselves: the real HAProxy runs with
// the generated configuration between real name servers, machines and clients; the real Ignition makes machines of the
// documents that they boot with. It is a module of its own, as it needs Linux namespaces and libraries that exoshift
// does not; "make e2e" runs it.
package e2e
