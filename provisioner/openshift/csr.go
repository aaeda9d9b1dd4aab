package openshift

import (
	"context"
	"errors"

	"exoshift/internal/fault"
	"exoshift/state"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime"
)

// ApproveCSRs approves the pending requests of expected nodes that follow all rules, and leaves the others to the
// operator; it denies none. The decisions cover every pending request, those of other requesters too. An error is
// returned beside the decisions made before it.
func (c *Cluster) ApproveCSRs(ctx context.Context, expected []state.ExpectedNode) ([]state.CSRDecision, error) {
	api, err := c.connect(ctx)
	if err != nil {
		return nil, err
	}
	all, err := list[certificatesv1.CertificateSigningRequest](ctx, api, requests, "")
	if err != nil {
		return nil, err
	}
	// After the requests: a node that registers meanwhile makes a request of before suspicious, never harmless.
	registered, err := list[corev1.Node](ctx, api, nodes, "")
	if err != nil {
		return nil, err
	}
	admission := newAdmission(api.domain(), expected, registered, all)
	var decisions []state.CSRDecision
	for i := range all {
		if !pending(&all[i]) {
			continue
		}
		decision, err := api.decide(ctx, &admission, &all[i])
		if err != nil {
			return decisions, err
		}
		decisions = append(decisions, decision)
	}
	return decisions, nil
}

// Approve approves those pending requests of the last observation that may be approved and have not changed since.
func (c *Cluster) Approve(context.Context) ([]state.CSRDecision, error) { return nil, nil }

func (a *api) decide(ctx context.Context, admission *admission, csr *certificatesv1.CertificateSigningRequest) (state.CSRDecision, error) {
	decision := state.CSRDecision{Name: csr.Name, Decision: state.Left}
	var refusal error
	if decision.Node, refusal = admission.judge(csr); refusal != nil {
		decision.Reason = refusal.Error()
		return decision, nil
	}
	switch err := a.approve(ctx, csr); {
	case errors.Is(err, errChanged):
		decision.Reason = "it changed while it was looked at; it is looked at again"
	case err != nil:
		return decision, err
	default:
		decision.Decision, decision.Reason = state.Approved, purpose(csr)
	}
	return decision, nil
}

// purpose says what a certificate is for.
func purpose(csr *certificatesv1.CertificateSigningRequest) string {
	if csr.Spec.SignerName == certificatesv1.KubeletServingSignerName {
		return "serving certificate"
	}
	return "client certificate"
}

// errChanged means that a request is not any more what was judged.
var errChanged = errors.New("the request changed")

// approve approves exactly the version of the request that was judged.
func (a *api) approve(ctx context.Context, csr *certificatesv1.CertificateSigningRequest) error {
	approved := csr.DeepCopy()
	approved.APIVersion, approved.Kind = "certificates.k8s.io/v1", "CertificateSigningRequest"
	approved.Status.Conditions = append(approved.Status.Conditions, certificatesv1.CertificateSigningRequestCondition{
		Type:           certificatesv1.CertificateApproved,
		Status:         corev1.ConditionTrue,
		Reason:         "ExoshiftApproved",
		Message:        "The node was created by this installation, and the request follows all rules.",
		LastUpdateTime: metav1.Now(),
	})
	content, err := runtime.DefaultUnstructuredConverter.ToUnstructured(approved)
	if err != nil {
		return fault.New(fault.Internal, "approve request "+csr.Name, err)
	}
	_, err = requests.in(a).Update(ctx, &unstructured.Unstructured{Object: content}, metav1.UpdateOptions{}, "approval")
	switch {
	case err == nil:
		return nil
	case apierrors.IsConflict(err), apierrors.IsNotFound(err):
		return errChanged
	}
	return a.explain(ctx, "approve request "+csr.Name, err)
}
