package openshift

import (
	"context"
	"time"
)

// Faults are what is wrong with the machines, networks and programs of clusters. The zero Troubles are none.
type Faults struct {
	// Slowness is how many times as long everything takes on the machines; 0 is as long as usual.
	Slowness int
	// SlowDisks: the disks of masters are too slow for etcd.
	SlowDisks bool
	// MemberBreaks: the last master loses its etcd's data when the bootstrap is complete.
	MemberBreaks bool
	// LeftoverData: the disk of the last master whose member is added holds the data of another cluster's etcd.
	LeftoverData bool
	// SmallNodes have too little memory for the monitoring.
	SmallNodes bool
	// ExpiredCertificates: the API servers show certificates that ended an hour ago.
	ExpiredCertificates bool
	// ForeignAuthority: the API servers show certificates that another cluster's authority signed.
	ForeignAuthority bool
	// WorkersUnserved: what the machine configurations of the workers amount to is never kept.
	WorkersUnserved bool
	// GreedyRequests: nodes that are no masters ask to be administrators.
	GreedyRequests bool
	// LostCertificates: worker-0 loses its first certificate, four times.
	LostCertificates bool
	// BlankHostnames: the machine configuration of nodes that are no masters takes their names away.
	BlankHostnames bool
	// MixedConfigs: the bootstrap machine gives masters a configuration that the cluster does not know.
	MixedConfigs bool
	// SecondInterface: the second master has a second interface, whose address its kubelet prefers.
	SecondInterface bool
	// SlowArgo: the operator of Argo CD waits for itself until Steward starts it anew.
	SlowArgo bool
	// UnexpectedAlert: a Job fails, and so an alert fires that nobody expects on a new cluster.
	UnexpectedAlert bool
	// RoutersOnMasters: somebody moves the routers to the masters, once.
	RoutersOnMasters bool
}

// scaleDuration returns how long something takes that usually takes d.
func (t Faults) scaleDuration(d time.Duration) time.Duration {
	return d * time.Duration(max(1, t.Slowness))
}

// waitScaled passes the time that something usually takes, and more on slow machines. It fails if ctx ends before.
func (w *Clusters) waitScaled(ctx context.Context, usually time.Duration) error {
	return w.clock.Sleep(ctx, w.faults.scaleDuration(usually))
}
