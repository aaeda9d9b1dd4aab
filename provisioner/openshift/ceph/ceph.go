// Package ceph administers Rook and its Ceph in a running cluster: by the commands of the toolbox, and by the objects that Rook acts on.
package ceph

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"slices"
	"strconv"
	"strings"

	"exoshift/internal/fault"
	"exoshift/internal/stable"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state/rook"

	corev1 "k8s.io/api/core/v1"
)

const (
	clusters            kubeapi.ResourcePath = "ceph.rook.io/v1/cephclusters@" + rook.Namespace
	pods                kubeapi.ResourcePath = "v1/pods@" + rook.Namespace
	deployments         kubeapi.ResourcePath = "apps/v1/deployments@" + rook.Namespace
	operatorDeployments kubeapi.ResourcePath = "apps/v1/deployments@" + rook.OperatorNamespace
	operatorPods        kubeapi.ResourcePath = "v1/pods@" + rook.OperatorNamespace
	claims              kubeapi.ResourcePath = "v1/persistentvolumeclaims@" + rook.Namespace
	jobs                kubeapi.ResourcePath = "batch/v1/jobs@" + rook.Namespace
	secrets             kubeapi.ResourcePath = "v1/secrets@" + rook.Namespace
	volumes             kubeapi.ResourcePath = "v1/persistentvolumes"
	applications        kubeapi.ResourcePath = "argoproj.io/v1alpha1/applications@syn"

	clusterName = "cluster"
	claimLabel  = "ceph.rook.io/pvc"
	osdLabel    = "ceph-osd-id"
)

// Administrator administers the Ceph of a cluster.
type Administrator struct{ connector *kubeapi.Connector }

// New returns that of the connector's cluster.
func New(connector *kubeapi.Connector) *Administrator { return &Administrator{connector} }

// RunCeph runs a command of Ceph in the toolbox. fault.Conflict: Ceph refuses it, which the cause says; after any other error, it may have had
// its effect.
func (a *Administrator) RunCeph(ctx context.Context, arguments ...string) error {
	_, err := a.run(ctx, arguments...)
	return err
}

func (a *Administrator) run(ctx context.Context, arguments ...string) ([]byte, error) {
	api, err := a.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	found, err := kubeapi.List[corev1.Pod](ctx, api, pods, "app=rook-ceph-tools")
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(found, func(p corev1.Pod) bool { return isReady(p) })
	if at < 0 {
		return nil, fault.Newf(fault.Transient, "run ceph "+strings.Join(arguments, " "), "no pod of the toolbox is ready: %s/rook-ceph-tools", rook.Namespace)
	}
	return kubeapi.Exec(ctx, api, kubeapi.Container{Namespace: rook.Namespace, Pod: found[at].Name}, append([]string{"ceph"}, arguments...)...)
}

func isReady(pod corev1.Pod) bool {
	return pod.DeletionTimestamp == nil && slices.ContainsFunc(pod.Status.Conditions, func(c corev1.PodCondition) bool {
		return c.Type == corev1.PodReady && c.Status == corev1.ConditionTrue
	})
}

// query decodes the answer to a command.
func query[T any](ctx context.Context, a *Administrator, arguments ...string) (answer T, err error) {
	content, err := a.run(ctx, append(arguments, "-f", "json")...)
	if err != nil {
		return answer, err
	}
	if json.Unmarshal(content, &answer) != nil {
		return answer, fault.Newf(fault.Internal, "run ceph "+strings.Join(arguments, " "), "the answer is not the JSON of this command")
	}
	return answer, nil
}

type cephStatus struct {
	Health struct {
		Status string `json:"status"`
		Checks map[string]struct {
			Severity string `json:"severity"`
			Summary  struct {
				Message string `json:"message"`
			} `json:"summary"`
		} `json:"checks"`
	} `json:"health"`
	Quorum []string `json:"quorum_names"`
	Monmap struct {
		Mons int `json:"num_mons"`
	} `json:"monmap"`
	Groups struct {
		States []struct {
			Name  string `json:"state_name"`
			Count int    `json:"count"`
		} `json:"pgs_by_state"`
		Degraded  int `json:"degraded_objects"`
		Misplaced int `json:"misplaced_objects"`
	} `json:"pgmap"`
}

type cephTree struct {
	Nodes []struct {
		ID       int     `json:"id"`
		Name     string  `json:"name"`
		Type     string  `json:"type"`
		Children []int   `json:"children"`
		Weight   float64 `json:"crush_weight"`
		Reweight float64 `json:"reweight"`
		Total    int64   `json:"kb"`
		Used     int64   `json:"kb_used"`
		Status   string  `json:"status"`
	} `json:"nodes"`
}

// GetCeph returns what Ceph reports.
func (a *Administrator) GetCeph(ctx context.Context) (found rook.Ceph, err error) {
	status, err := query[cephStatus](ctx, a, "status")
	if err != nil {
		return found, err
	}
	tree, err := query[cephTree](ctx, a, "osd", "df", "tree")
	if err != nil {
		return found, err
	}
	found = rook.Ceph{
		Health: kubeapi.Sanitize(status.Health.Status), Groups: map[string]int{}, Degraded: status.Groups.Degraded, Misplaced: status.Groups.Misplaced,
		Mons: status.Monmap.Mons, Quorum: status.Quorum, OSDs: tree.listOSDs(),
	}
	for code, check := range status.Health.Checks {
		found.Checks = append(found.Checks, rook.Check{Code: kubeapi.Sanitize(code), Severity: check.Severity, Message: kubeapi.Sanitize(check.Summary.Message)})
	}
	stable.Sort(found.Checks, func(a, b rook.Check) int { return cmp.Compare(a.Code, b.Code) })
	for _, one := range status.Groups.States {
		found.Groups[kubeapi.Sanitize(one.Name)] += one.Count
	}
	return found, nil
}

func (t cephTree) listOSDs() (all []rook.OSD) {
	hosts := map[int]string{}
	for _, node := range t.Nodes {
		if node.Type == "host" {
			for _, id := range node.Children {
				hosts[id] = node.Name
			}
		}
	}
	for _, node := range t.Nodes {
		if node.Type == "osd" {
			all = append(all, rook.OSD{
				ID: node.ID, Host: hosts[node.ID], Up: node.Status == "up", In: node.Reweight > 0, Weight: node.Weight, Used: node.Used << 10, Total: node.Total << 10,
			})
		}
	}
	stable.Sort(all, func(a, b rook.OSD) int { return a.ID - b.ID })
	return all
}

// IsSafeToDestroy reports whether no data needs an OSD; an OSD that is gone already is needed by none. The reason is Ceph's.
func (a *Administrator) IsSafeToDestroy(ctx context.Context, osd int) (safe bool, reason string, err error) {
	err = a.RunCeph(ctx, "osd", "safe-to-destroy", strconv.Itoa(osd))
	var refused *kubeapi.ExitError
	if errors.As(err, &refused) {
		return false, strings.TrimSpace(kubeapi.Sanitize(refused.Output)), nil
	}
	return err == nil, "", err
}

// GetCephOptions returns the options that are set, by section and name.
func (a *Administrator) GetCephOptions(ctx context.Context) (map[string]string, error) {
	dumped, err := query[[]struct{ Section, Name, Value string }](ctx, a, "config", "dump")
	options := map[string]string{}
	for _, one := range dumped {
		options[one.Section+" "+one.Name] = one.Value
	}
	return options, err
}
