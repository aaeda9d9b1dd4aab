// Package masterhost asks masters themselves how their members of etcd are, and runs the scripts of OpenShift there, by SSH: without a quorum of
// etcd there is no API.
package masterhost

import (
	"context"
	"encoding/json"
	"errors"
	"io"
	"net/netip"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/text"
	"exoshift/provisioner/openshift/nodessh"
	"exoshift/state/recovery"
)

const (
	sshPort = 22
	// connectTimeout is how long a port may take to answer: behind a security group nothing does.
	connectTimeout = 5 * time.Second
	// loginTimeout leaves time for an agent that asks its owner.
	loginTimeout = 30 * time.Second
)

// Commands. What etcd says of itself needs no quorum; a variable that names other endpoints would be in the way of the option.
const (
	listContainers = "sudo crictl ps --name '^etcd$' --state Running --quiet"
	readRevision   = "sudo cat /var/lib/etcd/revision.json"
	findData       = "sudo test -d /var/lib/etcd/member"
	findScripts    = "test -x /usr/local/bin/quorum-restore.sh"
	readStatus     = "sudo crictl exec %s env -u ETCDCTL_ENDPOINTS etcdctl endpoint status --endpoints https://localhost:2379 --write-out json"
	disableEtcd    = "sudo -E /usr/local/bin/disable-etcd.sh"
	restoreQuorum  = "sudo -E /usr/local/bin/quorum-restore.sh"
	// readRelease finds the release in the rendered machine configuration that the master has applied.
	readRelease     = `sudo grep -o '"machineconfiguration.openshift.io/release-image-version":"[^"]*"' /etc/machine-config-daemon/currentconfig`
	restoreSnapshot = "sudo -E /usr/local/bin/cluster-restore.sh"
)

// Hosts are the masters of a cluster. Nobody else may use them at the same time.
type Hosts struct {
	net    network.Network
	key    string
	agent  nodessh.Agent
	trust  Trust
	logins map[string]*ssh.Client // by master
}

// New returns the masters. key is the line of authorized_keys that the cluster's machines were given; agent has its private key, nil: there is
// no agent.
func New(net network.Network, key string, agent nodessh.Agent, trust Trust) *Hosts {
	return &Hosts{net: net, key: key, agent: agent, trust: trust, logins: map[string]*ssh.Client{}}
}

// Close closes the logins. A later command logs in again.
func (h *Hosts) Close() {
	for name := range h.logins {
		h.forget(name)
	}
}

func (h *Hosts) forget(name string) {
	if client := h.logins[name]; client != nil {
		_ = client.Close()
		delete(h.logins, name)
	}
}

// Inspect reads how the member of etcd on a master is: into host, whose name and address are set.
func (h *Hosts) Inspect(ctx context.Context, host recovery.Host) (recovery.Host, error) {
	address, err := netip.ParseAddr(host.Address)
	if err != nil {
		return host, fault.New(fault.Internal, "inspect "+host.Name, err)
	}
	run := func(command string) (result, error) { return h.run(ctx, host.Name, address, command) }
	containers, err := run(listContainers)
	if err != nil {
		return host, err
	}
	if containers.status != 0 {
		return host, newFailure("list the containers of "+host.Name, containers)
	}
	id, _, _ := strings.Cut(strings.TrimSpace(string(containers.printed)), "\n")
	if host.Data, err = succeeds(run, findData); err != nil {
		return host, err
	}
	if host.Scripts, err = succeeds(run, findScripts); err != nil {
		return host, err
	}
	release, err := run(readRelease)
	if err != nil {
		return host, err
	}
	host.Release = parseRelease(release.printed)
	revision, err := run(readRevision)
	if err != nil {
		return host, err
	}
	if revision.status == 0 {
		if host.Index, err = parseRevision(revision.printed); err != nil {
			return host, fault.New(fault.Internal, "read revision.json of "+host.Name, err)
		}
	}
	if host.Running = isID(id); !host.Running {
		return host, nil
	}
	status, err := run(strings.Replace(readStatus, "%s", id, 1))
	if err != nil {
		return host, err
	}
	host.Leader, host.Learner, err = parseStatus(status)
	if err != nil {
		return host, fault.New(fault.Transient, "ask the member of etcd on "+host.Name, err)
	}
	return host, nil
}

func succeeds(run func(string) (result, error), command string) (bool, error) {
	done, err := run(command)
	return done.status == 0, err
}

// isID reports whether a word is the ID of a container, which becomes part of a command.
func isID(word string) bool {
	return word != "" && strings.Trim(word, "0123456789abcdef") == ""
}

// parseRelease returns the version in "key":"version"; "": it is not known.
func parseRelease(printed []byte) string {
	_, version, _ := strings.Cut(strings.TrimSpace(string(printed)), `":`)
	return strings.Trim(version, `" `)
}

func parseRevision(content []byte) (uint64, error) {
	var file struct {
		Max uint64 `json:"maxRaftIndex"`
	}
	err := json.Unmarshal(content, &file)
	return file.Max, err
}

func parseStatus(done result) (leader, learner bool, err error) {
	var all []struct {
		Status struct {
			Leader    uint64   `json:"leader"`
			IsLearner bool     `json:"isLearner"`
			Errors    []string `json:"errors"`
		} `json:"Status"`
	}
	if err := json.Unmarshal(done.printed, &all); err != nil || len(all) != 1 {
		if done.complaint == "" {
			return false, false, errors.New("etcdctl printed no status")
		}
		return false, false, errors.New(text.Sanitize(lastLine(done.complaint)))
	}
	return all[0].Status.Leader != 0, all[0].Status.IsLearner, nil
}

// DisableEtcd stops the member on a master, by the script of OpenShift. Again it does nothing.
func (h *Hosts) DisableEtcd(ctx context.Context, host recovery.Host) error {
	return h.runScript(ctx, host, disableEtcd)
}

// RestoreQuorum makes a cluster of the member on a master alone, by the script of OpenShift.
func (h *Hosts) RestoreQuorum(ctx context.Context, host recovery.Host) error {
	return h.runScript(ctx, host, restoreQuorum)
}

// backupFolder is where a backup is for as long as it is restored: only root reads it, as it has all secrets of the cluster.
const backupFolder = "/home/core/exoshift-restore"

// PrepareCopy makes an empty folder for the files of a backup on a master: cluster-restore.sh takes the last ones that it finds.
func (h *Hosts) PrepareCopy(ctx context.Context, host recovery.Host) error {
	if err := h.DeleteCopy(ctx, host); err != nil {
		return err
	}
	return h.runScript(ctx, host, "sudo install -d -m 700 "+backupFolder)
}

// Copy writes a file of a backup to a master. fault.Transient: what has arrived has another SHA-256 than the file.
func (h *Hosts) Copy(ctx context.Context, host recovery.Host, file recovery.File, write func(io.Writer) error) error {
	op, path := "copy "+file.Name+" to "+host.Name, backupFolder+"/"+file.Name
	address, err := netip.ParseAddr(host.Address)
	if err != nil {
		return fault.New(fault.Internal, op, err)
	}
	done, err := h.runWith(ctx, host.Name, address, "sudo dd of="+path+" bs=1M conv=fsync status=none", write)
	if err == nil && done.status != 0 {
		err = newFailure(op, done)
	}
	if err != nil {
		return err
	}
	summed, err := h.run(ctx, host.Name, address, "sudo sha256sum "+path)
	if err == nil && summed.status != 0 {
		err = newFailure(op, summed)
	}
	if err != nil {
		return err
	}
	if sum, _, _ := strings.Cut(string(summed.printed), " "); sum != file.SHA256 {
		return fault.Newf(fault.Transient, op, "what has arrived is another file: its SHA-256 is not %s", file.SHA256)
	}
	return nil
}

// RestoreSnapshot makes a cluster of the snapshot that was copied to a master, by the script of OpenShift.
func (h *Hosts) RestoreSnapshot(ctx context.Context, host recovery.Host) error {
	return h.runScript(ctx, host, restoreSnapshot+" "+backupFolder)
}

// DeleteCopy deletes the files of a backup from a master. Again it does nothing.
func (h *Hosts) DeleteCopy(ctx context.Context, host recovery.Host) error {
	return h.runScript(ctx, host, "sudo rm -rf "+backupFolder)
}

func (h *Hosts) runScript(ctx context.Context, host recovery.Host, script string) error {
	address, err := netip.ParseAddr(host.Address)
	if err != nil {
		return fault.New(fault.Internal, "run a script on "+host.Name, err)
	}
	done, err := h.run(ctx, host.Name, address, script)
	if err == nil && done.status != 0 {
		err = newFailure("run "+script+" on "+host.Name, done)
	}
	return err
}

func newFailure(op string, done result) error {
	return fault.Newf(fault.Internal, op, "it ended with the status %d: %s", done.status, text.Sanitize(lastLine(done.complaint)))
}

func lastLine(printed string) string {
	return printed[strings.LastIndexByte(printed, '\n')+1:]
}
