// Package synthesis reads how far Project Syn has come in the cluster: Steward, Argo CD, its applications, and the account at
// acme-dns.
package synthesis

import (
	"cmp"
	"context"
	"time"

	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

const (
	synDeployments  kubeapi.ResourcePath = "apps/v1/deployments@syn"
	synStatefulSets kubeapi.ResourcePath = "apps/v1/statefulsets@syn"
	synPods         kubeapi.ResourcePath = "v1/pods@syn"
	argos           kubeapi.ResourcePath = "argoproj.io/v1beta1/argocds@syn"
	applications    kubeapi.ResourcePath = "argoproj.io/v1alpha1/applications@syn"
)

const (
	stewardName    = "steward"
	stewardTitle   = "steward-agent" // the catalog uses the other name for an application
	argoTitle      = "argo-cd"
	argoName       = "syn-argocd"
	argoController = "syn-argocd-application-controller"
	argoKind       = "argocds.argoproj.io"
	rootName       = "root"
)

const (
	healthy     = "Healthy"
	progressing = "Progressing"
	degraded    = "Degraded"
	missing     = "Missing"
	unknown     = "Unknown"
)

// Reader reads what Project Syn sets up in the cluster.
type Reader struct{ connector *kubeapi.Connector }

// New returns a reader of the connector's cluster.
func New(connector *kubeapi.Connector) *Reader { return &Reader{connector} }

// GetSynthesis polls Steward, Argo CD and its applications once, with one request for each kind. What does not exist (yet), or
// whose kind does not, is Missing.
func (c *Reader) GetSynthesis(ctx context.Context) (state.SynStatus, error) {
	api, err := c.connector.Connect(ctx)
	if err != nil {
		return state.SynStatus{}, err
	}
	seen, err := getSynthesis(ctx, api)
	if err != nil {
		return state.SynStatus{}, err
	}
	found := state.SynStatus{Steward: seen.buildStewardStatus(), Argo: seen.buildArgoStatus(api.Network.Clock.Now())}
	found.Root, found.Applications = toApplicationStatuses(seen.applications)
	return found, nil
}

type synState struct {
	steward      workload
	installed    bool // Steward exists
	argo         argo
	running      bool // Argo CD's object exists
	defined      bool // Argo CD's kind exists
	controller   workload
	controlled   bool // Argo CD's controller exists
	pods         []synPod
	applications []argoApplication
}

func getSynthesis(ctx context.Context, api *kubeapi.Client) (seen synState, err error) {
	if seen.steward, seen.installed, err = kubeapi.Get[workload](ctx, api, synDeployments, stewardName); err != nil {
		return seen, err
	}
	if seen.argo, seen.running, err = kubeapi.Get[argo](ctx, api, argos, argoName); err != nil {
		return seen, err
	}
	if seen.defined = seen.running; !seen.defined {
		if _, seen.defined, err = kubeapi.Get[struct{}](ctx, api, kubeapi.Definitions, argoKind); err != nil {
			return seen, err
		}
	}
	if seen.controller, seen.controlled, err = kubeapi.Get[workload](ctx, api, synStatefulSets, argoController); err != nil {
		return seen, err
	}
	if !seen.isReady() { // the pods have the reason
		if seen.pods, err = kubeapi.List[synPod](ctx, api, synPods, ""); err != nil {
			return seen, err
		}
	}
	seen.applications, err = kubeapi.List[argoApplication](ctx, api, applications, "")
	return seen, err
}

func (s synState) isReady() bool {
	return s.steward.isAvailable() && s.controlled && s.controller.isReady()
}

func (s synState) buildStewardStatus() state.ApplicationStatus {
	status := state.ApplicationStatus{Name: stewardTitle}
	if !s.installed {
		status.Health, status.Message = missing, "it is not installed"
		return status
	}
	status.Health, status.Message = s.steward.describeHealth(s.pods, stewardName)
	return status
}

type argo struct {
	Metadata metav1.ObjectMeta `json:"metadata"`
	Status   struct {
		Phase string `json:"phase"`
	} `json:"status"`
}

// operatorTimeout is the age of an operator's pods after which Steward considers the operator stuck.
const operatorTimeout = 10 * time.Minute

func (s synState) buildArgoStatus(now time.Time) state.ApplicationStatus {
	status := state.ApplicationStatus{Name: argoTitle}
	phase := kubeapi.Sanitize(s.argo.Status.Phase)
	switch {
	case !s.defined:
		status.Health, status.Message = missing, "Steward has not started it yet; the log of the Deployment syn/steward shows why"
	case !s.running:
		status.Health, status.Message = missing, "its operator has nothing to run yet"
	case phase == "Failed":
		status.Health, status.Message = degraded, "its operator failed to set it up"
	case phase != "Available" && now.Sub(s.argo.Metadata.CreationTimestamp.Time) >= operatorTimeout:
		status.Health, status.Message = progressing, "its operator takes more than 10 minutes; if it is stuck, Steward restarts it"
	case phase != "Available":
		status.Health, status.Message = progressing, "its operator sets it up"
	case !s.controlled:
		status.Health, status.Message = progressing, "its controller does not exist yet"
	case s.controller.isReady():
		status.Health = healthy
	default:
		status.Health, status.Message = progressing, cmp.Or(describeUnreadyPods(s.pods, argoController), "its controller starts")
	}
	return status
}
