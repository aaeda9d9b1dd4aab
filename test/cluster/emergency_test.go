package cluster

import (
	"encoding/base64"
	"fmt"
	"os"
	"testing"
	"time"

	authenticationv1 "k8s.io/api/authentication/v1"
	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/openshift"
	"exoshift/state"
)

const (
	emergencyNamespace = "appuio-emergency-credentials-controller"
	emergencyAccount   = "cluster-emergency"
	adminAuthority     = "admin-kubeconfig-client-ca"
)

// The ten-year kubeconfig loses its power on a real API server, whose operator is played: it takes the administrator's
// authority out of those that the server believes.
func TestRevokeAdmin_RealAPI(t *testing.T) {
	t.Parallel()
	s := converge(t)
	emergency := s.makeEmergency(t)
	clock, stop := network.NewScaledClock(20, time.Now())
	t.Cleanup(stop)
	w := s.plane.hasten(t, clock)
	if _, err := w.VerifyEmergency(t.Context(), emergency); !fault.Is(err, fault.Denied) {
		t.Errorf("without power: %v", err)
	}
	s.empower(t)
	seen, err := w.VerifyEmergency(t.Context(), emergency)
	if err != nil || seen.Account != emergencyAccount {
		t.Fatalf("%+v, %v", seen, err)
	}
	go s.operateAuthority(t)
	if action, err := w.RevokeAdmin(t.Context(), emergency); err != nil || action != state.Updated {
		t.Errorf("%q, %v", action, err)
	}
	if _, err := w.GetSynthesis(t.Context()); !fault.Is(err, fault.Denied) {
		t.Errorf("the administrator afterwards: %v", err)
	}
	if _, err := w.VerifyEmergency(t.Context(), emergency); err != nil {
		t.Errorf("the emergency access afterwards: %v", err)
	}
}

// hasten is watch with a clock that runs faster.
func (p *plane) hasten(t *testing.T, clock network.Clock) *openshift.Cluster {
	t.Helper()
	config := kubeconfig(t, "https://"+apiName+":"+p.apiPort, p.authority, issueUser(t, p.authority, "system:admin", "system:masters"))
	loopback := network.Network{Dial: toLoopback(p.apiPort), Lookup: onLoopback, Clock: clock}
	c := openshift.NewCluster(loopback, func() ([]byte, error) { return config, nil })
	t.Cleanup(c.Close)
	return c
}

// makeEmergency makes an emergency account without any power, and returns a kubeconfig with its token.
func (s *story) makeEmergency(t *testing.T) []byte {
	t.Helper()
	for _, name := range []string{emergencyNamespace, "openshift-config"} {
		s.create(t, "v1", "namespaces", "", "Namespace", name, nil)
	}
	defineOne(t, s.all, "testdata/emergencyaccounts.yaml")
	until(t, func() error { return established(t, s.all, "emergencyaccounts.cluster.appuio.io") })
	s.create(t, "cluster.appuio.io/v1beta1", "emergencyaccounts", emergencyNamespace, "EmergencyAccount", emergencyAccount,
		map[string]any{"status": map[string]any{"lastTokenCreationTimestamp": time.Now().Add(time.Minute).UTC().Format(time.RFC3339)}})
	s.create(t, "v1", "configmaps", "openshift-config", "ConfigMap", adminAuthority, map[string]any{"data": map[string]any{"ca-bundle.crt": string(s.authority.CertPEM())}})
	accounts := s.typed.CoreV1().ServiceAccounts(emergencyNamespace)
	_, err := accounts.Create(t.Context(), &corev1.ServiceAccount{ObjectMeta: metav1.ObjectMeta{Name: emergencyAccount}}, metav1.CreateOptions{})
	must(t, err)
	token, err := accounts.CreateToken(t.Context(), emergencyAccount, &authenticationv1.TokenRequest{}, metav1.CreateOptions{})
	must(t, err)
	return fmt.Appendf(nil, `{"apiVersion": "v1", "kind": "Config", "current-context": "em", "contexts": [{"name": "em", "context": {"cluster": "em", "user": "em"}}],
		"clusters": [{"name": "em", "cluster": {"server": "https://%s:%s", "certificate-authority-data": "%s"}}],
		"users": [{"name": "em", "user": {"token": "%s"}}]}`, apiName, s.apiPort, base64.StdEncoding.EncodeToString(s.authority.CertPEM()), token.Status.Token)
}

func (s *story) empower(t *testing.T) {
	t.Helper()
	_, err := s.typed.RbacV1().ClusterRoleBindings().Create(t.Context(), &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: emergencyAccount},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: "cluster-admin"},
		Subjects:   []rbacv1.Subject{{Kind: rbacv1.ServiceAccountKind, Namespace: emergencyNamespace, Name: emergencyAccount}},
	}, metav1.CreateOptions{})
	must(t, err)
}

// operateAuthority plays the operator of the API server: once the administrator's authority is blank, the server believes
// in others alone.
func (s *story) operateAuthority(t *testing.T) {
	others := newAuthority(t, "others").CertPEM()
	for (network.Clock{}).Sleep(t.Context(), 200*time.Millisecond) == nil {
		found, err := s.typed.CoreV1().ConfigMaps("openshift-config").Get(t.Context(), adminAuthority, metav1.GetOptions{})
		if err == nil && found.Data["ca-bundle.crt"] == "" {
			if err := os.WriteFile(s.plane.file("clients.crt"), others, 0o600); err != nil {
				t.Error(err)
			}
			return
		}
	}
}
