package openshift

import (
	"context"
	"time"
)

// Troubles are what is wrong with the machines, networks and programs of clusters. The zero Troubles are none.
type Troubles struct {
	// Slowness is how many times as long everything takes on the machines; 0 is as long as usual.
	Slowness int
	// SlowDisks: the disks of masters are too slow for etcd.
	SlowDisks bool
	// MemberBreaks: the last master loses its etcd's data when the bootstrap is complete.
	MemberBreaks bool
	// SmallNodes have too little memory for the monitoring.
	SmallNodes bool
}

// lasting returns how long something takes that usually takes d.
func (t Troubles) lasting(d time.Duration) time.Duration {
	return d * time.Duration(max(1, t.Slowness))
}

// work passes the time that something usually takes, and more on slow machines. It fails if ctx ends before.
func (w *World) work(ctx context.Context, usually time.Duration) error {
	return w.clock.Sleep(ctx, w.troubles.lasting(usually))
}
