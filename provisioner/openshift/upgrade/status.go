// Package upgrade reads what a cluster can be updated to and how far an update is, and changes what an update needs: the ClusterVersion, the
// acknowledgements of administrators, and the pauses of machine config pools.
package upgrade

import (
	"cmp"
	"context"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/internal/stable"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state/upgrade"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	gates  kubeapi.ResourcePath = "v1/configmaps@openshift-config-managed"
	acks   kubeapi.ResourcePath = "v1/configmaps@openshift-config"
	counts kubeapi.ResourcePath = "apiserver.openshift.io/v1/apirequestcounts"

	gatesName   = "admin-gates"
	acksName    = "admin-acks"
	versionName = "version"

	configAnnotations = "machineconfiguration.openshift.io/"
)

// Updater reads and changes what an update needs.
type Updater struct{ connector *kubeapi.Connector }

// New returns the updater of the connector's cluster.
func New(connector *kubeapi.Connector) *Updater { return &Updater{connector} }

type clusterVersion struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Spec     struct {
		Channel string `json:"channel"`
		Desired struct {
			Version string `json:"version"`
		} `json:"desiredUpdate"`
	} `json:"spec"`
	Status struct {
		ObservedGeneration int64              `json:"observedGeneration"`
		Desired            release            `json:"desired"`
		Conditions         kubeapi.Conditions `json:"conditions"`
		Available          []release          `json:"availableUpdates"`
		Conditional        []struct {
			Release    release            `json:"release"`
			Risks      []upgrade.Risk     `json:"risks"`
			Conditions kubeapi.Conditions `json:"conditions"`
		} `json:"conditionalUpdates"`
		History []struct {
			State   string    `json:"state"`
			Version string    `json:"version"`
			Started time.Time `json:"startedTime"`
		} `json:"history"`
	} `json:"status"`
}

type release struct {
	Version  string   `json:"version"`
	URL      string   `json:"url"`
	Channels []string `json:"channels"`
}

// GetUpdateStatus reads the release, the updates and how far one is. fault.NotFound: the cluster has no ClusterVersion.
func (u *Updater) GetUpdateStatus(ctx context.Context) (found upgrade.Status, err error) {
	api, err := u.connector.Connect(ctx)
	if err != nil {
		return found, err
	}
	version, exists, err := kubeapi.Get[clusterVersion](ctx, api, kubeapi.ClusterVersions, versionName)
	if err != nil {
		return found, err
	}
	if !exists {
		return found, fault.Newf(fault.NotFound, "read the release of the cluster", "it has no ClusterVersion")
	}
	found = version.toStatus()
	if found.Operators, err = listOperators(ctx, api); err != nil {
		return found, err
	}
	if found.Pools, err = listPools(ctx, api); err != nil {
		return found, err
	}
	found.Nodes, err = listNodes(ctx, api)
	return found, err
}

func (v clusterVersion) toStatus() upgrade.Status {
	reported := v.Status.Conditions
	found := upgrade.Status{
		Version: v.Status.Desired.Version, Wanted: v.Spec.Desired.Version, By: strings.Join(kubeapi.ListOwners(v.Metadata, "spec", "desiredUpdate"), ", "),
		Channel: v.Spec.Channel, Channels: v.Status.Desired.Channels,
		Observed:  v.Status.ObservedGeneration == 0 || v.Status.ObservedGeneration >= v.Metadata.Generation,
		Retrieved: reported.Is("RetrievedUpdates"), Failure: kubeapi.Sanitize(reported.Find("RetrievedUpdates").Message),
		Failing: reported.Is("Failing"), Message: kubeapi.Sanitize(reported.Find("Progressing").Message),
	}
	if found.Failing {
		found.Message = kubeapi.Sanitize(reported.Find("Failing").Message)
	}
	if blocked := reported.Find("Upgradeable"); blocked.Status == "False" {
		found.Blocked = kubeapi.Sanitize(cmp.Or(blocked.Message, blocked.Reason))
	}
	if invalid := reported.Find("Invalid"); invalid.Status == "True" {
		found.Refused = kubeapi.Sanitize(invalid.Message)
	} else if accepted := reported.Find("ReleaseAccepted"); accepted.Status == "False" {
		found.Refused = kubeapi.Sanitize(accepted.Message)
	}
	if history := v.Status.History; len(history) > 0 {
		found.Partial, found.Begun = history[0].State != "Completed" || reported.Is("Progressing"), history[0].Started
		if len(history) > 1 {
			found.From = history[1].Version
		}
	}
	found.Updates = v.listUpdates()
	return found
}

// listUpdates counts an update of which nothing is known as not recommended.
func (v clusterVersion) listUpdates() []upgrade.Release {
	var all []upgrade.Release
	for _, one := range v.Status.Available {
		all = append(all, upgrade.Release{Version: kubeapi.Sanitize(one.Version), URL: kubeapi.Sanitize(one.URL), Recommended: true})
	}
	for _, one := range v.Status.Conditional {
		found := upgrade.Release{Version: kubeapi.Sanitize(one.Release.Version), URL: kubeapi.Sanitize(one.Release.URL), Recommended: one.Conditions.Is("Recommended")}
		for _, risk := range one.Risks {
			found.Risks = append(found.Risks, upgrade.Risk{Name: kubeapi.Sanitize(risk.Name), Message: kubeapi.Sanitize(risk.Message), URL: kubeapi.Sanitize(risk.URL)})
		}
		if !slices.ContainsFunc(all, func(r upgrade.Release) bool { return r.Version == found.Version }) {
			all = append(all, found)
		}
	}
	stable.Sort(all, func(a, b upgrade.Release) int { return upgrade.Compare(b.Version, a.Version) })
	return all
}

func listOperators(ctx context.Context, api *kubeapi.Client) ([]upgrade.Operator, error) {
	found, err := kubeapi.List[struct {
		Metadata kubeapi.Named `json:"metadata"`
		Status   struct {
			Conditions kubeapi.Conditions `json:"conditions"`
			Versions   []struct {
				Name    string `json:"name"`
				Version string `json:"version"`
			} `json:"versions"`
		} `json:"status"`
	}](ctx, api, kubeapi.ClusterOperators, "")
	all := make([]upgrade.Operator, len(found))
	for i, one := range found {
		reported := one.Status.Conditions
		all[i] = upgrade.Operator{Name: one.Metadata.Name, Available: reported.Is("Available"), Degraded: reported.Is("Degraded")}
		for _, entry := range one.Status.Versions {
			if entry.Name == "operator" {
				all[i].Version = entry.Version
			}
		}
		kind := "Progressing"
		if all[i].Degraded {
			kind = "Degraded"
		}
		all[i].Message = kubeapi.Sanitize(reported.Find(kind).Message)
		all[i].Since, _ = time.Parse(time.RFC3339, reported.Find(kind).Changed)
	}
	stable.Sort(all, func(a, b upgrade.Operator) int { return strings.Compare(a.Name, b.Name) })
	return all, err
}

func listPools(ctx context.Context, api *kubeapi.Client) ([]upgrade.Pool, error) {
	found, err := kubeapi.List[struct {
		Metadata kubeapi.Named `json:"metadata"`
		Spec     struct {
			Paused bool `json:"paused"`
		} `json:"spec"`
		Status struct {
			Conditions kubeapi.Conditions `json:"conditions"`
			Machines   int                `json:"machineCount"`
			Updated    int                `json:"updatedMachineCount"`
			Ready      int                `json:"readyMachineCount"`
		} `json:"status"`
	}](ctx, api, kubeapi.MachineConfigPools, "")
	all := make([]upgrade.Pool, len(found))
	for i, one := range found {
		all[i] = upgrade.Pool{Name: one.Metadata.Name, Machines: one.Status.Machines, Updated: one.Status.Updated, Ready: one.Status.Ready, Paused: one.Spec.Paused}
		for _, kind := range []string{"RenderDegraded", "NodeDegraded", "Degraded"} {
			if one.Status.Conditions.Is(kind) {
				all[i].Degraded = true
				all[i].Message = cmp.Or(all[i].Message, kubeapi.Sanitize(one.Status.Conditions.Find(kind).Message))
			}
		}
	}
	stable.Sort(all, func(a, b upgrade.Pool) int { return strings.Compare(a.Name, b.Name) })
	return all, err
}

// listNodes returns the nodes whose configuration is not the one that they are to have.
func listNodes(ctx context.Context, api *kubeapi.Client) ([]upgrade.Node, error) {
	found, err := kubeapi.List[corev1.Node](ctx, api, kubeapi.Nodes, "")
	var all []upgrade.Node
	for i := range found {
		annotations := found[i].Annotations
		if annotations[configAnnotations+"currentConfig"] == annotations[configAnnotations+"desiredConfig"] {
			continue
		}
		node := upgrade.Node{
			Name: kubeapi.Sanitize(found[i].Name), State: kubeapi.Sanitize(annotations[configAnnotations+"state"]), Reason: kubeapi.Sanitize(annotations[configAnnotations+"reason"]),
		}
		for _, condition := range found[i].Status.Conditions {
			node.Ready = node.Ready || condition.Type == corev1.NodeReady && condition.Status == corev1.ConditionTrue
		}
		all = append(all, node)
	}
	stable.Sort(all, func(a, b upgrade.Node) int { return strings.Compare(a.Name, b.Name) })
	return all, err
}

// GetGates reads the decisions that OpenShift asks for, and which APIs are used that it will remove.
func (u *Updater) GetGates(ctx context.Context) (asked []upgrade.Gate, removed []upgrade.RemovedAPI, err error) {
	api, err := u.connector.Connect(ctx)
	if err != nil {
		return nil, nil, err
	}
	wanted, _, err := kubeapi.Get[corev1.ConfigMap](ctx, api, gates, gatesName)
	if err != nil {
		return nil, nil, err
	}
	answered, _, err := kubeapi.Get[corev1.ConfigMap](ctx, api, acks, acksName)
	if err != nil {
		return nil, nil, err
	}
	for key, text := range wanted.Data {
		asked = append(asked, upgrade.Gate{Key: kubeapi.Sanitize(key), Text: kubeapi.Sanitize(text), Acknowledged: answered.Data[key] == "true"})
	}
	stable.Sort(asked, func(a, b upgrade.Gate) int { return strings.Compare(a.Key, b.Key) })
	removed, err = listRemoved(ctx, api)
	return asked, removed, err
}

func listRemoved(ctx context.Context, api *kubeapi.Client) ([]upgrade.RemovedAPI, error) {
	found, err := kubeapi.List[struct {
		Metadata kubeapi.Named `json:"metadata"`
		Status   struct {
			Removed  string `json:"removedInRelease"`
			Requests int    `json:"requestCount"`
			Hours    []struct {
				Nodes []struct {
					Users []struct {
						Name string `json:"username"`
					} `json:"byUser"`
				} `json:"byNode"`
			} `json:"last24h"`
		} `json:"status"`
	}](ctx, api, counts, "")
	var all []upgrade.RemovedAPI
	for _, one := range found {
		if one.Status.Removed == "" || one.Status.Requests == 0 {
			continue
		}
		removed := upgrade.RemovedAPI{Resource: kubeapi.Sanitize(one.Metadata.Name), Release: kubeapi.Sanitize(one.Status.Removed), Requests: one.Status.Requests}
		for _, hour := range one.Status.Hours {
			for _, node := range hour.Nodes {
				for _, user := range node.Users {
					removed.Users = append(removed.Users, kubeapi.Sanitize(user.Name))
				}
			}
		}
		slices.Sort(removed.Users)
		removed.Users = slices.Compact(removed.Users)
		all = append(all, removed)
	}
	stable.Sort(all, func(a, b upgrade.RemovedAPI) int { return strings.Compare(a.Resource, b.Resource) })
	return all, err
}

// encode is for values that JSON has.
func encode(value any) ([]byte, error) {
	content, err := json.Marshal(value)
	if err != nil {
		return nil, fault.New(fault.Internal, "encode a change", err)
	}
	return content, nil
}
