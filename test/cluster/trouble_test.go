package cluster

import (
	"context"
	"fmt"
	"net/http"
	"os"
	"strings"
	"syscall"
	"testing"
	"time"

	clientv3 "go.etcd.io/etcd/client/v3"
	corev1 "k8s.io/api/core/v1"
	flowcontrolv1 "k8s.io/api/flowcontrol/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"

	"exoshift/internal/fault"
	"exoshift/state"
)

// What was seen stays seen while the API server is replaced, in peace or by force, also in the middle of a look.
func TestPoll_APIRestartKeepsState(t *testing.T) {
	t.Parallel()
	s := begin(t)
	g := s.gate(t)
	w := s.plane.watch(t, g.port)
	s.installed(t, false, "Working towards 4.20.3: 105 of 903 done (11% complete)")
	s.registerMaster(t, "master-0", "198.51.100.10")
	w.poll(t)
	before := w.poll(t)
	if !before.Bootstrap.Has(state.PhaseMasters) || before.Version.Percent != 11 {
		t.Fatalf("reached %v, %d%%", before.Bootstrap.Reached, before.Version.Percent)
	}
	s.manager.stop(syscall.SIGTERM) // whose watches a server that stops in peace would wait for
	for name, signal := range map[string]os.Signal{"stopped": syscall.SIGTERM, "killed": syscall.SIGKILL} {
		g.interfere(once(isNodeList, func() { s.api.stop(signal) }))
		for n := range 2 {
			after, err := w.try(t)
			if !fault.Is(err, fault.Transient) || len(after.Bootstrap.Reached) != len(before.Bootstrap.Reached) {
				t.Errorf("%s, look %d: %v, reached %v", name, n, err, after.Bootstrap.Reached)
			}
		}
		g.interfere(nil)
		s.serve(t)
		s.await(t)
		after := w.poll(t)
		if len(after.Nodes) != 1 || after.Version.Percent != 11 || len(after.Bootstrap.Reached) != len(before.Bootstrap.Reached) {
			t.Errorf("%s and back: %+v", name, after)
		}
	}
}

func isNodeList(r *http.Request) bool {
	return r.Method == http.MethodGet && r.URL.Path == "/api/v1/nodes"
}

// A long list whose rest has expired meanwhile is no failure of the cluster: the next look begins anew.
func TestNodes_ExpiredListIsTransient(t *testing.T) {
	t.Parallel()
	s := begin(t)
	g := s.gate(t)
	w := s.plane.watch(t, g.port)
	const many = 260 // more than a page
	for n := range many {
		_, err := s.typed.CoreV1().Nodes().Create(t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("node-%03d", n)}}, metav1.CreateOptions{})
		must(t, err)
	}
	g.interfere(once(isRestOfNodes, func() { s.compact(t) }))
	if seen, err := w.try(t); !fault.Is(err, fault.Transient) || !apierrors.IsResourceExpired(err) {
		t.Errorf("%v; %d nodes", err, len(seen.Nodes))
	}
	g.interfere(nil)
	if seen := w.poll(t); len(seen.Nodes) != many {
		t.Errorf("%d nodes, want %d", len(seen.Nodes), many)
	}
}

func isRestOfNodes(r *http.Request) bool { return isNodeList(r) && r.URL.Query().Get("continue") != "" }

// compact makes the API server's etcd forget everything but the present.
func (s *story) compact(t *testing.T) {
	t.Helper()
	r := &ring{authority: s.authority}
	client := r.client(t, local(s.etcdPort))
	defer func() { _ = client.Close() }()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	written, err := client.Put(ctx, "/elsewhere", "x")
	must(t, err)
	_, err = client.Compact(ctx, written.Header.Revision, clientv3.WithCompactPhysical())
	must(t, err)
}

// Who may not see everything is told what is missing, and sees the rest.
func TestPoll_ForbiddenIsDenied(t *testing.T) {
	t.Parallel()
	s := begin(t)
	_, err := s.typed.RbacV1().ClusterRoles().Create(t.Context(), &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "onlooker"},
		Rules: []rbacv1.PolicyRule{
			{APIGroups: []string{"", "certificates.k8s.io"}, Resources: []string{"nodes", "certificatesigningrequests"}, Verbs: []string{"get", "list"}},
		},
	}, metav1.CreateOptions{})
	must(t, err)
	s.bind(t, "onlooker", "onlooker")
	s.registerMaster(t, "master-0", "198.51.100.10")
	w := watch(t, s.apiPort, s.authority, issueUser(t, s.authority, "onlooker"))
	worker := s.worker(w, "worker-0", 20)
	request := worker.ask(t)
	until(t, func() error { // the role takes a moment to hold
		seen, err := w.try(t)
		if len(seen.Nodes) == 1 && len(seen.Requests) == 1 && fault.Is(err, fault.Denied) {
			return nil
		}
		return fmt.Errorf("%d nodes, %d requests, %w", len(seen.Nodes), len(seen.Requests), err)
	})
	if decisions, err := w.Approve(t.Context()); !fault.Is(err, fault.Denied) || len(decisions) != 0 {
		t.Errorf("approve %s: %v, %v", request, decisions, err)
	}
	if action, err := w.LabelNode(t.Context(), "master-0", map[string]string{"a": "b"}, nil); !fault.Is(err, fault.Denied) {
		t.Errorf("label: %s, %v", action, err)
	}
	stranger := watch(t, s.apiPort, s.authority, issueUser(t, newAuthority(t, "root-ca"), "system:admin", "system:masters"))
	if _, err := stranger.try(t); err == nil || fault.Is(err, fault.Transient) && !strings.Contains(err.Error(), "401") {
		t.Errorf("a stranger: %v", err)
	}
}

// bind gives a user a role.
func (s *story) bind(t *testing.T, user, role string) {
	t.Helper()
	_, err := s.typed.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: user},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.UserKind, APIGroup: rbacv1.GroupName, Name: user}},
	}, metav1.CreateOptions{})
	must(t, err)
}

// An API server that turns requests away for now is asked again later.
func (s *story) serverIsTooBusy(t *testing.T) {
	t.Parallel()
	const user = "somebody" // administrators of the group system:masters are never turned away
	s.bind(t, user, "cluster-admin")
	w := watch(t, s.apiPort, s.authority, issueUser(t, s.authority, user))
	s.turnAway(t, user)
	var err error
	began := time.Now()
	until(t, func() error { // the server takes a moment to notice
		if _, err = w.try(t); err == nil || fault.Is(err, fault.Denied) {
			return fmt.Errorf("it is not turned away: %v", err)
		}
		return nil
	})
	if !fault.Is(err, fault.Transient) {
		t.Errorf("%v after %s, want a transient error", err, time.Since(began))
	}
	t.Logf("turned away within %s: %v", time.Since(began).Round(100*time.Millisecond), err)
}

// turnAway has the API server answer 429 to what a user asks for.
func (s *story) turnAway(t *testing.T, user string) {
	t.Helper()
	zero := int32(0)
	flows := s.typed.FlowcontrolV1()
	_, err := flows.PriorityLevelConfigurations().Create(t.Context(), &flowcontrolv1.PriorityLevelConfiguration{
		ObjectMeta: metav1.ObjectMeta{Name: "nothing"},
		Spec: flowcontrolv1.PriorityLevelConfigurationSpec{
			Type: flowcontrolv1.PriorityLevelEnablementLimited,
			Limited: &flowcontrolv1.LimitedPriorityLevelConfiguration{
				NominalConcurrencyShares: &zero, LendablePercent: &zero, BorrowingLimitPercent: &zero,
				LimitResponse: flowcontrolv1.LimitResponse{Type: flowcontrolv1.LimitResponseTypeReject},
			},
		},
	}, metav1.CreateOptions{})
	must(t, err)
	_, err = flows.FlowSchemas().Create(t.Context(), &flowcontrolv1.FlowSchema{
		ObjectMeta: metav1.ObjectMeta{Name: "turned-away"},
		Spec: flowcontrolv1.FlowSchemaSpec{
			PriorityLevelConfiguration: flowcontrolv1.PriorityLevelConfigurationReference{Name: "nothing"}, MatchingPrecedence: 2,
			Rules: []flowcontrolv1.PolicyRulesWithSubjects{{
				Subjects: []flowcontrolv1.Subject{{Kind: flowcontrolv1.SubjectKindUser, User: &flowcontrolv1.UserSubject{Name: user}}},
				ResourceRules: []flowcontrolv1.ResourcePolicyRule{{
					Verbs: []string{"*"}, APIGroups: []string{"*"}, Resources: []string{"*"}, Namespaces: []string{"*"}, ClusterScope: true,
				}},
			}},
		},
	}, metav1.CreateOptions{})
	must(t, err)
}

// A node that its kubelet writes at the same time is labelled and tainted all the same, and loses nothing by it.
func (s *story) rivalChangesANode(t *testing.T) {
	t.Parallel()
	g := s.gate(t)
	w := s.plane.watch(t, g.port)
	s.registerMaster(t, "infra-0", "198.51.100.30")
	taint := state.Taint{Key: "node-role.kubernetes.io/infra", Effect: "NoSchedule"}
	rival := func() {
		s.patchNode(t, "infra-0", `{"spec":{"taints":[{"key":"rival","effect":"NoSchedule"}]},"metadata":{"labels":{"rival":""}}}`)
	}
	g.interfere(once(isPatch, rival))
	action, err := w.LabelNode(t.Context(), "infra-0", map[string]string{"node-role.kubernetes.io/infra": ""}, []state.Taint{taint})
	if err != nil || action != state.Updated {
		t.Errorf("label: %s, %v", action, err)
	}
	node, err := s.typed.CoreV1().Nodes().Get(t.Context(), "infra-0", metav1.GetOptions{})
	must(t, err)
	keys := map[string]bool{}
	for _, taint := range node.Spec.Taints {
		keys[taint.Key] = true
	}
	if _, labelled := node.Labels["rival"]; !labelled || !keys["rival"] || !keys[taint.Key] {
		t.Errorf("labels %v, taints %v", node.Labels, node.Spec.Taints)
	}
	turn := 0
	g.interfere(func(r *http.Request) {
		if isPatch(r) {
			turn++
			s.patchNode(t, "infra-0", fmt.Sprintf(`{"metadata":{"labels":{"turn":"%d"}}}`, turn))
		}
	})
	another := state.Taint{Key: "another", Effect: "NoSchedule"}
	if action, err := w.LabelNode(t.Context(), "infra-0", nil, []state.Taint{another}); !fault.Is(err, fault.Transient) || turn < 2 {
		t.Errorf("a rival who never rests: %s, %v after %d attempts", action, err, turn)
	}
}

func isPatch(r *http.Request) bool { return r.Method == http.MethodPatch }

func (s *story) patchNode(t *testing.T, name, patch string) {
	t.Helper()
	if _, err := s.typed.CoreV1().Nodes().Patch(t.Context(), name, types.MergePatchType, []byte(patch), metav1.PatchOptions{}); err != nil {
		t.Error(err)
	}
}
