package upgrade

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/stable"
)

// operatorTime is how long an operator takes to replace what it runs (inferred); those that restart the control plane take longer.
const (
	operatorTime = 50 * time.Second
	masterTime   = 4 * time.Minute
)

// machineConfig is the last operator, which updates the nodes.
const machineConfig = "machine-config"

// listFirst returns the operators that are updated before all others, and listLast those after them, each in order.
func listFirst() []string {
	return []string{"config-operator", "etcd", "kube-apiserver", "kube-controller-manager", "kube-scheduler"}
}

func listLast() []string { return []string{"network", "dns", machineConfig} }

// Order sorts operators by when they are updated.
func Order(names []string) []string {
	rank := func(name string) int {
		if at := slices.Index(listFirst(), name); at >= 0 {
			return at
		}
		if at := slices.Index(listLast(), name); at >= 0 {
			return 1000 + at
		}
		return 100
	}
	sorted := slices.Clone(names)
	stable.Sort(sorted, func(a, b string) int { return rank(a) - rank(b) })
	return sorted
}

// VersionOf returns the release that an operator reports; that of the installation before it reported one.
func (u *Updates) VersionOf(operator kube.Object) string {
	for _, entry := range operator.List("status.versions") {
		if entry.GetString("name") == "operator" {
			return entry.GetString("version")
		}
	}
	return u.cluster.TargetVersion()
}

// FindTurn returns the operator that is being updated; "": none is.
func (u *Updates) FindTurn(names []string) string {
	target := u.cluster.TargetVersion()
	if target == u.cluster.Record().Version {
		return ""
	}
	for _, name := range Order(names) {
		operator, _ := u.cluster.Objects.Get(cluster.OperatorResource, "", name)
		if u.VersionOf(operator) != target {
			return name
		}
	}
	return ""
}

// Step is what an operator does while it is its turn.
type Step struct {
	Done    bool
	Rolling string // what it does
	Failing string // why it does not come further
	Reason  string // of Failing
}

// Advance is for the operator whose turn it is. settled: it is as it has to be, apart from its release.
func (u *Updates) Advance(name string, settled bool) (Step, error) {
	target := u.cluster.TargetVersion()
	rolling := "Working towards " + target
	if name == machineConfig {
		return u.advanceNodes(target, rolling)
	}
	if reason := u.findUnknownSetting(name); reason != "" {
		u.lasted("update of "+name, "blocked", 0)
		return Step{Rolling: rolling, Failing: reason, Reason: "InvalidConfiguration"}, nil
	}
	usual := operatorTime
	if slices.Contains(listFirst(), name) && name != "config-operator" {
		usual = masterTime
	}
	done := u.lasted("update of "+name, target, usual+cluster.Jitter(name, operatorTime)) && settled
	return Step{Done: done, Rolling: rolling}, nil
}

// advanceNodes is done once the masters have the configuration of the release; other nodes may take longer.
func (u *Updates) advanceNodes(target, rolling string) (Step, error) {
	if u.cluster.ConfigVersion() != target {
		record := cluster.StateRecord{What: cluster.ConfigRecord, State: target, Since: u.cluster.Clock.Now()}
		return Step{Rolling: rolling}, u.cluster.StateRecords.Put(cluster.ConfigRecord, record)
	}
	pool, _ := u.cluster.Objects.Get(cluster.PoolResource, "", "master")
	all, updated := pool.GetInt("status.machineCount"), pool.GetInt("status.updatedMachineCount")
	ready := u.lasted("update of "+machineConfig, target, operatorTime) && pool.Condition("Updated").GetString("status") == "True"
	return Step{Done: ready, Rolling: fmt.Sprintf("%s: %d of %d masters are updated", rolling, updated, all)}, nil
}

// Revision is a part of the revision of what an operator runs on the masters; "" before the first update reached it.
func (u *Updates) Revision(operator, turn string) string {
	target := u.cluster.TargetVersion()
	if target == u.cluster.Record().Version {
		return ""
	}
	current, _ := u.cluster.Objects.Get(cluster.OperatorResource, "", operator)
	if version := u.VersionOf(current); operator != turn {
		if version == u.cluster.Record().Version {
			return ""
		}
		return " " + version
	}
	return " " + target
}

// The setting of the monitoring that the UnknownSetting fault adds, and that later releases refuse.
const (
	monitoringNamespace = "openshift-monitoring"
	monitoringConfig    = "cluster-monitoring-config"
	unknownSetting      = "techPreviewUserWorkload"
)

// injectUnknownSetting adds the setting when the first update begins: whoever owns the ConfigMap can remove it, which is the fix.
func (u *Updates) injectUnknownSetting() error {
	const what = "unknown setting"
	if _, done := u.cluster.StateRecords.Get(what); !u.cluster.Faults.UnknownSetting || done {
		return nil
	}
	config := kube.NewNamed(monitoringConfig)
	change := func(o kube.Object) error {
		o.Set("data", kube.Object{"config.yaml": readConfig(o) + unknownSetting + ":\n  enabled: true\n"})
		return nil
	}
	_ = change(config)
	if err := u.cluster.Objects.Ensure(cluster.ConfigMapResource, monitoringNamespace, config, change); err != nil {
		return err
	}
	return u.cluster.StateRecords.Put(what, cluster.StateRecord{What: what, Since: u.cluster.Clock.Now()})
}

// readConfig reads a key with a dot, which a path cannot name.
func readConfig(o kube.Object) string {
	content, _ := o.Map("data")["config.yaml"].(string)
	if content != "" && !strings.HasSuffix(content, "\n") {
		content += "\n"
	}
	return content
}

func (u *Updates) findUnknownSetting(operator string) string {
	if operator != "monitoring" || !u.cluster.Faults.UnknownSetting {
		return ""
	}
	config, _ := u.cluster.Objects.Get(cluster.ConfigMapResource, monitoringNamespace, monitoringConfig)
	if !strings.Contains(readConfig(config), unknownSetting) {
		return ""
	}
	return fmt.Sprintf("the Cluster Monitoring ConfigMap could not be parsed: failed to parse data at key \"config.yaml\": error unmarshaling JSON: while decoding JSON: json: unknown field %q", unknownSetting)
}
