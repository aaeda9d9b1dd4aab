package openshift_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/simcloud/kube"
)

func dumped(t *testing.T, r *rehearsal) (map[string]string, error) {
	t.Helper()
	files := map[string]string{}
	err := r.Dump(t.Context(), func(name string, content []byte) error {
		files[name] = string(content)
		return nil
	})
	return files, err
}

func dumpedNode(name, ready string) kube.Object {
	node := with(named(name), "status.conditions", []any{map[string]any{"type": "Ready", "status": ready}})
	return with(node, "status.images", []any{map[string]any{"names": []any{"quay.io/big"}}})
}

func TestDump_UnhealthyFirst(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.put(t, "nodes", "", dumpedNode("a-well", "True"))
		r.put(t, "nodes", "", dumpedNode("b-unwell", "Unknown"))
		files, err := dumped(t, r)
		if err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(files["nodes.jsonl"]), "\n")
		if len(lines) != 2 || !strings.Contains(lines[0], "b-unwell") || !strings.Contains(lines[1], "a-well") {
			t.Errorf("nodes: %q", lines)
		}
		if strings.Contains(files["nodes.jsonl"], "quay.io/big") {
			t.Error("the images of a node fill pages")
		}
	})
}

func TestDump_HasNoSecrets(t *testing.T) {
	const canary = "correct-horse-battery-staple"
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.before = func(q *http.Request) {
			if strings.Contains(q.URL.Path, "secret") || strings.Contains(q.URL.Path, "machineconfigs") || strings.Contains(q.URL.Path, "proxies") {
				t.Errorf("it asks for %s", q.URL.Path)
			}
		}
		r.put(t, "secrets", "kube-system", with(named("kubeadmin"), "data.password", canary))
		pod := with(named("etcd"), "spec.nodeName", "master-0")
		pod = with(pod, "spec.containers", []any{map[string]any{"env": []any{map[string]any{"name": "HTTPS_PROXY", "value": canary}}}})
		r.put(t, "pods", "openshift-etcd", pod)
		r.put(t, "configmaps", "kube-system", with(named("other"), "data.password", canary))
		r.put(t, "configmaps", "kube-system", with(named("bootstrap"), "data.status", "complete"))
		files, err := dumped(t, r)
		if err != nil {
			t.Fatal(err)
		}
		for name, content := range files {
			if strings.Contains(content, canary) {
				t.Errorf("%s: %s", name, content)
			}
		}
		if pods := files["pods.jsonl"]; !strings.Contains(pods, "master-0") {
			t.Errorf("pods: %s", pods)
		}
		if status := files["configmaps-kube-system-bootstrap.jsonl"]; !strings.Contains(status, "complete") {
			t.Errorf("the ConfigMap of the bootstrap: %s", status)
		}
	})
}

func TestDump_UnreadableKeepsRest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.put(t, "nodes", "", dumpedNode("master-0", "True"))
		r.put(t, "clusteroperators.config.openshift.io", "", named("etcd"))
		r.before = func(q *http.Request) {
			if strings.HasSuffix(q.URL.Path, "/nodes") {
				panic(http.ErrAbortHandler) // the connection breaks
			}
		}
		files, err := dumped(t, r)
		if err == nil || !strings.Contains(err.Error(), "list nodes") {
			t.Errorf("the error does not say what is missing: %v", err)
		}
		if _, there := files["nodes.jsonl"]; there || !strings.Contains(files["clusteroperators-config.jsonl"], "etcd") {
			t.Errorf("files: %v", files)
		}
	})
}

func TestDump_ReportsTruncation(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		const events = 600
		for n := range events {
			event := with(named(fmt.Sprintf("event-%03d", n)), "type", "Normal")
			r.put(t, "events", "default", with(event, "message", strings.Repeat("x", 5000)))
		}
		r.put(t, "events", "default", with(named("zzz"), "type", "Warning"))
		files, err := dumped(t, r)
		if err != nil {
			t.Fatal(err)
		}
		content := files["events.jsonl"]
		lines := strings.Split(strings.TrimSpace(content), "\n")
		if len(content) > 2<<20 || !strings.Contains(lines[0], "zzz") {
			t.Errorf("%d bytes, first: %.80s", len(content), lines[0])
		}
		if want := fmt.Sprintf(`{"left_out":%d}`, events+1-(len(lines)-1)); lines[len(lines)-1] != want {
			t.Errorf("last line %s, not %s", lines[len(lines)-1], want)
		}
	})
}

func TestDump_GivesUpWithoutAnswers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.before = func(*http.Request) { panic(http.ErrAbortHandler) } // every connection breaks
		began := time.Now()
		_, err := dumped(t, r)
		if err == nil || !strings.Contains(err.Error(), "skipped") {
			t.Errorf("the error does not say that it was given up: %v", err)
		}
		if took := time.Since(began); took > 25*time.Second {
			t.Errorf("it took %s", took)
		}
	})
}

func TestDump_HangingAPITimesOut(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		r.before = hang
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		began := time.Now()
		err := r.Dump(ctx, func(string, []byte) error { return nil })
		if took := time.Since(began); took > 21*time.Second || !errors.Is(err, context.DeadlineExceeded) {
			t.Errorf("after %s: %v", took, err)
		}
	})
}

func TestDump_EachKindOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		var paths []string
		turn := make(chan struct{}, 1)
		r.before = func(q *http.Request) {
			turn <- struct{}{}
			paths = append(paths, q.URL.Path)
			<-turn
		}
		if _, err := dumped(t, r); err != nil {
			t.Fatal(err)
		}
		slices.Sort(paths)
		if once := slices.Compact(slices.Clone(paths)); len(once) != len(paths) || len(paths) < 15 {
			t.Errorf("%d requests of %d kinds: %v", len(paths), len(once), paths)
		}
	})
}
