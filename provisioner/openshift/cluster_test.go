package openshift_test

import (
	"context"
	"errors"
	"strings"
	"testing"
	"testing/synctest"

	"exoshift/internal/fault"
	"exoshift/provisioner/openshift"
)

func newCluster(r *rehearsal, kubeconfig func() ([]byte, error)) *openshift.Cluster {
	return openshift.NewCluster(r.net, kubeconfig)
}

func TestGetConsoleURL_AfterRouteAdmitted(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		expect := func(want string) {
			t.Helper()
			if got, err := r.GetConsoleURL(t.Context()); err != nil || got != want {
				t.Errorf("%q, %v, want %q", got, err, want)
			}
		}
		expect("")
		const host = "console-openshift-console.apps.c1.example.net"
		ingress := func(admitted string) []any {
			return []any{map[string]any{"host": host, "conditions": conditions([3]string{"Admitted", admitted, ""})}}
		}
		r.put(t, "routes.route.openshift.io", "openshift-console", with(named("console"), "status.ingress", ingress("False")))
		expect("")
		r.change(t, "routes.route.openshift.io", "openshift-console", "console", "status.ingress", ingress("True"))
		expect("https://" + host)
	})
}

func TestNodes_ContextCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		stopped := errors.New("stopped by the operator")
		ctx, cancel := context.WithCancelCause(t.Context())
		cancel(stopped)
		if _, err := r.Nodes(ctx); !errors.Is(err, stopped) {
			t.Errorf("got %v", err)
		}
	})
}

func TestNodes_OtherClusterCredentialsDenied(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r := rehearse(t)
		mine, _, _ := strings.Cut(r.kubeconfig, "users:")
		_, theirs, _ := strings.Cut(r.makeKubeconfig(t, authority(t)), "users:")
		r.kubeconfig = mine + "users:" + theirs
		if _, err := r.Nodes(t.Context()); !fault.Is(err, fault.Denied) || fault.HintOf(err) == "" {
			t.Errorf("got %v", err)
		}
	})
}
