package ceph

import (
	"encoding/json"
	"fmt"
	"hash/fnv"
	"slices"
	"strconv"
	"strings"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

// shell runs commands.
type shell struct{ *storage }

// commandError is why a command failed: what it writes on its standard error, and its exit code.
type commandError struct {
	code    int
	message string
}

func (e commandError) Error() string { return e.message }

// The exit codes of the commands, which are those of errno.
const (
	codeMissing = 2
	codeBusy    = 16
	codeInvalid = 22
	codeNoSpace = 28
	codeTimeout = 110
)

func fail(code int, format string, args ...any) error {
	return commandError{code, fmt.Sprintf(format, args...)}
}

// Execute runs a command in the pod of the tools; handled is false for other pods and other commands.
func Execute(c *cluster.Cluster, pod kube.Object, command []string) (out, failure string, code int, handled bool) {
	if app, _ := pod.Label("app"); app != toolsApp || pod.Namespace() != Namespace || len(command) == 0 || command[0] != "ceph" && command[0] != "rados" {
		return "", "", 0, false
	}
	var answer any
	mons := listMonitors(c)
	err := change(c, func(s *storage) (err error) {
		if !mons.hasQuorum() {
			return fail(codeTimeout, "monclient(hunting): authenticate timed out after 300\n[errno 110] RADOS timed out (error connecting to the cluster)")
		}
		run := shell{s}.runCeph
		if command[0] == "rados" {
			run = shell{s}.runRados
		}
		answer, err = run(mons, withoutFormat(command[1:]))
		return err
	})
	if err != nil {
		refused := commandError{1, err.Error()}
		if known, ok := err.(commandError); ok { //nolint:errorlint // change returns it as it is
			refused = known
		}
		return "", refused.message + "\n", refused.code, true
	}
	if text, ok := answer.(string); ok {
		return text, "", 0, true
	}
	content, err := json.Marshal(answer)
	if err != nil {
		return "", err.Error(), 1, true
	}
	return "\n" + string(content) + "\n", "", 0, true
}

func withoutFormat(words []string) (left []string) {
	for i := 0; i < len(words); i++ {
		switch words[i] {
		case "-f", "--format":
			i++
		case "-f=json", "--format=json":
		default:
			left = append(left, words[i])
		}
	}
	return left
}

// runCeph runs the commands whose words come first.
func (s shell) runCeph(mons monitors, words []string) (any, error) {
	line := strings.Join(words, " ")
	switch {
	case line == "status", line == "-s":
		return reporter(s).renderStatus(mons), nil
	case line == "osd df tree":
		return s.renderTree(), nil
	case line == "config dump":
		return s.renderConfig(), nil
	case strings.HasPrefix(line, "config ") && len(words) >= 4:
		return s.changeConfig(words[1:])
	case strings.HasPrefix(line, "osd ") && len(words) >= 3:
		return s.runOSD(words[1:])
	}
	return nil, fail(codeInvalid, "no valid command found; 10 closest matches:\n...\nError EINVAL: invalid command")
}

func (s shell) changeConfig(words []string) (any, error) {
	key := words[1] + " " + words[2]
	switch {
	case words[0] == "set" && len(words) == 4:
		s.Config[key] = words[3]
	case words[0] == "rm" && len(words) == 3:
		delete(s.Config, key)
	default:
		return nil, fail(codeInvalid, "Error EINVAL: invalid command")
	}
	return "", nil
}

func (s shell) renderConfig() any {
	lines := []kube.Object{}
	for key, value := range s.Config {
		section, name, _ := strings.Cut(key, " ")
		lines = append(lines, kube.Object{"section": section, "name": name, "value": value, "level": "advanced"})
	}
	return lines
}

func (s shell) runOSD(words []string) (any, error) {
	last := words[len(words)-1]
	switch verb := words[0]; {
	case verb == "set", verb == "unset":
		return s.setFlag(last, verb == "set")
	case verb == "crush" && len(words) == 4 && words[1] == "reweight":
		return s.reweight(words[2], words[3])
	case verb == "crush" && len(words) == 3 && words[1] == "remove":
		return s.removeHost(last)
	case len(words) == 2 || len(words) == 3 && last == "--yes-i-really-mean-it" || len(words) == 3 && last == "--force":
		return s.changeOSD(verb, words[1], last == "--force")
	}
	return nil, fail(codeInvalid, "Error EINVAL: invalid command")
}

func (s shell) setFlag(name string, set bool) (any, error) {
	if !slices.Contains([]string{"noout", "norebalance", "nobackfill", "norecover", "noup", "nodown", "noin", "noscrub"}, name) {
		return nil, fail(codeInvalid, "Error EINVAL: invalid flag %s", name)
	}
	s.Flags = slices.DeleteFunc(s.Flags, func(f string) bool { return f == name })
	if set {
		s.Flags = append(s.Flags, name)
		slices.Sort(s.Flags)
	}
	return "", nil
}

func (s shell) findNamed(name string) (*osd, error) {
	id, err := strconv.Atoi(strings.TrimPrefix(name, "osd."))
	if one := s.find(id); err == nil && one != nil {
		return one, nil
	}
	return nil, fail(codeMissing, "Error ENOENT: osd.%s does not exist", strings.TrimPrefix(name, "osd."))
}

func (s shell) reweight(name, weight string) (any, error) {
	one, err := s.findNamed(name)
	if err != nil {
		return nil, err
	}
	value, err := strconv.ParseFloat(weight, 64)
	if err != nil || value < 0 {
		return nil, fail(codeInvalid, "Error EINVAL: invalid weight %s", weight)
	}
	one.Weight = value
	return "", nil
}

// removeHost is refused while the host has OSDs.
func (s shell) removeHost(name string) (any, error) {
	if slices.ContainsFunc(s.OSDs, func(o *osd) bool { return o.Host == name }) {
		return nil, fail(39, "Error ENOTEMPTY: (39) Directory not empty")
	}
	return "", nil
}

func (s shell) changeOSD(verb, name string, force bool) (any, error) {
	one, err := s.findNamed(name)
	if err != nil {
		if verb == "purge" {
			return "osd." + name + " does not exist", nil
		}
		return nil, err
	}
	needed := s.listNeeding(one)
	switch verb {
	case "out", "in":
		one.In, one.TakenOut = verb == "in", false
		return "", nil
	case "safe-to-destroy":
		if len(needed) > 0 {
			return nil, fail(codeBusy, "Error EBUSY: OSD(s) %d have %d pgs currently mapped to them.", one.ID, len(needed))
		}
		return kube.Object{"safe_to_destroy": []int{one.ID}, "active": []int{}, "missing_stats": []int{}, "stored_pgs": []int{}}, nil
	case "purge", "destroy":
		switch {
		case one.Up:
			return nil, fail(codeBusy, "Error EBUSY: osd.%d is not `down`.", one.ID)
		case len(needed) > 0 && !force:
			return nil, fail(codeBusy, "Error EBUSY: osd.%d is not safe to destroy: %d pgs need it", one.ID, len(needed))
		}
		s.purge(one.ID)
		return "", nil
	}
	return nil, fail(codeInvalid, "Error EINVAL: invalid command")
}

// listNeeding returns the groups that have too few copies without an OSD, or are to have one there.
func (s shell) listNeeding(one *osd) (ids []int) {
	for _, g := range s.Groups {
		others := slices.DeleteFunc(s.listCurrent(g), func(id int) bool { return id == one.ID })
		_, has := g.Copies[one.ID]
		if has && len(others) < poolSize || slices.Contains(s.mapGroup(g.ID), one.ID) {
			ids = append(ids, g.ID)
		}
	}
	return ids
}

// renderTree is the answer to "ceph osd df tree -f json".
func (s shell) renderTree() any {
	nodes, hosts := []kube.Object{}, map[string][]int{}
	for _, one := range s.OSDs {
		hosts[one.Host] = append(hosts[one.Host], one.ID)
		reweight, status, used := 0.0, "down", s.usedMiB(one.ID)
		if one.In {
			reweight = 1
		}
		if one.Up {
			status = "up"
		}
		nodes = append(nodes, kube.Object{"id": one.ID, "name": "osd." + strconv.Itoa(one.ID), "type": "osd", "crush_weight": one.Weight, "reweight": reweight,
			"kb": one.MiB << 10, "kb_used": used << 10, "kb_avail": (one.MiB - used) << 10, "utilization": 100 * float64(used) / float64(one.MiB), "status": status})
	}
	for name, ids := range hosts {
		nodes = append(nodes, kube.Object{"id": -len(nodes) - 1, "name": name, "type": "host", "children": ids})
	}
	return kube.Object{"nodes": nodes, "stray": []any{}}
}

// runRados has "-p POOL create NAME" and "-p POOL stat NAME", as a client of the storage.
func (s shell) runRados(_ monitors, words []string) (any, error) {
	if len(words) != 4 || words[0] != "-p" {
		return nil, fail(1, "usage: rados [options] [commands]")
	}
	name := words[1] + "/" + words[3]
	hash := fnv.New32a()
	_, _ = hash.Write([]byte(name)) // never fails
	if len(s.Groups) == 0 {
		return nil, fail(1, "error opening pool %s: (2) No such file or directory", words[1])
	}
	g := s.Groups[hash.Sum32()%groupCount]
	current := s.listCurrent(g)
	switch words[2] {
	case "create":
		if slices.ContainsFunc(current, func(id int) bool { one := s.find(id); return float64(s.usedMiB(id)) >= fullRatio*float64(one.MiB) }) {
			return nil, fail(codeNoSpace, "error creating %s: (28) No space left on device", name)
		}
		if len(current) < minSize {
			return nil, fail(codeTimeout, "error creating %s: (110) Connection timed out", name)
		}
		g.Version++
		for _, id := range current {
			g.Copies[id] = g.Version
		}
		s.Objects[name] = object{g.ID, g.Version}
		return "", nil
	case "stat":
		stored, exists := s.Objects[name]
		switch {
		case !exists:
			return nil, fail(1, " error stat-ing %s: (2) No such file or directory", name)
		case len(current) < minSize:
			return nil, fail(codeTimeout, " error stat-ing %s: (110) Connection timed out", name)
		}
		return fmt.Sprintf("%s mtime 2026-05-04T14:02:00.000000+0000, size 0 (version %d)\n", name, stored.Version), nil
	}
	return nil, fail(1, "usage: rados [options] [commands]")
}
