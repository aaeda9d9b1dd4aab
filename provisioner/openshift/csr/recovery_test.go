package csr

import (
	"strings"
	"testing"
	"time"

	"exoshift/state"

	certificatesv1 "k8s.io/api/certificates/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

var machinesStarted = machinesCreated.Add(40 * 24 * time.Hour)

// recoveryApplication is the request of worker-1, whose node has registered long ago, ten minutes after its machine was started again.
func recoveryApplication() application {
	a := clientApplication()
	a.letIn = nil // such requests are deleted after an hour
	a.template.Subject.CommonName = "system:node:worker-1"
	a.csr.CreationTimestamp = metav1.NewTime(machinesStarted.Add(10 * time.Minute))
	a.now = machinesStarted.Add(11 * time.Minute)
	for i := range a.expected {
		a.expected[i].Started = machinesStarted
	}
	a.setReady(corev1.ConditionUnknown)
	return a
}

func (a *application) setReady(status corev1.ConditionStatus) {
	a.registered[0].Status.Conditions = []corev1.NodeCondition{{Type: corev1.NodeReady, Status: status}}
}

func TestReview_Recovery(t *testing.T) {
	tests := map[string]struct {
		change func(*application)
		want   string // part of the reason; "": it is approved
	}{
		"a node that was off too long":     {func(*application) {}, ""},
		"whose kubelet has no network yet": {func(a *application) { a.setReady(corev1.ConditionFalse) }, ""},
		"no machine was started":           {func(a *application) { a.expected[1].Started = time.Time{} }, state.SkippedRegistered},
		"its node is ready":                {func(a *application) { a.setReady(corev1.ConditionTrue) }, state.SkippedRegistered},
		"from before the start": {func(a *application) {
			a.csr.CreationTimestamp = metav1.NewTime(machinesStarted.Add(-clockSkew - time.Second))
		}, "older than the last start"},
		"long after the start": {func(a *application) {
			a.csr.CreationTimestamp = metav1.NewTime(machinesStarted.Add(firstRequestWindow + time.Minute))
		}, "after the node's machine was started"},
		"a node of an earlier machine": {func(a *application) {
			a.registered[0].CreationTimestamp = metav1.NewTime(machinesCreated.Add(-time.Hour))
		}, "earlier machine"},
		"a node at another address": {func(a *application) {
			a.registered[0].Status.Addresses[0].Address = "203.0.113.66"
		}, "not its machine's"},
		"a machine of unknown age":       {func(a *application) { a.expected[1].Created = time.Time{} }, "unknown"},
		"a node that nobody asked for":   {func(a *application) { a.expected = a.expected[:1] }, "no such node"},
		"somebody else in its name":      {func(a *application) { a.csr.Spec.Username = "system:node:worker-2" }, "not by"},
		"of a signer that is not ours":   {func(a *application) { a.csr.Spec.SignerName = certificatesv1.KubeAPIServerClientSignerName }, "not for nodes"},
		"a node that never registered":   {func(a *application) { a.registered = nil }, "after the node's machine was created"},
		"a request for a larger subject": {func(a *application) { a.template.Subject.Organization = []string{"system:nodes", "system:masters"} }, "organization"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			a := recoveryApplication()
			test.change(&a)
			err := a.judge(*a.make(t))
			if test.want == "" && err != nil || test.want != "" && (err == nil || !strings.Contains(err.Error(), test.want)) {
				t.Errorf("%v, not %q", err, test.want)
			}
		})
	}
}

// A kubelet that is not ready may get as many keys as one that is new, with the same pause.
func TestReview_RecoveryCountsKeys(t *testing.T) {
	a := recoveryApplication()
	since := machinesStarted.Sub(machinesCreated)
	granted := a.another(t, "csr-granted", since+time.Minute, since+2*time.Minute)
	next := a.another(t, "csr-next", since+3*time.Minute, 0)
	a.now = machinesStarted.Add(3 * time.Minute)
	if err := a.judge(granted, next); err == nil || !strings.Contains(err.Error(), "waits for 2m0s") {
		t.Errorf("within the pause: %v", err)
	}
	a.now = machinesStarted.Add(5 * time.Minute)
	if err := a.judge(granted, next); err != nil {
		t.Errorf("after the pause: %v", err)
	}
	all := []certificatesv1.CertificateSigningRequest{granted}
	for n, name := range []string{"csr-2", "csr-3", "csr-4"} {
		at := since + time.Duration(5+5*n)*time.Minute
		all = append(all, a.another(t, name, at, at+time.Second))
	}
	a.now = machinesStarted.Add(40 * time.Minute)
	if err := a.judge(append(all, a.another(t, "csr-last", since+39*time.Minute, 0))...); err == nil || !strings.Contains(err.Error(), "4 keys") {
		t.Errorf("a fifth key: %v", err)
	}
}
