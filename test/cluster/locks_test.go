package cluster

import (
	"errors"
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/provisioner/openshift/kubelease"
	"exoshift/state/lease/leasetest"

	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// TestLocks_RealAPIServer: an account that may get, create and update Leases of one namespace holds the locks of shared state there.
func TestLocks_RealAPIServer(t *testing.T) {
	t.Parallel()
	p := start(t)
	admin, _ := p.objects(t)
	allowLeases(t, admin, "fleet", "runner")
	open := func(namespace string) *kubelease.Store {
		s, err := kubelease.Open(network.Host(), kubeapi.Login{Kubeconfig: p.userConfig(t, "runner")}, namespace)
		must(t, err)
		t.Cleanup(s.Close)
		return s
	}
	s := open("fleet")
	must(t, s.Claim(t.Context(), "one"))
	must(t, s.Verify(t.Context(), "one"))
	if err := s.Claim(t.Context(), "two"); !fault.Is(err, fault.Conflict) {
		t.Errorf("claimed for another shared state: %v", err)
	}
	leasetest.Run(t, s)
	if _, err := open("default").Get(t.Context(), "c-demo-1.json"); !fault.Is(err, fault.Denied) || !strings.Contains(fault.HintOf(err), "leases") {
		t.Errorf("without permission: %v (hint %q)", err, fault.HintOf(err))
	}
	leases, err := admin.CoordinationV1().Leases("fleet").List(t.Context(), metav1.ListOptions{LabelSelector: "app.kubernetes.io/managed-by=exoshift"})
	must(t, err)
	if len(leases.Items) < 4 {
		t.Errorf("%d leases", len(leases.Items))
	}
	for _, shown := range leases.Items {
		must(t, checkShown(shown))
	}
}

// checkShown checks what kubectl shows of a lock.
func checkShown(l coordinationv1.Lease) error {
	if l.Annotations["exoshift.io/state"] != "" {
		return nil
	}
	if l.Spec.RenewTime.IsZero() || *l.Spec.LeaseDurationSeconds != 120 || *l.Spec.LeaseTransitions < 1 {
		return errors.New(l.Name + " is not a lock that others can read")
	}
	return nil
}

func allowLeases(t *testing.T, admin kubernetes.Interface, namespace, user string) {
	t.Helper()
	_, err := admin.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: namespace}}, metav1.CreateOptions{})
	must(t, err)
	role := &rbacv1.Role{ObjectMeta: metav1.ObjectMeta{Name: "locks"}, Rules: []rbacv1.PolicyRule{{
		APIGroups: []string{"coordination.k8s.io"}, Resources: []string{"leases"}, Verbs: []string{"get", "create", "update"},
	}}}
	_, err = admin.RbacV1().Roles(namespace).Create(t.Context(), role, metav1.CreateOptions{})
	must(t, err)
	binding := &rbacv1.RoleBinding{ObjectMeta: metav1.ObjectMeta{Name: "locks"}, RoleRef: rbacv1.RoleRef{APIGroup: "rbac.authorization.k8s.io", Kind: "Role", Name: "locks"},
		Subjects: []rbacv1.Subject{{Kind: "User", APIGroup: "rbac.authorization.k8s.io", Name: user}}}
	_, err = admin.RbacV1().RoleBindings(namespace).Create(t.Context(), binding, metav1.CreateOptions{})
	must(t, err)
}
