package operators

import (
	"cmp"
	"fmt"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/openshift/cluster"
)

// How long an operator takes once its requirements are met, and how long a loss lasts before it is reported.
const (
	settleTime   = 60 * time.Second
	settleJitter = 4 * time.Minute
	lossTime     = 60 * time.Second
)

// statusDetail is the reason and message of a condition; the zero value means as expected.
type statusDetail struct{ reason, message string }

func (f statusDetail) toStatus() string { return kube.FormatStatus(f != statusDetail{}) }

func (f statusDetail) writeCondition(o kube.Object, now, kind, status string) {
	o.SetCondition(now, kind, status, cmp.Or(f.reason, "AsExpected"), cmp.Or(f.message, "All is well"))
}

// syncOperator updates an operator's conditions and reports whether it is available. Short losses of a requirement are ignored.
func (k versionOperator) syncOperator(operator clusterOperator, seen clusterSnapshot) (bool, error) {
	missing := operator.require(k.loop, seen)
	current, _ := k.Objects.Get(cluster.OperatorResource, "", operator.name)
	available := k.isSettled(operator.name, missing, current.Condition("Available").GetString("status") == "True")
	lacking := k.checkUnavailable(operator.name, available)
	if available = available && lacking == (statusDetail{}); missing != "" {
		lacking = statusDetail{"Unavailable", missing}
	}
	ever := available || len(current.List("status.versions")) > 0
	rolling, ailing := k.checkProgressing(operator.name, seen), k.checkDegraded(operator.name, seen)
	version, err := k.advance(operator.name, current, available && rolling == (statusDetail{}) && ailing == (statusDetail{}), seen, &rolling, &ailing)
	if err != nil {
		return available, err
	}
	if !ever {
		rolling = statusDetail{"Installing", cmp.Or(missing, "the pods are starting")}
	}
	if ever && !available && ailing == (statusDetail{}) {
		ailing = lacking
	}
	report := fmt.Sprint(current.ResourceVersion(), available, lacking, rolling, ailing, version)
	if k.reported[operator.name] == report {
		return available, nil
	}
	written, err := k.Objects.Update(cluster.OperatorResource, "", operator.name, func(o kube.Object) error {
		cmp.Or(lacking, map[bool]statusDetail{false: {"Starting", "the pods are starting"}}[available]).writeCondition(o, k.Timestamp(), "Available", kube.FormatStatus(available))
		rolling.writeCondition(o, k.Timestamp(), "Progressing", rolling.toStatus())
		ailing.writeCondition(o, k.Timestamp(), "Degraded", ailing.toStatus())
		o.SetCondition(k.Timestamp(), "Upgradeable", "True", "AsExpected", "")
		if available {
			o.Set("status.versions", []kube.Object{{"name": "operator", "version": version}})
		}
		return nil
	})
	if err == nil && written.ResourceVersion() == current.ResourceVersion() {
		k.reported[operator.name] = report
	}
	return available, err
}

// advance returns the release that an operator has, and what it does about that of the update if it is its turn.
func (k versionOperator) advance(name string, current kube.Object, settled bool, seen clusterSnapshot, rolling, ailing *statusDetail) (string, error) {
	version := k.updates.VersionOf(current)
	if name != seen.turn {
		return version, nil
	}
	step, err := k.updates.Advance(name, settled)
	if step.Done {
		return k.TargetVersion(), err
	}
	if *rolling == (statusDetail{}) {
		*rolling = statusDetail{"RollOut", step.Rolling}
	}
	if step.Failing != "" {
		*ailing = statusDetail{step.Reason, step.Failing}
	}
	return version, err
}

// isSettled reports whether an operator is available with its requirements met, or missing for a moment only.
func (k versionOperator) isSettled(operator, missing string, available bool) bool {
	lost := k.hasLasted("missing/"+operator, kube.FormatStatus(missing != ""), lossTime)
	switch {
	case missing == "":
		return k.hasLasted("settling/"+operator, "yes", settleTime+cluster.Jitter(operator, settleJitter)) || available
	case lost:
		k.hasLasted("settling/"+operator, "no", 0)
		return false
	}
	return available
}

// checkUnavailable returns why an operator that has just become available is unavailable for a moment: the API servers behind
// openshift-apiserver are replaced by those of the next revision. That is usual, and over long before the end.
func (k versionOperator) checkUnavailable(operator string, available bool) statusDetail {
	const key = "wobble"
	if operator != "openshift-apiserver" || !available {
		return statusDetail{}
	}
	within := func(from, to time.Duration) bool { return k.hasLasted(key, "", from) && !k.hasLasted(key, "", to) }
	if k.hasLasted(key, "", 0); !within(20*time.Second, 35*time.Second) && !within(60*time.Second, 70*time.Second) {
		return statusDetail{}
	}
	return statusDetail{"APIServices_Error", "APIServicesAvailable: the server is currently unable to handle the request"}
}

func (k versionOperator) checkProgressing(operator string, seen clusterSnapshot) statusDetail {
	fresh := 0
	for _, node := range seen.nodes {
		if status := node.Condition("Ready").GetString("status"); status != "True" && status != "Unknown" {
			fresh++
		}
	}
	switch {
	case operator == "etcd":
		return checkRevisions(k.Objects, cluster.EtcdResource)
	case operator == "kube-apiserver" && isAtLaterRevision(k.Objects):
		return checkRevisions(k.Objects, apiServerResource)
	case fresh == 0:
	case operator == "network":
		return statusDetail{"Deploying", fmt.Sprintf("DaemonSet \"/openshift-ovn-kubernetes/ovnkube-node\" is not available (awaiting %d nodes)", fresh)}
	case operator == "dns":
		return statusDetail{"DNSReportsProgressingIsTrue", fmt.Sprintf("DNS \"default\" reports Progressing=True: \"Have %d available DNS pods, want %d.\"",
			len(seen.nodes)-fresh, len(seen.nodes))}
	}
	return statusDetail{}
}

// unreachableTime is how long routes may fail before operators become degraded (inferred).
const unreachableTime = 5 * time.Minute

func (k versionOperator) checkDegraded(operator string, seen clusterSnapshot) statusDetail {
	failing := seen.readyPods[cluster.RouterApp] > 0 && seen.probes.apps != "" && seen.probes.apps != probeUnproved
	unreachable := k.hasLasted("unreachable", kube.FormatStatus(failing), unreachableTime) && failing
	switch operator {
	case "etcd":
		if slow := describeFsync(k.loop, seen); slow != "" {
			return statusDetail{"FSyncController_Error", "FSyncControllerDegraded: " + slow}
		}
	case "kube-apiserver":
		if expired := k.describeExpiredSigner(); expired != "" {
			return statusDetail{"CertRotationController_Error", "KubeletClientCertificateDegraded: " + expired}
		}
	case "machine-config":
		if degraded := describeDegradedMasters(k.Objects); degraded != "" {
			return statusDetail{"RequiredPoolsFailed", degraded}
		}
	case "authentication":
		if unreachable {
			return statusDetail{"OAuthServerRouteEndpointAccessibleController_SyncError", "OAuthServerRouteEndpointAccessibleControllerDegraded: " + seen.probes.apps}
		}
	case "console":
		if unreachable {
			return statusDetail{"RouteHealth_FailedGet", "RouteHealthDegraded: failed to GET route: " + seen.probes.apps}
		}
	}
	return statusDetail{}
}
