package cluster

import (
	"crypto/rand"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/openshift/kubeapi"
	"exoshift/provisioner/openshift/kubelease"
	"exoshift/state/lease"

	authenticationv1 "k8s.io/api/authentication/v1"
	authorizationv1 "k8s.io/api/authorization/v1"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// deployment is where the manifests are.
const deployment = "../../deploy/kubernetes"

// kubectl runs kubectl as the administrator.
func (p *plane) kubectl(t *testing.T, arguments ...string) ([]byte, error) {
	t.Helper()
	config := p.file("admin.kubeconfig")
	must(t, os.WriteFile(config, p.userConfig(t, "system:admin", "system:masters"), 0o600))
	command := exec.Command(program(t), append([]string{"kubectl", "--kubeconfig", config, "--cache-dir", p.file("cache")}, arguments...)...)
	var complaints strings.Builder
	command.Stderr = &complaints
	said, err := command.Output()
	if err != nil {
		return []byte(complaints.String()), err
	}
	return said, nil
}

func TestDeployment(t *testing.T) {
	t.Parallel()
	p := start(t)
	if said, err := p.kubectl(t, "apply", "-f", filepath.Join(deployment, "namespace.yaml")); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	t.Run("IsAdmitted", func(t *testing.T) { testAdmitted(t, p) })
	t.Run("HoldsLocks", func(t *testing.T) { testLocks(t, p) })
}

// kustomized returns the objects of an overlay, as the API server would store them.
func (p *plane) kustomized(t *testing.T, overlay string) (items []json.RawMessage, kinds map[string]int) {
	t.Helper()
	said, err := p.kubectl(t, "apply", "-k", overlay, "--dry-run=server", "--warnings-as-errors", "-o", "json")
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	var list struct{ Items []json.RawMessage }
	must(t, json.Unmarshal(said, &list))
	kinds = map[string]int{}
	for _, item := range list.Items {
		var of metav1.TypeMeta
		must(t, json.Unmarshal(item, &of))
		kinds[of.Kind]++
	}
	return list.Items, kinds
}

// readPod returns the pod of a Job or CronJob; nil: it is neither.
func readPod(t *testing.T, item json.RawMessage) *corev1.Pod {
	t.Helper()
	var of metav1.TypeMeta
	must(t, json.Unmarshal(item, &of))
	var template corev1.PodTemplateSpec
	switch of.Kind {
	case "Job":
		var job batchv1.Job
		must(t, json.Unmarshal(item, &job))
		template = job.Spec.Template
	case "CronJob":
		var job batchv1.CronJob
		must(t, json.Unmarshal(item, &job))
		template = job.Spec.JobTemplate.Spec.Template
	default:
		return nil
	}
	return &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "admitted-"}, Spec: template.Spec}
}

// testAdmitted: a real API server takes the manifests as they are, and their pods where restricted ones alone are allowed.
func testAdmitted(t *testing.T, p *plane) {
	items, kinds := p.kustomized(t, filepath.Join(deployment, "example"))
	typed, _ := p.objects(t)
	for _, item := range items {
		pod := readPod(t, item)
		if pod == nil {
			continue
		}
		dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
		if _, err := typed.CoreV1().Pods("exoshift").Create(t.Context(), pod, dry); err != nil {
			t.Errorf("the pod: %v", err)
		}
		pod.Spec.SecurityContext = nil
		if _, err := typed.CoreV1().Pods("exoshift").Create(t.Context(), pod, dry); err == nil || !strings.Contains(err.Error(), "restricted") {
			t.Errorf("without its security context, the pod of %s is admitted: %v", pod.Spec.ServiceAccountName, err)
		}
	}
	if kinds["Job"] != 1 || kinds["CronJob"] != 1 || kinds["ServiceAccount"] != 1 || kinds["ConfigMap"] != 1 || len(kinds) != 4 {
		t.Errorf("the manifests are %v", kinds)
	}
}

// testLocks: with the component locks, the account of a cluster's runs holds the lock of its cluster, and may do nothing else.
func testLocks(t *testing.T, p *plane) {
	overlays := filepath.Join(t.TempDir(), "kubernetes")
	must(t, os.CopyFS(overlays, os.DirFS(deployment)))
	overlay := filepath.Join(overlays, "example")
	content, err := os.ReadFile(filepath.Join(overlay, "kustomization.yaml"))
	must(t, err)
	must(t, os.WriteFile(filepath.Join(overlay, "kustomization.yaml"), append(content, "components: [../backups, ../locks]\n"...), 0o600))
	items, kinds := p.kustomized(t, overlay)
	if kinds["Role"] != 1 || kinds["RoleBinding"] != 1 || len(kinds) != 6 {
		t.Errorf("the manifests are %v", kinds)
	}
	for _, item := range items {
		if pod := readPod(t, item); pod != nil && !*pod.Spec.AutomountServiceAccountToken {
			t.Error("a pod has no token")
		}
	}
	if said, err := p.kubectl(t, "apply", "-k", overlay); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	typed, _ := p.objects(t)
	const account = "exoshift-c-demo-1"
	token, err := typed.CoreV1().ServiceAccounts("exoshift").CreateToken(t.Context(), account, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	must(t, err)
	open := func(login kubeapi.Login) *kubelease.Store {
		s, err := kubelease.Open(network.Host(), login, "exoshift")
		must(t, err)
		t.Cleanup(s.Close)
		return s
	}
	admin := open(kubeapi.Login{Kubeconfig: p.userConfig(t, "system:admin", "system:masters")})
	must(t, admin.Claim(t.Context(), "ours"))
	run := open(kubeapi.Login{Server: local(p.apiPort), Authority: p.authority.CertPEM(), Token: func() (string, error) { return token.Status.Token, nil }})
	must(t, run.Verify(t.Context(), "ours"))
	for range 2 { // the second one replaces what the first one has created
		held, err := lease.Acquire(t.Context(), run, "c-demo-1", lease.Holder{Run: rand.Text(), Verb: "install"}, func(lease.Holder) {})
		must(t, err)
		must(t, held.Release(t.Context()))
	}
	other, err := lease.Acquire(t.Context(), admin, "c-other", lease.Holder{Run: "R", Verb: "install"}, func(lease.Holder) {})
	must(t, err)
	must(t, other.Release(t.Context()))
	if _, err := run.Get(t.Context(), "c-other.json"); !fault.Is(err, fault.Denied) {
		t.Errorf("the lock of another cluster: %v", err)
	}
	allowed := listAllowed(t, typed, "system:serviceaccount:exoshift:"+account)
	if want := []string{"create leases", "get leases exoshift-c-demo-1", "get leases exoshift.state", "update leases exoshift-c-demo-1"}; !slices.Equal(allowed, want) {
		t.Errorf("its account may %q, want %q", allowed, want)
	}
}

// listAllowed returns what an account may do in the namespace, of all that could be of use to somebody.
func listAllowed(t *testing.T, admin kubernetes.Interface, account string) (allowed []string) {
	t.Helper()
	groups := map[string]string{"leases": "coordination.k8s.io", "jobs": "batch", "roles": "rbac.authorization.k8s.io"}
	for _, verb := range []string{"create", "delete", "get", "list", "patch", "update", "watch"} {
		for _, resource := range []string{"configmaps", "jobs", "leases", "pods", "roles", "secrets"} {
			for _, name := range []string{"", "exoshift-c-demo-1", "exoshift-c-other", "exoshift.state"} {
				if verb == "create" && name != "" {
					continue
				}
				review := &authorizationv1.SubjectAccessReview{Spec: authorizationv1.SubjectAccessReviewSpec{User: account, ResourceAttributes: &authorizationv1.ResourceAttributes{
					Namespace: "exoshift", Verb: verb, Group: groups[resource], Resource: resource, Name: name,
				}}}
				review, err := admin.AuthorizationV1().SubjectAccessReviews().Create(t.Context(), review, metav1.CreateOptions{})
				must(t, err)
				if review.Status.Allowed {
					allowed = append(allowed, strings.TrimSpace(verb+" "+resource+" "+name))
				}
			}
		}
	}
	return allowed
}
