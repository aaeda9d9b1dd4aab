package openshift_test

import (
	"encoding/json"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/simcloud/kube"
	"exoshift/state"

	"github.com/google/go-cmp/cmp"
)

const (
	argoKind        = "argocds.argoproj.io"
	applicationKind = "applications.argoproj.io"
	stewardResource = "deployments.apps"
)

func (r *rehearsal) defineArgo(t *testing.T) {
	t.Helper()
	for _, kind := range []kube.Kind{
		{Version: "v1beta1", Resource: "argocds", Kind: "ArgoCD"}, {Version: "v1alpha1", Resource: "applications", Kind: "Application"},
	} {
		kind.Group, kind.Namespaced = "argoproj.io", true
		r.put(t, "customresourcedefinitions.apiextensions.k8s.io", "", kind.Definition())
	}
}

func object(t *testing.T, name, content string) kube.Object {
	t.Helper()
	made := kube.Object{}
	if err := json.Unmarshal([]byte(content), &made); err != nil {
		t.Fatal(err)
	}
	made.Set("metadata.name", name)
	return made
}

func (r *rehearsal) synthesis(t *testing.T) state.SynStatus {
	t.Helper()
	seen, err := r.GetSynthesis(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return seen
}

func TestSynthesis_MissingObjects(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		seen := r.synthesis(t)
		for _, status := range []state.ApplicationStatus{seen.Steward, seen.Argo, seen.Root} {
			if status.Health != "Missing" || status.Sync != "" || status.Message == "" || status.IsHealthy() {
				t.Errorf("%#v", status)
			}
		}
		if got := []string{seen.Steward.Name, seen.Argo.Name, seen.Root.Name}; !cmp.Equal(got, []string{"steward-agent", "argo-cd", "root"}) {
			t.Errorf("names: %v", got)
		}
		if len(seen.Applications) != 0 {
			t.Errorf("applications: %v", seen.Applications)
		}
	})
}

func TestSynthesis_StewardPodReason(t *testing.T) {
	for name, test := range map[string]struct{ deployment, pod, health, message string }{
		"it starts": {`{"status": {"conditions": [{"type": "Available", "status": "False", "message": "Deployment does not have minimum availability."}]}}`,
			`{"status": {"containerStatuses": [{"state": {"waiting": {"reason": "ContainerCreating"}}}]}}`,
			"Progressing", "Deployment does not have minimum availability."},
		"its image": {`{}`, `{"status": {"containerStatuses": [{"state": {"waiting": {"reason": "ImagePullBackOff", "message": "Back-off\npulling image"}}}]}}`,
			"Progressing", "pod steward-1: ImagePullBackOff: Back-off pulling image"},
		"no room": {`{"status": {"conditions": [{"type": "Progressing", "status": "False", "message": "it timed out"}]}}`,
			`{"status": {"conditions": [{"type": "PodScheduled", "status": "False", "reason": "Unschedulable", "message": "0/3 nodes are available"}]}}`,
			"Degraded", "pod steward-1: 0/3 nodes are available"},
		"it ends": {`{}`, `{"status": {"containerStatuses": [{"state": {"running": {}}, "lastState": {"terminated": {"exitCode": 1, "reason": "Error"}}}]}}`,
			"Progressing", "pod steward-1: it ended with Error"},
		"no pod": {`{"status": {"conditions": [{"type": "ReplicaFailure", "status": "True", "message": "pods \"steward\" is forbidden"}]}}`, "",
			"Degraded", `pods "steward" is forbidden`},
		"late": {`{"status": {"conditions": [{"type": "Progressing", "status": "False", "message": "it timed out"}]}}`, "", "Degraded", "it timed out"},
		"well": {`{"status": {"conditions": [{"type": "Available", "status": "True", "message": "fine"}]}}`, "", "Healthy", ""},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := rehearse(t)
				r.put(t, stewardResource, "syn", object(t, "steward", test.deployment))
				r.put(t, "pods", "syn", object(t, "other-1", `{"status": {"containerStatuses": [{"state": {"waiting": {"reason": "Other"}}}]}}`))
				if test.pod != "" {
					r.put(t, "pods", "syn", object(t, "steward-1", test.pod))
				}
				want := state.ApplicationStatus{Name: "steward-agent", Health: test.health, Message: test.message}
				if diff := cmp.Diff(want, r.synthesis(t).Steward); diff != "" {
					t.Error(diff)
				}
			})
		})
	}
}

func TestSynthesis_ArgoHealthyWithController(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		expect := func(health, part string) {
			t.Helper()
			if got := r.synthesis(t).Argo; got.Health != health || !strings.Contains(got.Message, part) {
				t.Errorf("%#v, want %s", got, health)
			}
		}
		expect("Missing", "the log of the Deployment syn/steward")
		r.defineArgo(t)
		expect("Missing", "nothing to run yet")
		r.put(t, argoKind, "syn", object(t, "syn-argocd", `{"status": {"phase": "Pending"}}`))
		expect("Progressing", "sets it up")
		time.Sleep(10 * time.Minute)
		expect("Progressing", "if it is stuck, Steward restarts it")
		r.change(t, argoKind, "syn", "syn-argocd", "status.phase", "Failed")
		expect("Degraded", "failed")
		r.change(t, argoKind, "syn", "syn-argocd", "status.phase", "Available")
		expect("Progressing", "does not exist yet")
		const controller = "syn-argocd-application-controller"
		r.put(t, "statefulsets.apps", "syn", object(t, controller, `{"spec": {"replicas": 2}, "status": {"readyReplicas": 1}}`))
		r.put(t, "pods", "syn", object(t, controller+"-0", `{"status": {"initContainerStatuses": [{"state": {"waiting": {"reason": "ErrImagePull"}}}]}}`))
		expect("Progressing", "pod syn-argocd-application-controller-0: ErrImagePull")
		r.change(t, "statefulsets.apps", "syn", controller, "status.readyReplicas", 2)
		expect("Healthy", "")
	})
}

func TestSynthesis_ApplicationReason(t *testing.T) {
	long := strings.Repeat("very ", 200)
	for name, test := range map[string]struct{ status, sync, health, message string }{
		"nobody has looked": {`{}`, "Unknown", "Unknown", ""},
		"well": {`{"sync": {"status": "Synced"}, "health": {"status": "Healthy"}, "operationState": {"phase": "Failed", "message": "of before"}}`,
			"Synced", "Healthy", ""},
		"the operation failed": {`{"sync": {"status": "OutOfSync"}, "health": {"status": "Missing", "message": "missing"},
			"operationState": {"phase": "Failed", "message": "one or more\u001b objects failed"}, "conditions": [{"type": "SyncError", "message": "sync"}]}`,
			"OutOfSync", "Missing", "one or more objects failed"},
		"its secrets cannot be had": {`{"sync": {"status": "Unknown"}, "health": {"status": "Healthy"}, "conditions": [{"type": "ComparisonError", "message": "Failed to load target ` +
			"state: failed to generate manifest for source 1 of 1: rpc error: code = Unknown desc = plugin sidecar failed. error generating manifests in cmp: rpc error: code = " +
			"Unknown desc = error generating manifests: `kapitan refs --reveal --file ./` failed exit status 1: hvac.exceptions.InvalidPath: None, on get t-1/c-1/a" + `"}]}`,
			"Unknown", "Healthy", "hvac.exceptions.InvalidPath: None, on get t-1/c-1/a"},
		"it cannot be compared": {`{"sync": {"status": "Unknown"}, "health": {"status": "Healthy"}, "operationState": {"phase": "Succeeded", "message": "done"},
			"conditions": [{"type": "OrphanedResourceWarning", "message": "orphans"}, {"type": "ComparisonError", "message": "rpc error: code = Unknown desc = failed to list refs: EOF"}]}`,
			"Unknown", "Healthy", "failed to list refs: EOF"},
		"it is not healthy": {`{"sync": {"status": "Synced"}, "health": {"status": "Degraded", "message": "a pod fails"}}`, "Synced", "Degraded", "a pod fails"},
		"its objects tell": {`{"sync": {"status": "Synced"}, "health": {"status": "Progressing"}, "resources": [{"kind": "Service", "name": "a", "health": {"status": "Healthy"}},
			{"kind": "Certificate", "namespace": "n", "name": "b", "health": {"status": "Progressing", "message": "not ready"}}]}`,
			"Synced", "Progressing", "Certificate n/b is Progressing: not ready"},
		"it is under way": {`{"sync": {"status": "OutOfSync"}, "health": {"status": "Progressing"}, "operationState": {"phase": "Running", "message": "waiting for hooks"}}`,
			"OutOfSync", "Progressing", "waiting for hooks"},
		"it says much": {`{"sync": {"status": "OutOfSync"}, "health": {"status": "Degraded", "message": "` + long + `"}}`, "OutOfSync", "Degraded",
			strings.TrimSpace(long[:400]) + "…"},
	} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				r := rehearse(t)
				r.defineArgo(t)
				for _, name := range []string{"zebra", "root", "monitoring"} {
					r.put(t, applicationKind, "syn", object(t, name, `{"status": `+test.status+`}`))
				}
				seen := r.synthesis(t)
				want := state.ApplicationStatus{Name: "root", Sync: test.sync, Health: test.health, Message: test.message}
				if diff := cmp.Diff(want, seen.Root); diff != "" {
					t.Error(diff)
				}
				if len(seen.Applications) != 2 || seen.Applications[0].Name != "monitoring" || seen.Applications[1].Name != "zebra" {
					t.Errorf("applications: %v", seen.Applications)
				}
			})
		})
	}
}

func TestSynthesis_ListsEachKindOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.defineArgo(t)
		r.synthesis(t)
		for asked, count := range r.CountRequests() {
			if count > 1 {
				t.Errorf("%s: %d times", asked, count)
			}
		}
	})
}
