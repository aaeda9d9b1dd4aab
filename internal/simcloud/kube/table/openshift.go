package table

import (
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
)

// listOpenShiftColumns returns the columns of OpenShift's definitions, which the simulated ones do not repeat; nil: they are the
// name and the age.
func listOpenShiftColumns(resource string) []column {
	name, age := nameColumn(), ageColumn()
	switch resource {
	case "clusteroperators.config.openshift.io":
		return []column{name, newTextColumn("Version", formatOperatorVersion), newStateColumn("Available"), newStateColumn("Progressing"), newStateColumn("Degraded"),
			newSinceColumn("Available"), newMessageColumn("Message", "Degraded")}
	case "clusterversions.config.openshift.io":
		return []column{name, newTextColumn("Version", releaseVersion), newStateColumn("Available"), newStateColumn("Progressing"),
			newSinceColumn("Progressing"), newMessageColumn("Status", "Progressing")}
	case "machineconfigpools.machineconfiguration.openshift.io":
		return []column{name, newColumn("Config", "status.configuration.name"), newStateColumn("Updated"), newStateColumn("Updating"), newStateColumn("Degraded"),
			newCountColumn("MachineCount", "status.machineCount"), newCountColumn("ReadyMachineCount", "status.readyMachineCount"),
			newCountColumn("UpdatedMachineCount", "status.updatedMachineCount"), newCountColumn("DegradedMachineCount", "status.degradedMachineCount"), age}
	case "machineconfigs.machineconfiguration.openshift.io":
		return []column{name, newTextColumn("GeneratedByController", func(o kube.Object) string {
			made, _ := o.Map("metadata.annotations")["machineconfiguration.openshift.io/generated-by-controller-version"].(string)
			return made
		}), newColumn("IgnitionVersion", "spec.config.ignition.version"), age}
	}
	return nil
}

// listDefinedColumns returns the additional columns of a definition's version. A definition without any has the age.
func listDefinedColumns(definition kube.Object, version string) []column {
	var columns []column
	for _, served := range definition.List("spec.versions") {
		if served.GetString("name") != version {
			continue
		}
		for _, defined := range served.List("additionalPrinterColumns") {
			columns = append(columns, newDefinedColumn(defined))
		}
	}
	return columns
}

func newDefinedColumn(defined kube.Object) column {
	path, kind := strings.TrimPrefix(defined.GetString("jsonPath"), "."), defined.GetString("type")
	cell := func(o kube.Object, now time.Time) any {
		found := find(map[string]any(o), path)
		if at, ok := found.(string); ok && kind == date {
			return formatAge(at, now)
		}
		return found
	}
	return column{name: defined.GetString("name"), kind: kind, priority: defined.GetInt("priority"), cell: cell}
}

// find returns the value at a path of the forms that definitions use: "a.b", "a[0].b", `a[?(@.type=="Ready")].b`, `a['b.c']`; nil
// if there is none.
func find(value any, path string) any {
	for path != "" {
		switch {
		case strings.HasPrefix(path, "["):
			inner, rest, _ := strings.Cut(path[1:], "]")
			value, path = selectItem(value, inner), strings.TrimPrefix(rest, ".")
		default:
			end := strings.IndexAny(path, ".[")
			if end < 0 {
				end = len(path)
			}
			fields, _ := value.(map[string]any)
			value, path = fields[strings.ReplaceAll(path[:end], `\`, "")], strings.TrimPrefix(path[end:], ".")
		}
	}
	return value
}

// selectItem returns a field of a map by its quoted name, or the first item of a list that a filter selects; "0" and "*" are the
// first.
func selectItem(value any, selector string) any {
	if fields, ok := value.(map[string]any); ok {
		return fields[strings.Trim(selector, `'"`)]
	}
	items, _ := value.([]any)
	filter, isFilter := strings.CutPrefix(selector, "?(@.")
	key, wanted, _ := strings.Cut(strings.TrimSuffix(filter, ")"), "==")
	for _, item := range items {
		fields, _ := item.(map[string]any)
		if !isFilter || fields[strings.TrimSpace(key)] == strings.Trim(strings.TrimSpace(wanted), `'"`) {
			return item
		}
	}
	return nil
}
