package cluster

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
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

// TestDeployment_IsAdmitted: a real API server takes the manifests as they are, and their pods where restricted ones alone are allowed.
func TestDeployment_IsAdmitted(t *testing.T) {
	t.Parallel()
	p := start(t)
	if said, err := p.kubectl(t, "apply", "-f", filepath.Join(deployment, "namespace.yaml")); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	said, err := p.kubectl(t, "apply", "-k", filepath.Join(deployment, "example"), "--dry-run=server", "--warnings-as-errors", "-o", "json")
	if err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	var list struct{ Items []json.RawMessage }
	must(t, json.Unmarshal(said, &list))
	kinds := map[string]int{}
	typed, _ := p.objects(t)
	for _, item := range list.Items {
		var of metav1.TypeMeta
		must(t, json.Unmarshal(item, &of))
		kinds[of.Kind]++
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
			continue
		}
		pod := &corev1.Pod{ObjectMeta: metav1.ObjectMeta{GenerateName: "admitted-"}, Spec: template.Spec}
		dry := metav1.CreateOptions{DryRun: []string{metav1.DryRunAll}}
		if _, err := typed.CoreV1().Pods("exoshift").Create(t.Context(), pod, dry); err != nil {
			t.Errorf("the pod of the %s: %v", of.Kind, err)
		}
		pod.Spec.SecurityContext = nil
		if _, err := typed.CoreV1().Pods("exoshift").Create(t.Context(), pod, dry); err == nil || !strings.Contains(err.Error(), "restricted") {
			t.Errorf("without its security context, the pod of the %s is admitted: %v", of.Kind, err)
		}
	}
	if kinds["Job"] != 1 || kinds["CronJob"] != 1 || kinds["ServiceAccount"] != 1 || kinds["ConfigMap"] != 1 || len(kinds) != 4 {
		t.Errorf("the manifests are %v", kinds)
	}
}
