// Package power reads from a cluster what decides whether it may be stopped as a whole.
package power

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"
	"exoshift/state/rook"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	signers        kubeapi.ResourcePath = "v1/secrets@openshift-kube-apiserver-operator"
	cephClusters   kubeapi.ResourcePath = "ceph.rook.io/v1/cephclusters"
	upgradeConfigs kubeapi.ResourcePath = "managedupgrade.appuio.io/v1beta1/upgradeconfigs@appuio-openshift-upgrade-controller"
	upgradeJobs    kubeapi.ResourcePath = "managedupgrade.appuio.io/v1beta1/upgradejobs@appuio-openshift-upgrade-controller"

	kubeletSigner      = "kube-apiserver-to-kubelet-signer"
	notAfterAnnotation = "auth.openshift.io/certificate-not-after"
	osdFlags           = "OSDMAP_FLAGS" // the check of Ceph whose message lists the flags

	// Argo CD marks what it looks after by one of these.
	trackingLabel      = "argocd.argoproj.io/instance"
	trackingAnnotation = "argocd.argoproj.io/tracking-id"
)

// Inspector reads the conditions of a stop.
type Inspector struct{ connector *kubeapi.Connector }

// New returns an inspector of the connector's cluster.
func New(connector *kubeapi.Connector) *Inspector { return &Inspector{connector} }

// InspectStop reads the conditions. fault.NotFound: the end of the certificates is unknown. Kinds that the cluster does not have are none.
func (i *Inspector) InspectStop(ctx context.Context) (found state.StopConditions, err error) {
	api, err := i.connector.Connect(ctx)
	if err != nil {
		return found, err
	}
	if found.CertificateEnd, err = getCertificateEnd(ctx, api); err != nil {
		return found, err
	}
	if found.Ceph, err = listCeph(ctx, api); err != nil {
		return found, err
	}
	return found, listUpgrades(ctx, api, &found)
}

type objectMeta struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
}

// getCertificateEnd reads the annotation alone: the rest of the Secret is a key.
func getCertificateEnd(ctx context.Context, api *kubeapi.Client) (time.Time, error) {
	const op = "read when the certificates of the cluster end"
	secret, exists, err := kubeapi.Get[objectMeta](ctx, api, signers, kubeletSigner)
	if err != nil {
		return time.Time{}, err
	}
	if !exists {
		return time.Time{}, fault.Newf(fault.NotFound, op, "there is no Secret %s in openshift-kube-apiserver-operator", kubeletSigner)
	}
	end, err := time.Parse(time.RFC3339, secret.Metadata.Annotations[notAfterAnnotation])
	if err != nil {
		return time.Time{}, fault.Newf(fault.NotFound, op, "the Secret %s has no annotation %s with a time", kubeletSigner, notAfterAnnotation)
	}
	return end, nil
}

type cephCluster struct {
	objectMeta
	Status struct {
		Phase string `json:"phase"`
		Ceph  struct {
			Health  string `json:"health"`
			Details map[string]struct {
				Message string `json:"message"`
			} `json:"details"`
			LastChecked time.Time `json:"lastChecked"`
		} `json:"ceph"`
	} `json:"status"`
}

func listCeph(ctx context.Context, api *kubeapi.Client) (all []rook.Status, err error) {
	clusters, err := kubeapi.List[cephCluster](ctx, api, cephClusters, "")
	for _, one := range clusters {
		status := rook.Status{
			Name: one.Metadata.Namespace + "/" + one.Metadata.Name, Health: kubeapi.Sanitize(one.Status.Ceph.Health),
			Phase: kubeapi.Sanitize(one.Status.Phase), Checked: one.Status.Ceph.LastChecked,
		}
		for code, detail := range one.Status.Ceph.Details {
			status.Checks = append(status.Checks, kubeapi.Sanitize(code+": "+detail.Message))
			if code == osdFlags {
				flags, _, _ := strings.Cut(detail.Message, " ")
				status.Flags = strings.Split(flags, ",")
			}
		}
		slices.Sort(status.Checks)
		all = append(all, status)
	}
	return all, err
}

type upgradeConfig struct {
	objectMeta
	Spec struct {
		Schedule struct {
			Suspend bool `json:"suspend"`
		} `json:"schedule"`
	} `json:"spec"`
}

type upgradeJob struct {
	objectMeta
	Status struct {
		Conditions kubeapi.Conditions `json:"conditions"`
	} `json:"status"`
}

// listUpgrades adds the schedules that are not suspended, and the jobs that have not ended.
func listUpgrades(ctx context.Context, api *kubeapi.Client, found *state.StopConditions) error {
	configs, err := kubeapi.List[upgradeConfig](ctx, api, upgradeConfigs, "")
	if err != nil {
		return err
	}
	for _, config := range configs {
		if config.Spec.Schedule.Suspend {
			continue
		}
		name := kubeapi.Sanitize(config.Metadata.Name)
		found.UpgradeConfigs = append(found.UpgradeConfigs, name)
		if config.Metadata.Labels[trackingLabel] != "" || config.Metadata.Annotations[trackingAnnotation] != "" {
			found.ManagedConfigs = append(found.ManagedConfigs, name)
		}
	}
	jobs, err := kubeapi.List[upgradeJob](ctx, api, upgradeJobs, "")
	for _, job := range jobs {
		if !job.Status.Conditions.Is("Succeeded") && !job.Status.Conditions.Is("Failed") {
			found.UpgradeJobs = append(found.UpgradeJobs, kubeapi.Sanitize(job.Metadata.Name))
		}
	}
	return err
}

// SuspendUpgrades suspends an UpgradeConfig, or ends that. fault.NotFound: there is none of that name.
func (i *Inspector) SuspendUpgrades(ctx context.Context, config string, suspend bool) error {
	api, err := i.connector.Connect(ctx)
	if err != nil {
		return err
	}
	return api.Patch(ctx, upgradeConfigs, config, fmt.Appendf(nil, `{"spec":{"schedule":{"suspend":%t}}}`, suspend))
}
