package commodore

import (
	"bytes"
	"embed"
	"encoding/json"
	"fmt"
	"io/fs"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"exoshift/internal/text/template"
)

// components holds, for each component, the templates of its manifests.
//
//go:embed component
var components embed.FS

func isKnownComponent(name string) bool {
	info, err := fs.Stat(components, "component/"+name)
	return err == nil && info.IsDir()
}

// BuildComponent returns the manifests of a component, by their paths below its folder.
func BuildComponent(component string, parameters map[string]any) (map[string][]byte, error) {
	files, root := map[string][]byte{}, "component/"+component
	return files, fs.WalkDir(components, root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		text, err := fs.ReadFile(components, path)
		if err != nil {
			return err
		}
		made, err := execute(string(text), parameters)
		if err != nil {
			return formatJsonnetError(component, err)
		}
		if len(bytes.TrimSpace(made)) > 0 {
			files[strings.TrimPrefix(path, root+"/")] = made
		}
		return nil
	})
}

func execute(text string, parameters map[string]any) ([]byte, error) {
	made, err := template.Render(text, parameters, listFunctions())
	return []byte(strings.TrimPrefix(made, "\n---\n")), err
}

func listFunctions() template.Functions {
	return template.Functions{
		"list": func(items ...string) []string { return items },
		"json": toJSON, "quote": quote, "schedule": scheduleOf, "merge": with, "lookup": lookup,
		"replace":   strings.ReplaceAll,
		"namespace": renderNamespace, "deployment": renderDeployment,
		"crd": func(group, version, kind, plural string) string {
			return renderDefinition(group, version, kind, plural, "Namespaced")
		},
		"clusterCRD": func(group, version, kind, plural string) string {
			return renderDefinition(group, version, kind, plural, "Cluster")
		},
	}
}

func toJSON(value any) (string, error) {
	text, err := json.Marshal(value)
	return string(text), err
}

// quote is for strings in YAML; other types are an error.
func quote(value any) (string, error) {
	text, ok := value.(string)
	if !ok {
		return "", fmt.Errorf("expected string, got %T", value)
	}
	return toJSON(text)
}

func with(all map[string]any, key string, value any) map[string]any {
	more := maps.Clone(all)
	more[key] = value
	return more
}

// lookup returns the value at the end of a path of keys; nil: it is not set.
func lookup(from map[string]any, keys ...string) any {
	var found any = from
	for _, key := range keys {
		within, _ := found.(map[string]any)
		found = within[key]
	}
	return found
}

func renderNamespace(name string) string {
	return fmt.Sprintf("apiVersion: v1\nkind: Namespace\nmetadata:\n  name: %s\n  labels: {app.kubernetes.io/managed-by: commodore}", name)
}

func renderDefinition(group, version, kind, plural, scope string) string {
	return fmt.Sprintf(`apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: %[4]s.%[1]s}
spec:
  group: %[1]s
  scope: %[5]s
  names: {plural: %[4]s, singular: %[6]s, kind: %[3]s, listKind: %[3]sList}
  versions:
    - name: %[2]s
      served: true
      storage: true
      subresources: {status: {}}
      schema: {openAPIV3Schema: {type: object, x-kubernetes-preserve-unknown-fields: true}}`, group, version, kind, plural, scope, strings.ToLower(kind))
}

func renderDeployment(name, namespace, image string) string {
	return fmt.Sprintf(`apiVersion: v1
kind: ServiceAccount
metadata: {name: %[1]s, namespace: %[2]s}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: %[1]s, namespace: %[2]s, labels: {app.kubernetes.io/name: %[1]s}}
spec:
  replicas: 1
  selector: {matchLabels: {app.kubernetes.io/name: %[1]s}}
  template:
    metadata: {labels: {app.kubernetes.io/name: %[1]s}}
    spec:
      serviceAccountName: %[1]s
      containers: [{name: main, image: %[3]q}]`, name, namespace, image)
}

type window struct{ Name, Cron string }

var windowName = regexp.MustCompile(`^(sunday|monday|tuesday|wednesday|thursday|friday|saturday)-([01][0-9]|2[0-3])([0-5][0-9])$`)

// scheduleOf parses a maintenance window such as tuesday-1000; nil for one that the cluster's own configuration defines.
func scheduleOf(name any) *window {
	parts := windowName.FindStringSubmatch(fmt.Sprint(name))
	if parts == nil {
		return nil
	}
	days := []string{"sunday", "monday", "tuesday", "wednesday", "thursday", "friday", "saturday"}
	minute, _ := strconv.Atoi(parts[3]) // two digits
	hour, _ := strconv.Atoi(parts[2])
	return &window{parts[0], fmt.Sprintf("%d %d * * %d", minute, hour, slices.Index(days, parts[1]))}
}

// missingKey extracts the missing parameter from a template's error.
var missingKey = regexp.MustCompile(`map has no entry for key "([^"]+)"`)

// formatJsonnetError has the wording of Kapitan and Jsonnet.
func formatJsonnetError(component string, err error) error {
	why := err.Error()
	if missing := missingKey.FindStringSubmatch(why); missing != nil {
		why = "Field does not exist: " + missing[1]
	} else if i := strings.LastIndex(why, ": "); i > 0 {
		why = why[i+2:]
	}
	return newError("Jsonnet error: failed to compile dependencies/%[1]s/component/main.jsonnet:\n RUNTIME ERROR: %[2]s\n"+
		"\tdependencies/%[1]s/component/main.jsonnet:14:11-31\tobject <params>\n\tDuring manifestation\n\nCompile error: failed to compile target: %[1]s", component, why)
}
