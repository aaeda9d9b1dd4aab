package openshift

import (
	"context"
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"strings"
	"testing"
	"time"

	"github.com/miekg/dns"

	"exoshift/internal/simcloud/kube"
	"exoshift/internal/simcloud/names"
	"exoshift/internal/simcloud/openshift/apiclient"
	"exoshift/internal/simcloud/openshift/argo"
	"exoshift/internal/simcloud/openshift/certmanager"
	"exoshift/internal/simcloud/openshift/cluster"
	"exoshift/internal/simcloud/openshift/maintenance"
	"exoshift/internal/simcloud/openshift/monitoring"
	"exoshift/internal/simcloud/scenario"
	"exoshift/internal/simcloud/server"
)

func component(namespace, name, image string) string {
	return namespaced(namespace, `apiVersion: v1
kind: ServiceAccount
metadata: {name: `+name+`, namespace: `+namespace+`}
---
apiVersion: apps/v1
kind: Deployment
metadata: {name: `+name+`, namespace: `+namespace+`}
spec:
  selector: {matchLabels: {app: `+name+`}}
  template:
    metadata: {labels: {app: `+name+`}}
    spec:
      serviceAccountName: `+name+`
      containers: [{name: main, image: '`+image+`'}]
---
`)
}

func (s *synLab) define(group, version, kind, plural string) {
	s.t.Helper()
	definition := kube.Kind{Group: group, Version: version, Resource: plural, Kind: kind, Namespaced: true, Status: true}.Definition()
	definition["apiVersion"], definition["kind"] = "apiextensions.k8s.io/v1", "CustomResourceDefinition"
	if err := s.api.Apply(s.ctx, argo.DefinitionsPath, "exoshift", definition); err != nil {
		s.t.Fatal(err)
	}
}

const registerJob = `apiVersion: v1
kind: ServiceAccount
metadata: {name: acme-dns-register, namespace: syn-cert-manager}
---
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: {name: acme-dns-register, namespace: syn-cert-manager}
rules: [{apiGroups: [""], resources: [secrets], verbs: [get, create, update, patch]}]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: {name: acme-dns-register, namespace: syn-cert-manager}
roleRef: {apiGroup: rbac.authorization.k8s.io, kind: Role, name: acme-dns-register}
subjects: [{kind: ServiceAccount, name: acme-dns-register, namespace: syn-cert-manager}]
---
apiVersion: batch/v1
kind: Job
metadata: {name: acme-dns-register, namespace: syn-cert-manager}
spec:
  template:
    spec:
      serviceAccountName: acme-dns-register
      restartPolicy: Never
      containers:
      - name: register
        image: quay.io/appuio/oc:v4.20
        env:
        - {name: ACME_DNS_API, value: 'https://acme-dns-api.vshn.net'}
        - {name: ACME_DNS_FQDNS, value: '["api.c-demo.example.net","apps.c-demo.example.net"]'}
        - {name: CLIENT_SECRET_NAME, value: acme-dns-client}
---
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: apps, namespace: syn-cert-manager}
spec: {dnsNames: ['*.apps.c-demo.example.net'], secretName: apps-tls}
`

// answers is a resolver that knows one alias.
type answers struct{ leads func() string }

func (a answers) Resolve(_ context.Context, question *dns.Msg) (*dns.Msg, error) {
	answer := new(dns.Msg)
	answer.SetReply(question)
	if target := a.leads(); target != "" {
		record, err := dns.NewRR(question.Question[0].Name + " 60 IN CNAME " + target + ".")
		if err != nil {
			return nil, err
		}
		answer.Answer = append(answer.Answer, record)
	}
	return answer, nil
}

func TestACME_IssuesWhenNameResolves(t *testing.T) {
	long(t)
	inSynLab(t, plan{}, nil, func(t *testing.T, s *synLab) {
		target := ""
		servers := server.New(server.Config{Fabric: s.fabric, CA: s.lab.ca, Now: func(netip.Addr) time.Time { return time.Now() }})
		t.Cleanup(func() { _ = servers.Close() })
		speaker := answers{func() string { s.mu.Lock(); defer s.mu.Unlock(); return target }}
		if err := servers.Add(server.Site{Address: "1.1.1.1", Ports: []server.Port{server.DNS{Handler: names.Forwarder(speaker.Resolve)}}}); err != nil {
			t.Fatal(err)
		}
		s.define("cert-manager.io", "v1", "Certificate", "certificates")
		s.apply(component("syn-cert-manager", "cert-manager", "quay.io/jetstack/cert-manager-controller:v1.18.2") + registerJob)
		var accounts map[string]certmanager.AcmeAccount
		s.until(5*time.Minute, "an account", func() bool {
			accounts = certmanager.ReadAccounts(s.get(apiclient.FormatResourcePath("syn-cert-manager", cluster.SecretResource) + "/acme-dns-client"))
			return len(accounts) == 2
		})
		account := accounts["apps.c-demo.example.net"]
		if _, known := s.acme.TXT(account.Fulldomain); !known || account.Password == "" {
			t.Errorf("accounts %v", accounts)
		}
		const path = "/apis/cert-manager.io/v1/namespaces/syn-cert-manager/certificates/apps"
		_ = s.clock.Sleep(s.ctx, 10*time.Minute)
		if found := s.get(path); argo.ComputeHealth(found).Status != argo.Progressing || !strings.Contains(argo.ComputeHealth(found).Message, "does not lead to") {
			t.Errorf("without the record: %v", found["status"])
		}
		s.mu.Lock()
		target = account.Fulldomain
		s.mu.Unlock()
		s.until(5*time.Minute, "the certificate", func() bool { return argo.ComputeHealth(s.get(path)).Status == argo.Healthy })
	})
}

func TestUpgradeConfig_CreatesJob(t *testing.T) {
	long(t)
	inSynLab(t, plan{}, nil, func(t *testing.T, s *synLab) {
		const namespace = "appuio-openshift-upgrade-controller"
		s.define("managedupgrade.appuio.io", "v1beta1", "UpgradeConfig", "upgradeconfigs")
		s.define("managedupgrade.appuio.io", "v1beta1", "UpgradeJob", "upgradejobs")
		zurich := must2(time.LoadLocation("Europe/Zurich"))(t)
		at := s.clock.Now().Add(time.Minute).In(zurich)
		s.apply(component(namespace, "controller", "ghcr.io/appuio/openshift-upgrade-controller:v1.2.4") + `apiVersion: managedupgrade.appuio.io/v1beta1
kind: UpgradeConfig
metadata: {name: first, namespace: ` + namespace + `}
spec:
  schedule: {cron: '` + at.Format("4 15 2 1 *") + `', location: Europe/Zurich}
  pinVersionWindow: 0m
  jobTemplate: {metadata: {labels: {upgradeconfig/name: first}}, spec: {config: {upgradeTimeout: 5h}}}
`)
		var jobs []kube.Object
		s.until(5*time.Minute, "a job", func() bool {
			jobs = s.get("/apis/managedupgrade.appuio.io/v1beta1/upgradejobs?labelSelector=upgradeconfig%2Fname%3Dfirst").List("items")
			return len(jobs) > 0 && jobs[0].Condition("Started").GetString("status") == "True"
		})
		_ = s.clock.Sleep(s.ctx, 90*time.Minute)
		jobs = s.get("/apis/managedupgrade.appuio.io/v1beta1/upgradejobs").List("items")
		if len(jobs) != 1 || jobs[0].GetString("spec.config.upgradeTimeout") != "5h" {
			t.Errorf("jobs: %v", jobs)
		}
	})
}

func TestMatchSchedule_Minutes(t *testing.T) {
	at := time.Date(2026, 11, 24, 10, 30, 0, 0, time.UTC) // a Tuesday
	for schedule, want := range map[string]bool{
		"30 10 * * 2": true, "30 10 24 11 *": true, "*/15 8-11 * * 1-5": true, "0,30 * * * *": true, "* * * * *": true,
		"31 10 * * 2": false, "30 11 * * 2": false, "30 10 * * 3": false, "*/20 * * * *": false,
	} {
		if got, err := maintenance.MatchSchedule(schedule, at); got != want || err != nil {
			t.Errorf("%s: %v, %v", schedule, got, err)
		}
	}
	for _, schedule := range []string{"", "a * * * *", "*/0 * * * *", "* * * *"} {
		if _, err := maintenance.MatchSchedule(schedule, at); err == nil {
			t.Errorf("%q is a schedule", schedule)
		}
	}
}

func (s *synLab) with(token string) *apiclient.Client {
	s.t.Helper()
	opened := must2(apiclient.ParseKubeconfig(s.file("auth/kubeconfig")))(s.t)
	opened.Certificate, opened.Key, opened.Token = nil, nil, token
	api := must2(apiclient.New(desk{host: s.laptop}, opened, 10*time.Second))(s.t)
	s.t.Cleanup(api.Close)
	return api
}

func (s *synLab) requestToken(namespace, account string) string {
	s.t.Helper()
	answer, err := s.api.Do(s.ctx, http.MethodPost, apiclient.FormatResourcePath(namespace, cluster.AccountResource)+"/"+account+"/token", kube.Object{"apiVersion": "authentication.k8s.io/v1",
		"kind": "TokenRequest", "spec": kube.Object{"expirationSeconds": 3600}})
	if err != nil {
		s.t.Fatal(err)
	}
	return answer.GetString("status.token")
}

func TestEmergencyAccount_OutlivesKubeconfig(t *testing.T) {
	long(t)
	inSynLab(t, plan{}, nil, func(t *testing.T, s *synLab) {
		const namespace = "appuio-emergency-credentials-controller"
		s.define("cluster.appuio.io", "v1beta1", "EmergencyAccount", "emergencyaccounts")
		s.apply(component(namespace, "controller", "ghcr.io/appuio/emergency-credentials-controller:v1.1.0") + `apiVersion: cluster.appuio.io/v1beta1
kind: EmergencyAccount
metadata: {name: admin, namespace: ` + namespace + `}
spec: {validityDuration: 720h}
`)
		s.until(5*time.Minute, "a token", func() bool {
			return s.get("/apis/cluster.appuio.io/v1beta1/namespaces/"+namespace+"/emergencyaccounts/admin").GetString("status.lastTokenCreationTimestamp") != ""
		})
		emergency := s.with(s.requestToken(namespace, "admin"))
		who := must2(emergency.Do(s.ctx, http.MethodPost, "/apis/authentication.k8s.io/v1/selfsubjectreviews", kube.Object{"apiVersion": "authentication.k8s.io/v1", "kind": "SelfSubjectReview"}))(t)
		if got := who.GetString("status.userInfo.username"); got != "system:serviceaccount:"+namespace+":admin" {
			t.Errorf("the token is of %q", got)
		}
		may := must2(emergency.Do(s.ctx, http.MethodPost, "/apis/authorization.k8s.io/v1/selfsubjectaccessreviews", kube.Object{"apiVersion": "authorization.k8s.io/v1",
			"kind": "SelfSubjectAccessReview", "spec": kube.Object{"resourceAttributes": kube.Object{"verb": "*", "group": "*", "resource": "*"}}}))(t)
		if !may.GetBool("status.allowed") {
			t.Error("it does not have all permissions")
		}
		bundle := apiclient.FormatResourcePath("openshift-config", cluster.ConfigMapResource) + "/" + cluster.AdminAuthority
		if _, err := emergency.Do(s.ctx, http.MethodPatch, bundle, kube.Object{"data": kube.Object{"ca-bundle.crt": ""}}); err != nil {
			t.Fatal(err)
		}
		if _, err := s.api.Get(s.ctx, apiclient.NodesPath); !apiclient.IsCode(err, http.StatusUnauthorized) {
			t.Errorf("the installer's kubeconfig: %v", err)
		}
		if _, err := emergency.Get(s.ctx, apiclient.NodesPath); err != nil {
			t.Error(err)
		}
		_ = s.clock.Sleep(s.ctx, 2*time.Hour)
		if _, err := emergency.Get(s.ctx, apiclient.NodesPath); !apiclient.IsCode(err, http.StatusUnauthorized) {
			t.Errorf("after its end: %v", err)
		}
	})
}

const silenceObjects = `apiVersion: v1
kind: ServiceAccount
metadata: {name: silence, namespace: openshift-monitoring}
---
apiVersion: v1
kind: ConfigMap
metadata: {name: silence, namespace: openshift-monitoring}
data: {silences.json: '[{"matchers": [{"name": "alertname", "value": "SimpleContentAccessNotAvailable"}]}]'}
---
apiVersion: batch/v1
kind: Job
metadata: {name: silence-now, namespace: openshift-monitoring}
spec: {template: {spec: {serviceAccountName: silence, restartPolicy: Never, containers: [{name: silence, image: 'quay.io/appuio/oc:v4.20'}]}}}
`

func TestAlerts_RequirePermission(t *testing.T) {
	long(t)
	inSynLab(t, plan{faults: scenario.Cluster{UnexpectedAlert: true}}, nil, func(t *testing.T, s *synLab) {
		shared := must2(s.world.getCluster(s.infraID()))(t)
		ask := func(token string) (int, string) {
			request := httptest.NewRequest(http.MethodGet, "https://"+monitoring.AlertmanagerHost(shared)+"/api/v2/alerts", nil)
			request.Header.Set("Authorization", "Bearer "+token)
			answer := httptest.NewRecorder()
			monitoring.ServeAlertmanager(shared, answer, request)
			var alerts []kube.Object
			_ = json.Unmarshal(answer.Body.Bytes(), &alerts)
			names := ""
			for _, alert := range alerts {
				names += alert.GetString("labels.alertname") + " " + alert.GetString("status.state") + ", "
			}
			return answer.Code, names
		}
		s.apply("apiVersion: v1\nkind: ServiceAccount\nmetadata: {name: stranger, namespace: openshift-monitoring}\n")
		if code, _ := ask("nonsense"); code != http.StatusUnauthorized {
			t.Errorf("nobody: %d", code)
		}
		if code, _ := ask(s.requestToken(monitoring.Namespace, "stranger")); code != http.StatusForbidden {
			t.Errorf("a stranger: %d", code)
		}
		report := func(want string) func() bool {
			return func() bool {
				code, names := ask(s.requestToken(monitoring.Namespace, monitoring.User))
				return code == http.StatusOK && names == "Watchdog active, AlertmanagerReceiversNotConfigured active, SimpleContentAccessNotAvailable "+want
			}
		}
		s.until(time.Minute, "what fires on every new cluster", report("active, "))
		s.apply(silenceObjects + "---\n" + namespaced("syn-cluster-backup", ""))
		s.until(5*time.Minute, "a silence, and a job that failed", report("suppressed, KubeJobFailed active, "))
		if _, err := s.api.Do(s.ctx, http.MethodDelete, "/apis/batch/v1/namespaces/syn-cluster-backup/jobs/objects-check", nil); err != nil {
			t.Fatal(err)
		}
		_ = s.clock.Sleep(s.ctx, 5*time.Minute)
		s.until(time.Minute, "an end of that", report("suppressed, "))
	})
}
