package openshift

import (
	"cmp"
	"fmt"
	"time"

	"exoshift/internal/simcloud/kube"
)

// How long an operator needs when it has what it needs, and how long a loss lasts before it says so.
const (
	settleTime   = 60 * time.Second
	settleJitter = 4 * time.Minute
	lossTime     = 60 * time.Second
)

// finding is what an operator says about itself; the zero finding is that all is as expected.
type finding struct{ reason, message string }

func (f finding) is() string { return truth(f != finding{}) }

// in writes the finding as a condition of an operator.
func (f finding) in(o kube.Object, now, kind, status string) {
	setCondition(o, now, kind, status, cmp.Or(f.reason, "AsExpected"), cmp.Or(f.message, "All is well"))
}

// operate moves an operator through its conditions and tells whether it is available. What it needs may be away for
// a moment without anybody noticing.
func (k *controllers) operate(operator clusterOperator, seen view) (bool, error) {
	missing := operator.needs(k, seen)
	current, _ := k.objects.Get(operatorResource, "", operator.name)
	available := k.settled(operator.name, missing, condition(current, "Available").Text("status") == "True")
	lacking := k.wobble(operator.name, available)
	if available = available && lacking == (finding{}); missing != "" {
		lacking = finding{"Unavailable", missing}
	}
	ever := available || len(current.List("status.versions")) > 0
	rolling, ailing := k.rolling(operator.name, seen), k.ailment(operator.name, seen)
	if !ever {
		rolling = finding{"Installing", cmp.Or(missing, "the pods are starting")}
	}
	if ever && !available && ailing == (finding{}) {
		ailing = lacking
	}
	report := fmt.Sprint(current.Version(), available, lacking, rolling, ailing, k.record().Version)
	if k.reported[operator.name] == report {
		return available, nil
	}
	written, err := k.objects.Change(operatorResource, "", operator.name, func(o kube.Object) error {
		lacking.in(o, k.now(), "Available", truth(available))
		rolling.in(o, k.now(), "Progressing", rolling.is())
		ailing.in(o, k.now(), "Degraded", ailing.is())
		setCondition(o, k.now(), "Upgradeable", "True", "AsExpected", "")
		if available {
			o.Set("status.versions", []kube.Object{{"name": "operator", "version": k.record().Version}})
		}
		return nil
	})
	if err == nil && written.Version() == current.Version() {
		k.reported[operator.name] = report
	}
	return available, err
}

// settled tells whether an operator is available that has what it needs, or lacks it for a moment only.
func (k *controllers) settled(operator, missing string, available bool) bool {
	lost := k.held("missing/"+operator, truth(missing != ""), lossTime)
	switch {
	case missing == "":
		return k.held("settling/"+operator, "yes", settleTime+jitter(operator, settleJitter)) || available
	case lost:
		k.held("settling/"+operator, "no", 0)
		return false
	}
	return available
}

// wobble tells why an operator that has just become available is not, for a moment: the API servers behind
// openshift-apiserver are replaced by those of the next revision. That is usual, and over long before the end.
func (k *controllers) wobble(operator string, available bool) finding {
	const key = "wobble"
	if operator != "openshift-apiserver" || !available {
		return finding{}
	}
	within := func(from, to time.Duration) bool { return k.held(key, "", from) && !k.held(key, "", to) }
	if k.held(key, "", 0); !within(20*time.Second, 35*time.Second) && !within(60*time.Second, 70*time.Second) {
		return finding{}
	}
	return finding{"APIServices_Error", "APIServicesAvailable: the server is currently unable to handle the request"}
}

// rolling tells what an operator is bringing to the nodes that have just come.
func (k *controllers) rolling(operator string, seen view) finding {
	fresh := 0
	for _, node := range seen.nodes {
		if status := condition(node, "Ready").Text("status"); status != "True" && status != "Unknown" {
			fresh++
		}
	}
	switch {
	case operator == "etcd":
		return k.behind()
	case fresh == 0:
	case operator == "network":
		return finding{"Deploying", fmt.Sprintf("DaemonSet \"/openshift-ovn-kubernetes/ovnkube-node\" is not available (awaiting %d nodes)", fresh)}
	case operator == "dns":
		return finding{"DNSReportsProgressingIsTrue", fmt.Sprintf("DNS \"default\" reports Progressing=True: \"Have %d available DNS pods, want %d.\"",
			len(seen.nodes)-fresh, len(seen.nodes))}
	}
	return finding{}
}

// unreachableTime is how long routes may fail before operators call themselves degraded for it (inferred).
const unreachableTime = 5 * time.Minute

// ailment tells why an operator is degraded that may well be available.
func (k *controllers) ailment(operator string, seen view) finding {
	failing := seen.readyPods(routerApp) > 0 && seen.reach.apps != "" && seen.reach.apps != probeUnproved
	unreachable := k.held("unreachable", truth(failing), unreachableTime) && failing
	switch operator {
	case "etcd":
		if slow := k.fsync(seen); slow != "" {
			return finding{"FSyncController_Error", "FSyncControllerDegraded: " + slow}
		}
	case "machine-config":
		if degraded := k.degradedMasters(); degraded != "" {
			return finding{"RequiredPoolsFailed", degraded}
		}
	case "authentication":
		if unreachable {
			return finding{"OAuthServerRouteEndpointAccessibleController_SyncError", "OAuthServerRouteEndpointAccessibleControllerDegraded: " + seen.reach.apps}
		}
	case "console":
		if unreachable {
			return finding{"RouteHealth_FailedGet", "RouteHealthDegraded: failed to GET route: " + seen.reach.apps}
		}
	}
	return finding{}
}
