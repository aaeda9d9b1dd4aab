// Package masterhost is the inside of a simulated master for who logs in by SSH: the programs that say how its member of etcd is, and the
// scripts of OpenShift that stop it or make a cluster of it alone.
package masterhost

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/sshd"
)

// Host is a master's system.
type Host struct {
	Cluster *cluster.Cluster
	Machine machine.Machine
	Node    string // its name, and that of its member
}

// Exit codes of a shell.
const (
	exitFailure  = 1
	exitNotFound = 127
)

// Serve serves logins by SSH until ctx ends.
func (h Host) Serve(ctx context.Context) {
	server := sshd.Server{
		User:           "core",
		AuthorizedKeys: "/home/core/.ssh/authorized_keys.d/ignition", // where Ignition writes them
		LogIn:          func(user, from string) { h.Machine.Console("sshd: Accepted publickey for %s from %s", user, from) },
		Execute: func(ctx context.Context, line string, in io.Reader, out, complaints io.Writer) uint32 {
			return h.execute(ctx, parseWords(line), in, out, complaints)
		},
	}
	if err := server.Serve(ctx, h.Machine); err != nil {
		h.Machine.Console("sshd: %v", err)
	}
}

// parseWords splits a command line; of quotes it knows those around a whole word.
func parseWords(line string) []string {
	words := strings.Fields(line)
	for i := range words {
		words[i] = strings.Trim(words[i], "'")
	}
	return words
}

// Programs of a master.
const (
	disableScript = "/usr/local/bin/disable-etcd.sh"
	quorumScript  = "/usr/local/bin/quorum-restore.sh"
	restoreScript = "/usr/local/bin/cluster-restore.sh"
	revisionFile  = "/var/lib/etcd/revision.json"
	dataDir       = "/var/lib/etcd/member"
	configFile    = "/etc/machine-config-daemon/currentconfig"
)

// execute supports what is needed to see how etcd is, and to recover it.
func (h Host) execute(ctx context.Context, words []string, in io.Reader, out, complaints io.Writer) uint32 {
	root := false
	if len(words) > 0 && words[0] == "sudo" {
		root = true
		words = slices.DeleteFunc(words[1:], func(word string) bool { return word == "-E" })
	}
	if len(words) == 0 {
		return 0
	}
	line := strings.Join(words, " ")
	if line == disableScript || line == quorumScript || words[0] == restoreScript {
		return h.runScript(ctx, words, root, out, complaints)
	}
	if line == "test -x "+quorumScript {
		return toStatus(h.hasScripts())
	}
	if root {
		if status, handled := h.inspect(words, out, complaints); handled {
			return status
		}
		if status, handled := h.changeFiles(words, in, out, complaints); handled {
			return status
		}
	}
	_, _ = fmt.Fprintf(complaints, "bash: line 1: %s: command not found\n", line)
	return exitNotFound
}

// inspect supports what says how etcd is, as root.
func (h Host) inspect(words []string, out, complaints io.Writer) (status uint32, handled bool) {
	switch line := strings.Join(words, " "); {
	case line == "test -d "+dataDir:
		return toStatus(h.hasData()), true
	case line == "cat "+revisionFile:
		return h.printRevision(out, complaints), true
	case strings.HasPrefix(line, "grep -o ") && strings.HasSuffix(line, " "+configFile):
		_, _ = fmt.Fprintf(out, "\"machineconfiguration.openshift.io/release-image-version\":%q\n", h.Cluster.TargetVersion())
		return 0, true
	case line == "crictl ps --name ^etcd$ --state Running --quiet":
		if h.Cluster.Members.IsAlive(h.Node) {
			_, _ = fmt.Fprintln(out, h.containerID())
		}
		return 0, true
	case strings.HasPrefix(line, "crictl exec "):
		return h.printStatus(words[2:], out, complaints), true
	}
	return 0, false
}

func toStatus(yes bool) uint32 {
	if yes {
		return 0
	}
	return exitFailure
}

func (h Host) runScript(ctx context.Context, words []string, root bool, out, complaints io.Writer) uint32 {
	script := words[0]
	if !h.hasScripts() {
		_, _ = fmt.Fprintf(complaints, "sudo: %s: command not found\n", script)
		return exitFailure
	}
	if !root {
		_, _ = fmt.Fprintln(complaints, "This script must be run as root")
		return exitFailure
	}
	run := h.disableEtcd
	switch script {
	case quorumScript:
		run = h.restoreQuorum
	case restoreScript:
		run = func(ctx context.Context, out io.Writer) error { return h.restoreSnapshot(ctx, words[1:], out) }
	}
	if err := run(ctx, out); err != nil {
		_, _ = fmt.Fprintln(complaints, err)
		return exitFailure
	}
	return 0
}

// hasScripts reports whether the release has the scripts: since 4.18.
func (h Host) hasScripts() bool {
	var major, minor int
	_, err := fmt.Sscanf(h.Cluster.Record().Version, "%d.%d", &major, &minor)
	const first = 18
	return err == nil && (major > 4 || minor >= first)
}
