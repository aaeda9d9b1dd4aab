package csr

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/state"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"k8s.io/apimachinery/pkg/runtime"

	"golang.org/x/sync/errgroup"
)

// Approver approves nodes' requests for certificates.
type Approver struct {
	connector *kubeapi.Connector
	reviewer  *Reviewer
}

// NewApprover returns an approver of what a reviewer allows in the connector's cluster.
func NewApprover(connector *kubeapi.Connector, reviewer *Reviewer) *Approver {
	return &Approver{connector, reviewer}
}

// Approve approves those pending requests of the last review that may be approved and have not changed since. Each is tried once
// per review. It denies none. An error is returned beside the decisions made before it.
func (a *Approver) Approve(ctx context.Context) ([]state.CSRDecision, error) {
	api, err := a.connector.Connect(ctx)
	if err != nil {
		return nil, err
	}
	return approveAll(ctx, api, a.reviewer.takeApprovable(api))
}

// approveParallelism bounds concurrent approvals: a thousand nodes may have started together.
const approveParallelism = 5

// approveAll returns the decisions in the order of wanted; requests that changed meanwhile, and those that an error prevented
// from being tried, have none.
func approveAll(ctx context.Context, api *kubeapi.Client, wanted []approvable) ([]state.CSRDecision, error) {
	decisions := make([]state.CSRDecision, len(wanted))
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(approveParallelism)
	for i := range wanted {
		group.Go(func() (err error) {
			if ctx.Err() != nil {
				return context.Cause(ctx)
			}
			decisions[i], err = processApproval(ctx, api, &wanted[i])
			return err
		})
	}
	err := group.Wait()
	return slices.DeleteFunc(decisions, func(d state.CSRDecision) bool { return d.Decision == "" }), err
}

// processApproval returns a problem of this one request as its decision's reason, so that it does not prevent other approvals.
func processApproval(ctx context.Context, api *kubeapi.Client, wanted *approvable) (state.CSRDecision, error) {
	csr := &wanted.csr
	form, err := parseNodeRequest(csr)
	if err != nil {
		return state.CSRDecision{}, fault.New(fault.Internal, "approve request "+quoteName(csr.Name), err)
	}
	decision := state.CSRDecision{Name: csr.Name, Node: form.node, Decision: state.Skipped}
	switch err := approve(ctx, api, csr); {
	case err == nil:
		decision.Decision, decision.Reason, decision.NewKey = state.Approved, wanted.describePurpose(), wanted.newKey
	case errors.Is(err, errChanged): // the bootstrap machine approves requests, too; the next poll shows what is left
		return state.CSRDecision{}, nil
	case fault.Is(err, fault.Internal):
		decision.Reason = err.Error()
	default:
		return state.CSRDecision{}, err
	}
	return decision, nil
}

func (w *approvable) describePurpose() string {
	switch {
	case w.csr.Spec.SignerName == certificatesv1.KubeletServingSignerName:
		return "serving certificate"
	case w.again:
		return "client certificate, for the same key again"
	case w.newKey > 0:
		return fmt.Sprintf("client certificate, for new key %d of its machine", w.newKey)
	}
	return "client certificate"
}

// errChanged means that the request is no longer the one that was reviewed.
var errChanged = errors.New("the request changed")

// approve approves exactly the version of the request that was reviewed. The API server sets the time.
func approve(ctx context.Context, api *kubeapi.Client, csr *certificatesv1.CertificateSigningRequest) error {
	approved := csr.DeepCopy()
	approved.APIVersion, approved.Kind = "certificates.k8s.io/v1", "CertificateSigningRequest"
	approved.Status.Conditions = append(approved.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{
		Type:    certificatesv1.CertificateApproved,
		Status:  corev1.ConditionTrue,
		Reason:  "ExoshiftApproved",
		Message: "The node was created by this installation, and the request follows all rules.",
	})
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(approved)
	if err != nil {
		return fault.New(fault.Internal, "approve request "+quoteName(csr.Name), err)
	}
	err = api.Update(ctx, kubeapi.CertificateRequests, content, "approval")
	switch {
	case err == nil:
		return nil
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		return errChanged
	}
	return api.ToFault(ctx, "approve request "+quoteName(csr.Name), err)
}
