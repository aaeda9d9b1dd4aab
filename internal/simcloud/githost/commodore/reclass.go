package commodore

import (
	_ "embed"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"

	"exoshift/internal/simcloud/scenario"

	"github.com/goccy/go-yaml"
)

//go:embed defaults.yml
var defaults []byte

type configuration struct {
	Classes      []string       `yaml:"classes"`
	Applications []string       `yaml:"applications"`
	Parameters   map[string]any `yaml:"parameters"`
}

type inventory struct {
	applications []string
	parameters   map[string]any
}

// hierarchy collects the classes of a cluster in order.
type hierarchy struct {
	tenant string
	files  map[string][]byte // of the tenant
	seen   map[string]bool
	result inventory
	// removed are applications that were removed before they were added.
	removed []string
}

func listGlobalClasses() map[string]configuration {
	quiet := map[string]any{"openshift4_monitoring": map[string]any{"opsgenie": false}}
	return map[string]configuration{
		"global.commodore": {}, "global.cloud.exoscale": {}, "global.distribution.openshift4": {}, "global.distribution.oke": {},
		"global.distribution.openshift4.no-opsgenie": {Parameters: quiet},
	}
}

// render merges the inventory of a cluster from the tenant's files.
func render(cluster Cluster, files map[string][]byte, base map[string]any, faults scenario.Compilation) (inventory, error) {
	h := hierarchy{tenant: cluster.Tenant, files: files, seen: map[string]bool{}, result: inventory{parameters: map[string]any{}}}
	if err := h.add("global.commodore", defaults); err != nil {
		return inventory{}, err
	}
	for _, layer := range []map[string]any{base, buildFaultParameters(faults)} {
		if err := merge(h.result.parameters, layer, ""); err != nil {
			return inventory{}, err
		}
	}
	for _, name := range []string{"global.distribution." + cluster.Facts["distribution"], "global.cloud." + cluster.Facts["cloud"]} {
		if !strings.HasSuffix(name, ".") { // without the fact the reference to it fails
			if err := h.addClass(cluster.ID, name); err != nil {
				return inventory{}, err
			}
		}
	}
	if err := h.addClass(cluster.ID, cluster.Tenant+"."+cluster.ID); err != nil {
		return inventory{}, newError("While processing %s: %w", cluster.ID, err)
	}
	r := resolver{parameters: h.result.parameters}
	resolved, err := r.value(h.result.parameters, nil, 0)
	if err != nil {
		return inventory{}, fmt.Errorf("-> %s\n   %w", cluster.ID, err)
	}
	h.result.parameters = resolved.(map[string]any)
	slices.Sort(h.result.applications)
	return h.result, nil
}

// buildFaultParameters returns a fault's additions to the global defaults.
func buildFaultParameters(faults scenario.Compilation) map[string]any {
	monitoring := map[string]any{}
	if faults.FactMissing {
		monitoring["responders"] = "${facts:service_level}"
	}
	if faults.SecretMissing {
		monitoring["oidc"] = map[string]any{"client_secret": "?{vaultkv:${cluster:tenant}/${cluster:name}/oidc-client/clientSecret}"}
	}
	return map[string]any{"openshift4_monitoring": monitoring}
}

// addClass adds a class after its own classes.
func (h *hierarchy) addClass(from, name string) error {
	if strings.HasPrefix(name, ".") {
		name = h.tenant + name
	}
	if h.seen[name] {
		return nil
	}
	h.seen[name] = true
	if known, ok := listGlobalClasses()[name]; ok {
		return merge(h.result.parameters, known.Parameters, "")
	}
	below, own := strings.CutPrefix(name, h.tenant+".")
	for _, suffix := range []string{".yml", ".yaml", "/init.yml", "/init.yaml"} {
		if data, ok := h.files[strings.ReplaceAll(below, ".", "/")+suffix]; ok && own {
			return h.add(name, data)
		}
	}
	return fmt.Errorf("-> %s\n   Class %s not found", from, name)
}

func (h *hierarchy) add(name string, data []byte) error {
	var read configuration
	if err := yaml.Unmarshal(data, &read); err != nil {
		return newError("Failed to parse class %s: %s", name, strings.TrimSpace(yaml.FormatError(err, false, false)))
	}
	for _, class := range read.Classes {
		if err := h.addClass(name, class); err != nil {
			return err
		}
	}
	for _, application := range read.Applications {
		h.addApplication(application)
	}
	return merge(h.result.parameters, read.Parameters, "")
}

// addApplication removes an application whose name has a tilde before it, even if it is added later.
func (h *hierarchy) addApplication(name string) {
	plain, isRemoval := strings.CutPrefix(name, "~")
	known, removed := slices.Index(h.result.applications, plain), slices.Index(h.removed, plain)
	switch {
	case isRemoval && known >= 0:
		h.result.applications = slices.Delete(h.result.applications, known, known+1)
	case isRemoval && removed < 0:
		h.removed = append(h.removed, plain)
	case !isRemoval && removed >= 0:
		h.removed = slices.Delete(h.removed, removed, removed+1)
	case !isRemoval && known < 0:
		h.result.applications = append(h.result.applications, plain)
	}
}

// merge merges maps, concatenates lists, and replaces everything else.
func merge(into, over map[string]any, path string) error {
	for _, key := range slices.Sorted(maps.Keys(over)) {
		value, name := over[key], path+key
		if plain, is := strings.CutPrefix(key, "~"); is {
			into[plain] = value
			continue
		}
		switch before := into[key].(type) {
		case map[string]any:
			below, ok := value.(map[string]any)
			if !ok && value != nil {
				return newError("Can't merge %s over a mapping, at %s", describeKind(value), name)
			}
			if err := merge(before, below, name+":"); err != nil {
				return err
			}
		case []any:
			more, ok := value.([]any)
			if !ok && value != nil {
				return newError("Can't merge %s over a sequence, at %s", describeKind(value), name)
			}
			into[key] = slices.Concat(before, more)
		default:
			into[key] = value
		}
	}
	return nil
}

func describeKind(value any) string {
	switch value.(type) {
	case map[string]any:
		return "a mapping"
	case []any:
		return "a sequence"
	}
	return "a literal"
}

var reference = regexp.MustCompile(`\$\{([^${}]+)\}`)

const referenceDepth = 20

type resolver struct{ parameters map[string]any }

func (r resolver) value(value any, path []string, depth int) (any, error) {
	switch value := value.(type) {
	case map[string]any:
		resolved := map[string]any{}
		for _, key := range slices.Sorted(maps.Keys(value)) {
			below, err := r.value(value[key], append(slices.Clone(path), key), depth)
			if err != nil {
				return nil, err
			}
			resolved[key] = below
		}
		return resolved, nil
	case []any:
		resolved := make([]any, len(value))
		for i := range value {
			var err error
			if resolved[i], err = r.value(value[i], path, depth); err != nil {
				return nil, err
			}
		}
		return resolved, nil
	case string:
		return r.resolveText(value, path, depth)
	}
	return value, nil
}

// resolveText resolves the references in a string. A string that is only a reference gets the type of its target.
func (r resolver) resolveText(text string, path []string, depth int) (any, error) {
	for {
		place := reference.FindStringSubmatchIndex(text)
		if place == nil {
			return text, nil
		}
		name := text[place[2]:place[3]]
		found, ok := r.lookup(name)
		if !ok || depth > referenceDepth {
			return nil, newError("Cannot resolve ${%s}, at %s", name, strings.Join(path, ":"))
		}
		resolved, err := r.value(found, path, depth+1)
		if err != nil || place[0] == 0 && place[1] == len(text) {
			return resolved, err
		}
		if kind := describeKind(resolved); kind != "a literal" {
			return nil, newError("Can't put %s, ${%s}, into a string, at %s", kind, name, strings.Join(path, ":"))
		}
		text = text[:place[0]] + fmt.Sprint(resolved) + text[place[1]:]
	}
}

func (r resolver) lookup(name string) (any, bool) {
	var value any = r.parameters
	for key := range strings.SplitSeq(name, ":") {
		fields, ok := value.(map[string]any)
		if !ok {
			return nil, false
		}
		if value, ok = fields[key]; !ok {
			return nil, false
		}
	}
	return value, true
}
