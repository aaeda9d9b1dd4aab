// Package controlplane is what decides whether a cluster can do without a master.
package controlplane

// Peer is a member of etcd as etcd itself lists it.
type Peer struct {
	ID      string // hexadecimal, as etcdctl takes it
	Name    string // that of its node; "": it has not started
	Address string // of its peer URL, without the port
	Learner bool
	Healthy bool // it answered
}

// Rollout is where the masters are with the revisions of one part of the control plane.
type Rollout struct {
	Component string // kube-apiserver
	Latest    int
	Nodes     map[string]int // the revision of each master
}

// State is the control plane beyond the health of the cluster.
type State struct {
	Peers      []Peer
	Rollouts   []Rollout
	APIServers []string // nodes whose API server is ready, sorted
}

// FindPeer returns the member of a node; nil: it has none.
func (c State) FindPeer(node string) *Peer {
	for i := range c.Peers {
		if c.Peers[i].Name == node {
			return &c.Peers[i]
		}
	}
	return nil
}
