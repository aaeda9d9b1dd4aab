package cluster

import (
	"context"
	"os"
	"slices"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner"
	"exoshift/provisioner/openshift"
	"exoshift/provisioner/openshift/adminaccess"
	"exoshift/provisioner/rotation"
	"exoshift/state"
)

// The administrator's kubeconfig is replaced on a real API server, whose operator is played: it trusts the authorities of the config map beside
// others. The old one is refused at the end, and a kubeconfig with a token ends with its account.
func TestRotateKubeconfig_RealAPI(t *testing.T) {
	t.Parallel()
	p := start(t)
	typed, _ := p.objects(t)
	signer := newAuthority(t, "admin-kubeconfig-signer")
	_, err := typed.CoreV1().Namespaces().Create(t.Context(), &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: "openshift-config"}}, metav1.CreateOptions{})
	must(t, err)
	_, err = typed.CoreV1().ConfigMaps("openshift-config").Create(t.Context(), &corev1.ConfigMap{
		ObjectMeta: metav1.ObjectMeta{Name: adminAuthority}, Data: map[string]string{"ca-bundle.crt": string(signer.CertPEM())},
	}, metav1.CreateOptions{})
	must(t, err)
	go p.trustAdministrators(t, typed)

	folder, err := state.Create(t.TempDir())
	must(t, err)
	old := kubeconfig(t, "https://"+apiName+":"+p.apiPort, p.authority, issueUser(t, signer, "system:admin", "system:masters"))
	must(t, folder.Write(rotation.CurrentFile, old))
	clock, stop := network.NewScaledClock(20, time.Now())
	t.Cleanup(stop)
	loopback := network.Network{Dial: toLoopback(p.apiPort), Lookup: onLoopback, Clock: clock}
	cluster := openshift.NewCluster(loopback, func() ([]byte, error) { return folder.Read(rotation.CurrentFile) })
	t.Cleanup(cluster.Close)
	until(t, func() error { return cluster.CheckKubeconfig(t.Context(), old) })

	people, err := cluster.NewTokenAccess(t.Context(), adminaccess.PeopleAccount, 20*time.Minute)
	must(t, err)
	must(t, cluster.CheckToken(t.Context(), people.Kubeconfig))
	if left := time.Until(people.Expires); left > 20*time.Minute || left < 15*time.Minute {
		t.Errorf("the token ends in %s", left)
	}
	rotate := rotation.NewKubeconfig(state.Default(), folder, rotation.KubeconfigClients{
		Cluster: cluster, Clock: clock, Generate: adminaccess.NewAdminKubeconfig, FindAuthority: adminaccess.FindAuthority,
		NewToken: func(ctx context.Context) ([]byte, string, error) {
			access, err := cluster.NewTokenAccess(ctx, adminaccess.RotationAccount, time.Hour)
			return access.Kubeconfig, adminaccess.RotationAccount, err
		},
	}, state.NoJournal{})
	plan := slices.DeleteFunc(rotate.Plan(), func(step provisioner.Step) bool { return step.ID == "check" }) // there are no operators
	plan[0].Needs = nil
	must(t, provisioner.Run(t.Context(), plan, func(provisioner.Event) {}))

	if err := cluster.CheckKubeconfig(t.Context(), old); !fault.Is(err, fault.Denied) {
		t.Errorf("the old kubeconfig: %v", err)
	}
	current, err := folder.Read(rotation.CurrentFile)
	must(t, err)
	must(t, cluster.CheckKubeconfig(t.Context(), current))
	if all, err := cluster.ListAdminAuthorities(t.Context()); err != nil || len(all) != 1 {
		t.Errorf("there are %d authorities: %v", len(all), err)
	}
	must(t, cluster.CheckToken(t.Context(), people.Kubeconfig))
	_, err = cluster.EndTokenAccess(t.Context(), adminaccess.PeopleAccount)
	must(t, err)
	until(t, func() error { // tokens are cached for seconds
		if err := cluster.CheckToken(t.Context(), people.Kubeconfig); !fault.Is(err, fault.Denied) {
			return fault.Newf(fault.Transient, "wait", "the token is still accepted: %v", err)
		}
		return nil
	})
}

// trustAdministrators plays the operator of the API server.
func (p *plane) trustAdministrators(t *testing.T, typed *kubernetes.Clientset) {
	written := ""
	for (network.Clock{}).Sleep(t.Context(), 200*time.Millisecond) == nil {
		found, err := typed.CoreV1().ConfigMaps("openshift-config").Get(t.Context(), adminAuthority, metav1.GetOptions{})
		wanted := string(p.authority.CertPEM()) + found.Data["ca-bundle.crt"]
		if err != nil || wanted == written {
			continue
		}
		if err := os.WriteFile(p.file("clients.crt"), []byte(wanted), 0o600); err != nil {
			t.Error(err)
			return
		}
		written = wanted
	}
}
