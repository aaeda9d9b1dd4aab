package masterhost

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io"
	"strconv"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/etcd"
)

// hasData reports whether the member has its data.
func (h Host) hasData() bool {
	data, _ := h.Machine.ReadFile(etcd.DataFile)
	return len(data) > 0
}

func (h Host) containerID() string {
	hash := fnv.New64a()
	_, _ = hash.Write([]byte(h.Machine.ID())) // never fails
	return strconv.FormatUint(hash.Sum64(), 16)
}

// revision is what the container etcd-rev writes every minute.
type revision struct {
	ClusterID string            `json:"clusterId"`
	Index     map[string]uint64 `json:"raftIndex"`
	MaxIndex  uint64            `json:"maxRaftIndex"`
	Created   string            `json:"created"`
}

// raftIndex is how far the member has come: what a member that has ended had at that time.
func (h Host) raftIndex() uint64 {
	var kept revision
	content, known := h.Machine.ReadFile(revisionFile)
	if !h.Cluster.Members.IsAlive(h.Node) && known && json.Unmarshal(content, &kept) == nil {
		return kept.MaxIndex
	}
	return kube.Revision(h.Cluster.Objects)
}

// KeepRevision writes how far the member has come, when it ends.
func (h Host) KeepRevision() error {
	if !h.hasData() {
		return nil
	}
	content, err := h.encodeRevision()
	if err != nil {
		return err
	}
	return h.Machine.WriteFile(revisionFile, content)
}

func (h Host) encodeRevision() ([]byte, error) {
	index := h.raftIndex()
	return json.Marshal(revision{
		ClusterID: "7654321", Index: map[string]uint64{h.clientURL(): index}, MaxIndex: index, Created: h.Cluster.Clock.Now().UTC().Format(time.RFC3339),
	})
}

func (h Host) clientURL() string { return "https://" + h.Machine.Address().String() + ":2379" }

func (h Host) printRevision(out, complaints io.Writer) uint32 {
	if !h.hasData() {
		_, _ = fmt.Fprintf(complaints, "cat: %s: No such file or directory\n", revisionFile)
		return exitFailure
	}
	content, err := h.encodeRevision()
	if err != nil {
		_, _ = fmt.Fprintln(complaints, err)
		return exitFailure
	}
	_, _ = out.Write(content)
	return 0
}

// printStatus prints what a member says of itself, which needs no quorum.
func (h Host) printStatus(words []string, out, complaints io.Writer) uint32 {
	own, member := h.Cluster.Members.Get(h.Node)
	if len(words) == 0 || words[0] != h.containerID() || !h.Cluster.Members.IsAlive(h.Node) || !member {
		_, _ = fmt.Fprintln(complaints, "E1127 remote_runtime.go: \"ExecSync cmd from runtime service failed\" err=\"rpc error: code = NotFound\"")
		return exitFailure
	}
	index := h.raftIndex()
	status := map[string]any{
		"header": map[string]any{"cluster_id": 7654321, "revision": index, "raft_term": 3}, "version": "3.5.21", "raftIndex": index, "raftTerm": 3,
	}
	if h.Cluster.Members.HasLeader(h.Node) {
		status["leader"] = 4711
	} else {
		status["errors"] = []string{"etcdserver: no leader"}
	}
	if own.Learner {
		status["isLearner"] = true
	}
	content, err := json.Marshal([]map[string]any{{"Endpoint": "https://localhost:2379", "Status": status}})
	if err != nil {
		_, _ = fmt.Fprintln(complaints, err)
		return exitFailure
	}
	_, _ = out.Write(content)
	return 0
}

// stopWait is how long the containers of a member take at most to end, of which the scripts wait for each.
const stopWait = 2 * time.Minute

// disableEtcd stops the member; again it does nothing.
func (h Host) disableEtcd(ctx context.Context, out io.Writer) error {
	if err := h.Machine.WriteFile(etcd.StoppedManifest, []byte("kind: Pod\n")); err != nil {
		return err
	}
	_, _ = fmt.Fprintln(out, "mv: etcd-pod.yaml; waiting for the container etcd to stop")
	for since := h.Cluster.Clock.Now(); h.Cluster.Members.IsAlive(h.Node); {
		if h.Cluster.Clock.Now().Sub(since) > stopWait {
			return errors.New("the container etcd does not stop")
		}
		if err := h.Cluster.Clock.Sleep(ctx, time.Second); err != nil {
			return err
		}
	}
	return nil
}

// bumpWithoutFile is by how much the revision grows if nobody knows how far the member had come.
const bumpWithoutFile = 1_000_000_000

// restoreQuorum makes a cluster of the member alone. That of a host while another member runs, or beside a host for which that was done, makes
// two clusters of one.
func (h Host) restoreQuorum(ctx context.Context, out io.Writer) error {
	own, member := h.Cluster.Members.Get(h.Node)
	data, _ := h.Machine.ReadFile(etcd.DataFile)
	if len(data) == 0 {
		return errors.New("/var/lib/etcd/member: No such file or directory; there is nothing to restore from")
	}
	bump := uint64(bumpWithoutFile)
	if index := h.raftIndex(); index > 0 {
		bump = index / 5 // 20 %
	}
	others := h.Cluster.Members.HasOthers(h.Node)
	if err := h.disableEtcd(ctx, out); err != nil {
		return err
	}
	if !member || own.ID != string(data) || others {
		return h.split(out)
	}
	if err := h.Cluster.Members.ForceNewCluster(h.Node); err != nil {
		return err
	}
	kube.BumpRevision(h.Cluster.Objects, bump)
	_, _ = fmt.Fprintf(out, "starting restore-etcd static pod with --force-new-cluster, bumping the revision by %d\n", bump)
	return h.Machine.WriteFile(etcd.StoppedManifest, nil)
}

// split leaves two clusters: nobody notices it on this host.
func (h Host) split(out io.Writer) error {
	h.Machine.Console("etcd: split brain: two members were made clusters of their own")
	_, _ = fmt.Fprintln(out, "starting restore-etcd static pod")
	return errors.Join(h.Cluster.FailEtcd(etcd.SplitBrain), h.Machine.WriteFile(etcd.StoppedManifest, nil))
}
