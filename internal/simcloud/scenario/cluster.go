// Package scenario is what the scenarios of the simulated zone inject.
package scenario

import "time"

// Cluster is what a scenario injects into the machines, networks and programs of clusters. The zero Cluster injects nothing.
type Cluster struct {
	// Slowness is a factor on every duration on the machines; 0 means 1.
	Slowness int
	// SlowDisks: the disks of masters are too slow for etcd.
	SlowDisks bool
	// MemberBreaks: the last master loses its etcd's data when the bootstrap is complete.
	MemberBreaks bool
	// LeftoverData: the disk of the last master whose member is added holds the data of another cluster's etcd.
	LeftoverData bool
	// SmallNodes have too little memory for the monitoring.
	SmallNodes bool
	// ExpiredCertificates: the API servers serve certificates that expired an hour ago.
	ExpiredCertificates bool
	// ForeignAuthority: the API servers serve certificates that another cluster's authority signed.
	ForeignAuthority bool
	// WorkersUnserved: the rendered configuration of the workers is never stored.
	WorkersUnserved bool
	// GreedyRequests: nodes that are no masters request certificates of administrators.
	GreedyRequests bool
	// LostCertificates: worker-0 loses its first certificate, four times.
	LostCertificates bool
	// BlankHostnames: the machine configuration of nodes that are no masters clears their host names.
	BlankHostnames bool
	// MixedConfigs: the bootstrap machine serves masters a configuration that the cluster does not have.
	MixedConfigs bool
	// SecondInterface: the second master has a second interface, whose address its kubelet prefers.
	SecondInterface bool
	// SlowArgo: the operator of Argo CD is in a deadlock until Steward restarts it.
	SlowArgo bool
	// UnexpectedAlert: a Job fails, which fires an alert that is not expected on a new cluster.
	UnexpectedAlert bool
	// RoutersOnMasters: the ingress controller is changed, once, to place the routers on the masters.
	RoutersOnMasters bool
}

// ScaleDuration returns how long something takes that usually takes d.
func (c Cluster) ScaleDuration(d time.Duration) time.Duration {
	return d * time.Duration(max(1, c.Slowness))
}
