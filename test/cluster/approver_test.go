package cluster

import (
	"net"
	"net/http"
	"slices"
	"strings"
	"testing"
	"unicode"

	certificatesv1 "k8s.io/api/certificates/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"

	"exoshift/state"
)

// worker makes a machine that this installation has made.
func (s *story) worker(w *watcher, name string, last byte) *machine {
	m := &machine{name: name, address: net.IPv4(198, 51, 100, last), plane: s.plane, first: s.bootstrapper}
	w.expected = append(w.expected, m.expected(state.RoleWorker))
	return m
}

// decide looks until a request is seen, has the watcher approve what it may, and returns what became of the request.
func (w *watcher) decide(t *testing.T, request string) state.CSRDecision {
	t.Helper()
	found := about(request, w.decisions(t))
	if len(found) == 0 {
		t.Fatalf("nothing was decided about %s", request)
	}
	return found[0]
}

// decisions looks once, has the watcher approve what it may, and returns what became of it.
func (w *watcher) decisions(t *testing.T) []state.CSRDecision {
	t.Helper()
	w.poll(t)
	decisions, err := w.Approve(t.Context())
	must(t, err)
	return decisions
}

// join lets a machine join, whose requests the watcher approves.
func (w *watcher) join(t *testing.T, m *machine) *rest.Config {
	t.Helper()
	request := m.ask(t)
	if got := w.decide(t, request); got.Decision != state.Approved || got.Node != m.name {
		t.Fatalf("first request of %s: %+v", m.name, got)
	}
	own := m.collect(t, request)
	m.register(t, own)
	request = m.askToServe(t, own)
	if got := w.decide(t, request); got.Decision != state.Approved || got.Node != m.name {
		t.Fatalf("serving request of %s: %+v", m.name, got)
	}
	m.collect(t, request)
	return own
}

func TestApprover_ForgedAndHonestRequests(t *testing.T) {
	t.Parallel()
	s := begin(t)
	w := s.plane.watch(t, s.apiPort)
	honest := s.worker(w, "worker-0", 20)
	present := s.worker(w, "worker-1", 21)
	askers := s.askers(t, w.join(t, present))
	want := map[string]forged{}
	for _, f := range forgedRequests(t) {
		if name := s.file(t, f, askers[f.by]); name != "" {
			want[name] = f
		}
	}
	t.Logf("%d forgeries were filed", len(want))
	first := honest.ask(t)
	w.checkLeft(t, want, first)
	decisions, err := w.Approve(t.Context())
	must(t, err)
	if len(decisions) != 1 || decisions[0].Name != first || decisions[0].Decision != state.Approved {
		t.Errorf("decisions: %+v, want %s approved and nothing else", decisions, first)
	}
	honest.collect(t, first)
	w.checkLeft(t, want, "")
	s.checkPending(t, want)
}

// checkLeft checks that every forgery is shown with its reason, and that nothing but one request may be approved.
func (w *watcher) checkLeft(t *testing.T, want map[string]forged, honest string) {
	t.Helper()
	left := 0
	for _, request := range w.poll(t).Requests {
		f, found := want[request.Name]
		switch {
		case request.Name == honest && request.BlockedReason != "":
			t.Errorf("the honest request is refused: %s", request.BlockedReason)
		case !found:
			continue
		case request.State != state.RequestPending || !strings.Contains(request.BlockedReason, f.left):
			t.Errorf("%s: %s, refused as %q, want %q", f.name, request.State, request.BlockedReason, f.left)
		case strings.ContainsFunc(request.BlockedReason+request.Node, unicode.IsControl):
			t.Errorf("%s: control characters in %q of %q", f.name, request.BlockedReason, request.Node)
		}
		left++
	}
	if left != len(want) {
		t.Errorf("%d of %d forgeries are shown", left, len(want))
	}
}

// checkPending asks the API server itself: nobody decided about the forgeries, and none has a certificate.
func (s *story) checkPending(t *testing.T, want map[string]forged) {
	t.Helper()
	for name, f := range want {
		request, err := s.typed.CertificatesV1().CertificateSigningRequests().Get(t.Context(), name, metav1.GetOptions{})
		must(t, err)
		if len(request.Status.Conditions) > 0 || len(request.Status.Certificate) > 0 {
			t.Errorf("%s: %+v", f.name, request.Status)
		}
	}
}

// askers returns how those who file forgeries connect.
func (s *story) askers(t *testing.T, ofNode *rest.Config) map[string]*rest.Config {
	t.Helper()
	const account, everywhere = "system:serviceaccount:", "system:serviceaccounts"
	_, err := s.typed.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "askers"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "system:node-bootstrapper"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.GroupKind, APIGroup: rbacv1.GroupName, Name: everywhere}},
	}, metav1.CreateOptions{})
	must(t, err)
	return map[string]*rest.Config{
		bootstrapper: s.bootstrapper, node: ofNode, admin: s.admin(t),
		imitator: s.user(t, account+machineConfig+":node-bootstrapper", everywhere, everywhere+":"+machineConfig, "testers"),
		relative: s.user(t, account+"default:node-bootstrapper", everywhere, everywhere+":default"),
	}
}

// file files a forgery and returns its name, or "" if the API server refused it as it should.
func (s *story) file(t *testing.T, f forged, as *rest.Config) string {
	t.Helper()
	a := firstRequest(t)
	if f.by == node {
		a = servingRequest(t)
	}
	f.change(&a)
	client, err := kubernetes.NewForConfig(as)
	must(t, err)
	var filed *certificatesv1.CertificateSigningRequest
	until(t, func() error { // roles take a moment to hold
		filed, err = client.CertificatesV1().CertificateSigningRequests().Create(t.Context(), a.make(t), metav1.CreateOptions{})
		if err != nil && strings.Contains(err.Error(), "cannot create resource") {
			return err
		}
		return nil
	})
	switch {
	case f.refused == "" && err == nil:
		return filed.Name
	case f.refused == "":
		t.Errorf("%s: %.200v", f.name, err)
	case err == nil || !strings.Contains(err.Error(), f.refused):
		t.Errorf("%s: filed as %q: %.200v, want a refusal that speaks of %q", f.name, filed.Name, err, f.refused)
	}
	return ""
}

// A request is approved as it was judged: about one that somebody changes meanwhile nothing is told until the next look,
// and one that is gone is no error.
func (s *story) requestChanges(t *testing.T) {
	t.Parallel()
	g := s.gate(t)
	w := s.plane.watch(t, g.port)
	request := s.worker(w, "worker-0", 20).ask(t)
	rival := s.typed.CertificatesV1().CertificateSigningRequests()
	tried := 0
	g.interfere(once(isApproval, func() {
		tried++
		_, err := rival.Patch(t.Context(), request, types.MergePatchType, []byte(`{"metadata":{"labels":{"a":"b"}}}`), metav1.PatchOptions{})
		if err != nil {
			t.Error(err)
		}
	}))
	if got := about(request, w.decisions(t)); len(got) != 0 || tried != 1 {
		t.Errorf("a request that changed: tried %d times, %+v", tried, got)
	}
	g.interfere(nil)
	if got := w.decide(t, request); got.Decision != state.Approved {
		t.Errorf("the next time: %+v", got)
	}
	gone := s.worker(w, "worker-2", 22).ask(t)
	g.interfere(once(isApproval, func() {
		tried++
		if err := rival.Delete(t.Context(), gone, metav1.DeleteOptions{}); err != nil {
			t.Error(err)
		}
	}))
	if got := about(gone, w.decisions(t)); len(got) != 0 || tried != 2 {
		t.Errorf("a request that is gone: tried %d times, %+v", tried, got)
	}
}

// about returns those decisions that are about a request.
func about(request string, decisions []state.CSRDecision) []state.CSRDecision {
	return slices.DeleteFunc(decisions, func(d state.CSRDecision) bool { return d.Name != request })
}

func isApproval(r *http.Request) bool { return strings.HasSuffix(r.URL.Path, "/approval") }

// once acts before the first request that is meant.
func once(meant func(*http.Request) bool, act func()) func(*http.Request) {
	done := make(chan struct{}, 1)
	return func(r *http.Request) {
		if !meant(r) {
			return
		}
		select {
		case done <- struct{}{}:
			act()
		default:
		}
	}
}
