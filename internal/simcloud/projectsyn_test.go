package simcloud

import (
	"encoding/json"
	"io"
	"net/http"
	"net/url"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/miekg/dns"
)

const (
	lieutenantURL = "https://api.syn.vshn.net"
	harbour       = "t-quiet-harbour-4711"
)

// configured is a cluster's file in the tenant's configuration.
const configured = `classes:
- t-quiet-harbour-4711.common
- .openshift4
applications: [exoscale-cloud-controller-manager, cilium]
parameters:
  openshift:
    baseDomain: c-demo.example.net
    infraID: c-demo-abcde
    clusterID: 3f6f3f0e-7a0c-4c57-8b0a-5d3c1f0e9b21
`

// tell sends JSON to one of Project Syn's hosts and returns the status and the response.
func (o *operator) tell(method, link, token, kind, body string) (int, string) {
	o.t.Helper()
	client := o.Zone.Network().NewClient()
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(o.t.Context(), method, link, strings.NewReader(body))
	o.must(err)
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", kind)
	response, err := client.Do(request)
	o.must(err)
	defer func() { _ = response.Body.Close() }()
	answer, err := io.ReadAll(response.Body)
	o.must(err)
	return response.StatusCode, string(answer)
}

// connect creates a cluster at Lieutenant that can be compiled.
func (o *operator) connect() {
	o.t.Helper()
	token := o.Credentials().APIToken
	status, answer := o.tell(http.MethodPost, lieutenantURL+"/clusters", token, "application/json",
		`{"id": "c-demo", "tenant": "`+harbour+`", "facts": {"distribution": "openshift4", "cloud": "exoscale", "region": "`+region+`"}}`)
	if status != http.StatusCreated {
		o.t.Fatalf("%d %s", status, answer)
	}
	time.Sleep(5 * time.Second)
	status, answer = o.tell(http.MethodPatch, lieutenantURL+"/clusters/c-demo", token, "application/merge-patch+json",
		`{"dynamicFacts": {"kubernetesVersion": {"major": "1", "minor": "34"}, "openshiftVersion": {"Major": "4", "Minor": "21"}}}`)
	if status != http.StatusOK {
		o.t.Fatalf("%d %s", status, answer)
	}
}

// compile commits the cluster's configuration and returns the result of the pipeline.
func (o *operator) compile() (status, catalog string) {
	o.t.Helper()
	git, err := o.OpenGit()
	o.must(err)
	commit, err := git.Commit("syn/tenants/"+harbour, "Configure c-demo", map[string][]byte{"c-demo.yml": []byte(configured)})
	o.must(err)
	time.Sleep(3 * time.Minute)
	link := "https://git.vshn.net/api/v4/projects/" + url.PathEscape("syn/tenants/"+harbour) + "/pipelines?sha=" + commit
	_, answer := o.tell(http.MethodGet, link, o.Credentials().GitToken, "application/json", "")
	var pipelines []struct{ Status string }
	if err := json.Unmarshal([]byte(answer), &pipelines); err != nil || len(pipelines) == 0 {
		o.t.Fatalf("%v: %s", err, answer)
	}
	files, _, err := git.ReadFiles("syn/cluster-catalogs/c-demo")
	o.must(err)
	var all strings.Builder
	for name, content := range files {
		all.WriteString(name + "\n" + string(content) + "\n")
	}
	return pipelines[0].Status, all.String()
}

func TestProjectSyn_CatalogCompiledUnlessFault(t *testing.T) {
	for scenario, want := range map[string]string{"happy": "success", "fact-missing": "failed", "compile-failure": "failed", "vault-secret-missing": "success"} {
		t.Run(scenario, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := open(t, Options{Scenario: scenario})
				defer o.close()
				o.connect()
				status, catalog := o.compile()
				if status != want {
					t.Fatalf("the pipeline is %s", status)
				}
				_, shown := o.tell(http.MethodGet, lieutenantURL+"/clusters/c-demo", o.Credentials().APIToken, "application/json", "")
				if strings.Contains(shown, "lastCompile") != (want == "success") {
					t.Errorf("Lieutenant knows: %s", shown)
				}
				if strings.Contains(catalog, "oidc-client") != (scenario == "vault-secret-missing") {
					t.Error("the secret that nobody makes is referred to in another scenario, or not in its own")
				}
			})
		})
	}
}

func TestProjectSyn_BootstrapTokenFaults(t *testing.T) {
	for scenario, lost := range map[string]bool{"happy": false, "token-expired": true, "token-used": true} {
		t.Run(scenario, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				o := open(t, Options{Scenario: scenario})
				defer o.close()
				o.connect()
				install := func() string {
					_, shown := o.tell(http.MethodGet, lieutenantURL+"/clusters/c-demo", o.Credentials().APIToken, "application/json", "")
					var found struct{ InstallURL string }
					o.must(json.Unmarshal([]byte(shown), &found))
					return found.InstallURL
				}
				if install() == "" {
					t.Fatal("there is no token at all")
				}
				time.Sleep(40 * time.Minute)
				if (install() == "") != lost {
					t.Errorf("after 40 minutes the link is %q", install())
				}
				o.must(o.ResetToken("c-demo"))
				if status, _ := o.tell(http.MethodGet, install(), "", "", ""); status != http.StatusOK {
					t.Errorf("after somebody has reset it: %d", status)
				}
			})
		})
	}
}

func TestProjectSyn_VaultAcceptsBothTokens(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{})
		defer o.close()
		o.connect()
		const vault = "https://vault-prod.syn.vshn.net/v1/"
		read := func(token, path string) int {
			client := o.Zone.Network().NewClient()
			defer client.CloseIdleConnections()
			request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, vault+"clusters/kv/data/"+path, nil)
			o.must(err)
			request.Header.Set("X-Vault-Token", token)
			response, err := client.Do(request)
			o.must(err)
			_ = response.Body.Close()
			return response.StatusCode
		}
		if got := read(o.Credentials().VaultToken, harbour+"/c-demo/steward"); got != http.StatusOK {
			t.Errorf("the operator wrote no token: %d", got)
		}
		queries := o.await(8250)
		_, answer := o.tell(http.MethodPost, vault+"auth/oidc/oidc/auth_url", "", "application/json",
			`{"redirect_uri": "http://localhost:8250/oidc/callback", "client_nonce": "cn"}`)
		var link struct {
			Data struct {
				URL string `json:"auth_url"`
			}
		}
		o.must(json.Unmarshal([]byte(answer), &link))
		o.must(o.SignIn(t.Context(), link.Data.URL))
		query := <-queries
		query.Set("client_nonce", "cn")
		status, answer := o.tell(http.MethodGet, vault+"auth/oidc/oidc/callback?"+query.Encode(), "", "", "")
		var signed struct {
			Auth struct {
				Token string `json:"client_token"`
			}
		}
		o.must(json.Unmarshal([]byte(answer), &signed))
		if status != http.StatusOK || read(signed.Auth.Token, harbour+"/c-demo/steward") != http.StatusOK {
			t.Errorf("%d", status)
		}
	})
}

func TestProjectSyn_Persists(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		dir := t.TempDir()
		o := open(t, Options{Dir: dir})
		o.connect()
		git, err := o.OpenGit()
		o.must(err)
		commit, err := git.Commit("syn/tenants/"+harbour, "Configure c-demo", map[string][]byte{"c-demo.yml": []byte(configured)})
		o.must(err)
		o.close()
		o = open(t, Options{Dir: dir})
		defer o.close()
		time.Sleep(3 * time.Minute)
		status, shown := o.tell(http.MethodGet, lieutenantURL+"/clusters/c-demo", o.Credentials().APIToken, "application/json", "")
		if status != http.StatusOK || !strings.Contains(shown, "installURL") {
			t.Errorf("%d %s", status, shown)
		}
		git, err = o.OpenGit()
		o.must(err)
		_, tip, err := git.ReadFiles("syn/tenants/" + harbour)
		o.must(err)
		if tip != commit {
			t.Errorf("the newest commit is %s, not %s", tip, commit)
		}
		var files map[string][]byte
		for range 60 { // the zone's clock slows down on a busy machine
			if status, _ := o.tell(http.MethodGet, "https://git.vshn.net/api/v4/user", o.Credentials().GitToken, "", ""); status != http.StatusOK {
				t.Error(status)
			}
			files, _, err = git.ReadFiles("syn/cluster-catalogs/c-demo")
			o.must(err)
			if len(files) > 0 {
				break
			}
			time.Sleep(time.Minute)
		}
		if len(files) == 0 {
			t.Error("the pipeline that was under way never ended")
		}
	})
}

func TestProjectSyn_Middleware(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		asked := 0
		o := open(t, Options{Syn: func(http.Handler) http.Handler {
			return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { asked++; w.WriteHeader(http.StatusTeapot) })
		}})
		defer o.close()
		if status, _ := o.tell(http.MethodGet, lieutenantURL+"/healthz", "", "", ""); status != http.StatusTeapot || asked != 1 {
			t.Errorf("%d", status)
		}
	})
}

func TestProjectSyn_ChallengesInDNS(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{})
		defer o.close()
		status, answer := o.tell(http.MethodPost, "https://acme-dns-api.vshn.net/register", "", "application/json", "{}")
		var account struct{ Username, Password, Fulldomain, Subdomain string }
		o.must(json.Unmarshal([]byte(answer), &account))
		if status != http.StatusCreated {
			t.Fatal(status)
		}
		value := strings.Repeat("x", 43)
		client := o.Zone.Network().NewClient()
		defer client.CloseIdleConnections()
		request, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "https://acme-dns-api.vshn.net/update",
			strings.NewReader(`{"subdomain": "`+account.Subdomain+`", "txt": "`+value+`"}`))
		o.must(err)
		request.Header.Set("X-Api-User", account.Username)
		request.Header.Set("X-Api-Key", account.Password)
		response, err := client.Do(request)
		o.must(err)
		_ = response.Body.Close()
		reply, err := o.Zone.Network().Resolver(t.Context(), new(dns.Msg).SetQuestion(dns.Fqdn(account.Fulldomain), dns.TypeTXT))
		o.must(err)
		if len(reply.Answer) != 1 || !strings.Contains(reply.Answer[0].String(), value) {
			t.Errorf("%s: %v", response.Status, reply.Answer)
		}
	})
}

func TestSimulateOperator_ActsOnScenario(t *testing.T) {
	for _, scenario := range []string{"token-expired", "token-used", "vault-secret-missing"} {
		t.Run(scenario, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				dir := t.TempDir()
				o := open(t, Options{Scenario: scenario, Dir: dir})
				o.connect()
				o.compile()
				time.Sleep(40 * time.Minute)
				o.close()
				o = open(t, Options{Dir: dir})
				defer o.close()
				o.must(o.SimulateOperator("c-demo"))
				_, shown := o.tell(http.MethodGet, lieutenantURL+"/clusters/c-demo", o.Credentials().APIToken, "application/json", "")
				if !strings.Contains(shown, "installURL") {
					t.Errorf("there is no valid token: %s", shown)
				}
				vault, err := o.OpenVault()
				o.must(err)
				if _, made := vault.ReadSecret(harbour + "/c-demo/oidc-client"); made != (scenario == "vault-secret-missing") {
					t.Errorf("the secret that nobody makes is there: %v", made)
				}
			})
		})
	}
}
