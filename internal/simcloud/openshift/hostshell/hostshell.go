// Package hostshell is the shell on a node's own disk that a privileged pod has: the few commands that clients of the cluster run there, and
// cluster-backup.sh of the masters.
package hostshell

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/kube/apiserver"
	"exoshift/internal/simcloud/machine"
	"exoshift/internal/simcloud/openshift/cluster"
)

// Exit codes of chroot and of shells.
const (
	codeChroot   = 125
	codeNotFound = 127
)

// Execute runs a command of a pod that begins with chroot; handled is false for others.
func Execute(c *cluster.Cluster, pod kube.Object, command []string) (result apiserver.ExecResult, handled bool) {
	if command[0] != "chroot" {
		return result, false
	}
	if len(command) < 3 || !isPrivileged(pod) || findHostRoot(pod) != command[1] {
		return apiserver.ExecResult{Err: "chroot: cannot change root directory to '" + strings.Join(command[1:min(2, len(command))], "") + "': Operation not permitted\n", Code: codeChroot}, true
	}
	node := pod.GetString("spec.nodeName")
	host, alive := c.Members.ListAlive()[node]
	if !alive {
		return apiserver.ExecResult{Unreachable: "dial tcp: " + node + ": i/o timeout"}, true
	}
	words := command[2:]
	for words[0] == "env" && len(words) > 1 {
		words = words[1:]
		for len(words) > 1 && strings.Contains(words[0], "=") {
			words = words[1:]
		}
	}
	return shell{c, host}.run(words), true
}

func isPrivileged(pod kube.Object) bool {
	return firstContainer(pod).GetBool("securityContext.privileged")
}

func firstContainer(pod kube.Object) kube.Object {
	if containers := pod.List("spec.containers"); len(containers) > 0 {
		return containers[0]
	}
	return kube.Object{}
}

// findHostRoot returns where a pod has the root of the node's disk; "": nowhere.
func findHostRoot(pod kube.Object) string {
	for _, volume := range pod.List("spec.volumes") {
		if volume.GetString("hostPath.path") != "/" {
			continue
		}
		for _, mount := range firstContainer(pod).List("volumeMounts") {
			if mount.GetString("name") == volume.GetString("name") {
				return mount.GetString("mountPath")
			}
		}
	}
	return ""
}

// Begin is the beginning of a pod that makes a folder on the node's disk for as long as it lives: `dir=...`, `mkdir` and a trap in the script of
// its container. The returned function is its end.
func Begin(m machine.Machine, pod kube.Object) (end func()) {
	command, root := firstContainer(pod).GetStrings("command"), findHostRoot(pod)
	if len(command) != 3 || command[1] != "-c" || root == "" || !isPrivileged(pod) {
		return func() {}
	}
	folder, made, trapped := "", false, false
	for line := range strings.Lines(command[2]) {
		line = strings.TrimSpace(line)
		if value, isFolder := strings.CutPrefix(line, "dir="+root); isFolder {
			folder = value
		}
		made = made || strings.HasPrefix(line, "mkdir -m 700 \"$dir\"")
		trapped = trapped || line == `trap 'rm -rf "$dir"' EXIT`
	}
	if folder == "" || !made {
		return func() {}
	}
	Disk{m}.Save(folder, map[string][]byte{})
	return func() {
		if trapped {
			Disk{m}.Save(folder, nil)
		}
	}
}

// Disk has folders whose files are of interest; each is one file of the machine.
type Disk struct{ machine.Machine }

// Load returns the files of a folder; nil: there is none.
func (d Disk) Load(folder string) map[string][]byte {
	content, _ := d.ReadFile(folder)
	var files map[string][]byte
	_ = json.Unmarshal(content, &files) // an empty file is no folder
	return files
}

// Save of nil removes the folder.
func (d Disk) Save(folder string, files map[string][]byte) {
	var content []byte
	if files != nil {
		content, _ = json.Marshal(files) // bytes alone
	}
	if err := d.WriteFile(folder, content); err != nil {
		d.Console("%s: %v", folder, err)
	}
}

// shell runs commands on a node.
type shell struct {
	cluster *cluster.Cluster
	host    machine.Machine
}

func (s shell) run(words []string) apiserver.ExecResult {
	disk := Disk{s.host}
	switch command := strings.Join(words, " "); {
	case words[0] == "/usr/local/bin/cluster-backup.sh":
		return s.backUp(words[1:])
	case len(words) == 5 && strings.HasSuffix(command, " -mindepth 1 -delete"):
		if disk.Load(words[1]) == nil {
			return missing("find", words[1])
		}
		disk.Save(words[1], map[string][]byte{})
		return apiserver.ExecResult{}
	case len(words) == 8 && strings.HasSuffix(command, " -type f -exec sha256sum {} +"):
		var out strings.Builder
		files := disk.Load(words[1])
		for _, name := range slices.Sorted(maps.Keys(files)) {
			fmt.Fprintf(&out, "%x  %s\n", sha256.Sum256(files[name]), path.Join(words[1], name))
		}
		return apiserver.ExecResult{Out: out.String()}
	case len(words) == 2 && words[0] == "cat":
		content, exists := disk.Load(path.Dir(words[1]))[path.Base(words[1])]
		if !exists {
			return missing("cat", words[1])
		}
		return apiserver.ExecResult{Out: string(content)}
	case len(words) == 3 && words[0] == "rm" && words[1] == "-rf":
		disk.Save(words[2], nil)
		return apiserver.ExecResult{}
	}
	return apiserver.ExecResult{Err: "chroot: failed to run command '" + words[0] + "': No such file or directory\n", Code: codeNotFound}
}

func missing(program, file string) apiserver.ExecResult {
	return apiserver.ExecResult{Err: program + ": " + file + ": No such file or directory\n", Code: 1}
}
