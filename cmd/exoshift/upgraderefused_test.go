package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	appupgrade "exoshift/internal/app/upgrade"
	"exoshift/internal/fault"
	"exoshift/provisioner/backup"
	"exoshift/provisioner/upgrade"
	"exoshift/state"
)

// updatesRefused requires that nothing is changed where a cluster must not be updated.
func updatesRefused(t *testing.T, s run.Run) {
	t.Helper()
	refuse := func(wanted appupgrade.Request, code int, reason string) {
		t.Helper()
		shown, err := updateCluster(t.Context(), t, s, wanted, nil)
		if exit.Code(err) != code || !strings.Contains(fmt.Sprint(err), reason) {
			t.Errorf("%s: exit code %d: %v\n%s", wanted.To, exit.Code(err), err, lastLines(shown.out.String()))
		}
		if facts(t, s).Upgrade != nil {
			t.Errorf("%s: the facts know %+v", wanted.To, facts(t, s).Upgrade)
		}
	}
	refuse(requestOf("nonsense"), exit.Usage, "--to nonsense: a release is given like 4.20.7, and the channel stable-4.20 has 4.20.99, 4.20.98 (not recommended)")
	withoutBackup := requestOf(newRelease)
	withoutBackup.ReadKeys = func(context.Context) (backup.Keys, error) { return backup.Keys{}, errors.New("there is no key") }
	refuse(withoutBackup, exit.Answers, "make one with exoshift backup create")
	refuse(requestOf("4.20.4"), exit.Answers, "OpenShift has no way back")
	refuse(requestOf("4.22.0"), exit.Answers, "none can be skipped")
	refuse(requestOf("4.20.50"), exit.Answers, "has no update from 4.20.5 to 4.20.50")
	refuse(requestOf(riskyRelease), exit.Answers, "SlowRegistryStorage")
	refuse(requestOf(nextMinor), exit.Answers, "has no update from 4.20.5 to "+nextMinor)
	withBackup := requestOf(newRelease)
	withBackup.Backup.Folder = t.TempDir()
	refuse(withBackup, exit.Answers, "it has no file snapshot_")
	withCanary := requestOf(newRelease)
	withCanary.Canary = "master"
	refuse(withCanary, exit.Answers, "--canary is for one of those")
	for code, seen := range map[int]func(*state.Snapshot){
		exit.ControlPlane: func(seen *state.Snapshot) { seen.Etcd.Members = seen.Etcd.Members[:2] },
		exit.Operators:    func(seen *state.Snapshot) { seen.Operators[0].Degraded = true },
	} {
		_, err := updateCluster(t.Context(), t, s, requestOf(newRelease), func(clients *upgrade.Clients) { clients.Cluster = unwellUpgrade{clients.Cluster, seen} })
		if exit.Code(err) != code || !strings.Contains(fault.HintOf(err), "once all of that is over") || facts(t, s).Upgrade != nil {
			t.Errorf("exit code %d, not %d: %v", exit.Code(err), code, err)
		}
	}
	setPool(t, s, "worker", `{"spec":{"paused":true}}`)
	refuse(requestOf(newRelease), exit.Answers, "the machine config pool worker is paused")
	setPool(t, s, "worker", `{"spec":{"paused":false}}`)
	alertRefused(t, s)
	expiryRefused(t, s)
}

// alertRefused has a critical alert fire: the refusal names it, and ends with it.
func alertRefused(t *testing.T, s run.Run) {
	t.Helper()
	const rules = "/apis/monitoring.coreos.com/v1/namespaces/openshift-monitoring/prometheusrules"
	fire := func(name, severity string) {
		t.Helper()
		requestCluster(t, s, http.MethodPost, rules, fmt.Sprintf(`{"apiVersion":"monitoring.coreos.com/v1","kind":"PrometheusRule","metadata":{"name":"%s"},"spec":{"groups":[{"name":"shop",`+
			`"rules":[{"alert":"%s","expr":"vector(1)","labels":{"severity":"%s"},"annotations":{"summary":"The shop is closed."}}]}]}}`, strings.ToLower(name), name, severity), &map[string]any{})
	}
	wanted := requestOf(newRelease)
	wanted.DryRun = true
	fire("ShopSlow", "warning")
	if shown, err := updateCluster(t.Context(), t, s, wanted, nil); err != nil || shown.plan.Review.Fails(upgrade.CheckAlerts) {
		t.Errorf("with an alert that is not critical: %v", err)
	}
	fire("ShopClosed", "critical")
	since := time.Now().UTC().Format("2006-01-02 15:04 MST")
	for _, wanted.DryRun = range []bool{true, false} {
		shown, err := updateCluster(t.Context(), t, s, wanted, nil)
		reason := "nothing was changed: the alert ShopClosed fires since " + since + ": The shop is closed."
		if exit.Code(err) != exit.Answers || !strings.HasSuffix(fmt.Sprint(err), reason) || !strings.Contains(fault.HintOf(err), "silence") || !strings.Contains(fault.HintOf(err), "run the same command again") {
			t.Errorf("exit code %d: %v; %s", exit.Code(err), err, fault.HintOf(err))
		}
		if !shown.plan.Review.Fails(upgrade.CheckAlerts) || facts(t, s).Upgrade != nil {
			t.Errorf("the preconditions are %+v, the facts know %+v", shown.plan.Review.Preconditions, facts(t, s).Upgrade)
		}
	}
	requestCluster(t, s, http.MethodDelete, rules+"/shopclosed", "", nil)
	requestCluster(t, s, http.MethodDelete, rules+"/shopslow", "", nil)
	wanted.DryRun = true
	if _, err := updateCluster(t.Context(), t, s, wanted, nil); err != nil {
		t.Errorf("once no alert fires: %v", err)
	}
}

// expiryRefused has the signer of certificates end within days: the refusal names its end, and whom to ask why it was not replaced.
func expiryRefused(t *testing.T, s run.Run) {
	t.Helper()
	for left, refused := range map[time.Duration]bool{13 * 24 * time.Hour: true, 15 * 24 * time.Hour: false} {
		end := time.Now().Add(left)
		wanted := requestOf(newRelease)
		wanted.DryRun = !refused
		shown, err := updateCluster(t.Context(), t, s, wanted, func(clients *upgrade.Clients) { clients.Cluster = expiringUpgrade{clients.Cluster, end} })
		if shown.plan.Review.Fails(upgrade.CheckCertificates) != refused || facts(t, s).Upgrade != nil {
			t.Errorf("%s before the end: the preconditions are %+v", left, shown.plan.Review.Preconditions)
		}
		if !refused {
			if err != nil {
				t.Errorf("%s before the end: %v", left, err)
			}
			continue
		}
		reason := "ends at " + end.UTC().Format("2006-01-02 15:04 MST") + ", and was to be replaced 73 days before"
		if exit.Code(err) != exit.Answers || !strings.Contains(fmt.Sprint(err), reason) || !strings.Contains(fault.HintOf(err), "oc -n openshift-kube-apiserver-operator logs") {
			t.Errorf("exit code %d: %v; %s", exit.Code(err), err, fault.HintOf(err))
		}
	}
}

// expiringUpgrade has a cluster whose signer of certificates was not replaced in time.
type expiringUpgrade struct {
	upgrade.Cluster
	end time.Time
}

func (c expiringUpgrade) InspectStop(ctx context.Context) (state.StopConditions, error) {
	found, err := c.Cluster.InspectStop(ctx)
	found.CertificateEnd = c.end
	return found, err
}

// unwellUpgrade has a cluster that is not well.
type unwellUpgrade struct {
	upgrade.Cluster
	alter func(*state.Snapshot)
}

func (c unwellUpgrade) Poll(ctx context.Context, bootstrap netip.Addr, expected []state.ExpectedNode) (state.Snapshot, error) {
	seen, err := c.Cluster.Poll(ctx, bootstrap, expected)
	seen.Etcd.Members, seen.Operators = slices.Clone(seen.Etcd.Members), slices.Clone(seen.Operators)
	c.alter(&seen)
	return seen, err
}
