package machineconfig

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/coreos/ignition/v2/config/v3_5"
	"github.com/coreos/ignition/v2/config/v3_5/types"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/stable"
)

// MachineConfig is a kind of its own, with a label for its role.
const (
	Kind           = "MachineConfig"
	Resource       = "machineconfigs.machineconfiguration.openshift.io"
	RoleLabel      = "machineconfiguration.openshift.io/role"
	renderedPrefix = "rendered-"
)

// Rendered is the merged machine configurations of a pool.
type Rendered struct {
	Name     string   // "rendered-<pool>-<hash>"
	sources  []string // names, in merge order
	Document types.Config
}

// Render merges the machine configurations of a pool sorted by name: the last one takes precedence. Custom pools include the
// configurations of the workers. version is OpenShift's: it decides which Ignition versions are supported. update is the release that the
// nodes are updated to, which is a part of their configuration; "" before the first update.
func Render(pool, version, update string, configs []kube.Object) (Rendered, error) {
	roles := []string{pool}
	if pool != "master" && pool != "worker" {
		roles = append(roles, "worker")
	}
	configs = slices.DeleteFunc(slices.Clone(configs), func(config kube.Object) bool {
		role, _ := config.Label(RoleLabel)
		return !slices.Contains(roles, role) || strings.HasPrefix(config.Name(), renderedPrefix)
	})
	stable.Sort(configs, func(a, b kube.Object) int { return strings.Compare(a.Name(), b.Name()) })
	merged := Rendered{Document: types.Config{Ignition: types.Ignition{Version: types.MaxVersion.String()}}}
	all := ""
	for _, config := range configs {
		content, document, err := parseMachineConfig(config, version)
		if err != nil {
			return Rendered{}, fmt.Errorf("machineconfig %s: %w", config.Name(), err)
		}
		merged.sources = append(merged.sources, config.Name())
		merged.Document = v3_5.Merge(merged.Document, document)
		all += string(content)
	}
	merged.Name = renderedPrefix + pool + "-" + cluster.HashSuffix(all+update)
	return merged, nil
}

func parseMachineConfig(config kube.Object, version string) ([]byte, types.Config, error) {
	part := config.Map("spec.config")
	if part == nil {
		return nil, types.Config{}, nil
	}
	content, err := json.Marshal(part)
	if err != nil {
		return nil, types.Config{}, err
	}
	written := kube.Object(part).GetString("ignition.version")
	if !supportsIgnition(version, written) {
		return nil, types.Config{}, fmt.Errorf("parsing Ignition config failed: unknown version. Supported spec versions: 2.2, 3.0, 3.1, 3.2, 3.3, 3.4; got %q", written)
	}
	document, report, err := v3_5.ParseCompatibleVersion(content)
	if err != nil {
		return nil, types.Config{}, fmt.Errorf("parsing Ignition config failed: %w: %s", err, report)
	}
	return content, document, nil
}

// supportsIgnition: OpenShift supports versions up to 3.4 before 4.19, up to 3.5 since.
func supportsIgnition(openshift, ignition string) bool {
	parts := strings.Split(openshift, ".")
	minor := 0
	if len(parts) > 1 {
		minor, _ = strconv.Atoi(parts[1])
	}
	known := []string{"3.0.0", "3.1.0", "3.2.0", "3.3.0", "3.4.0"}
	return slices.Contains(known, ignition) || ignition == "3.5.0" && minor >= 19
}

// BuildReference returns it as the status of a pool has it.
func (r Rendered) BuildReference() kube.Object {
	const version = "machineconfiguration.openshift.io/v1"
	sources := make([]kube.Object, len(r.sources))
	for i, name := range r.sources {
		sources[i] = kube.Object{"apiVersion": version, "kind": Kind, "name": name}
	}
	return kube.Object{"apiVersion": version, "kind": Kind, "name": r.Name, "source": sources}
}
