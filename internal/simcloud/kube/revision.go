package kube

// Revision returns the newest version, as etcd counts them.
func Revision(o *Objects) uint64 {
	o.mu.RLock()
	defer o.mu.RUnlock()
	return o.version
}

// BumpRevision has the next version be later by so much, as after a recovery of etcd: whoever watches has to list again.
func BumpRevision(o *Objects, by uint64) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.version += by
	o.log.oldest = o.version
	o.log.events = nil
}
