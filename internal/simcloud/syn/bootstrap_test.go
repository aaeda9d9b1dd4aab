package syn

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/simcloud/scenario"
)

func TestInstallManifest_ServedOnce(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := created(t, Config{})
		link := installLink(w.get("/clusters/c-demo"))
		answer := w.send(http.MethodGet, link, "", "Authorization", "")
		if answer.Status != http.StatusOK {
			t.Fatal(answer)
		}
		var list struct {
			Kind  string
			Items []struct {
				Kind       string
				StringData map[string]string
			}
		}
		must(t, json.Unmarshal(answer.Body, &list))
		var kinds []string
		for _, item := range list.Items {
			kinds = append(kinds, item.Kind)
		}
		want := "List: Namespace ClusterRole ClusterRoleBinding ServiceAccount Deployment Secret"
		if got := list.Kind + ": " + strings.Join(kinds, " "); got != want {
			t.Errorf("it has %s, want %s", got, want)
		}
		if got, want := list.Items[5].StringData["token"], w.secrets["t-quiet-harbour-4711/c-demo/steward"]; got != want || got == "" {
			t.Error("Vault has another token")
		}
		if again := w.send(http.MethodGet, link, ""); again.Status != http.StatusUnauthorized || again.Reason != "Token already used or expired" {
			t.Errorf("the second time: %s", again)
		}
		if installLink(w.get("/clusters/c-demo")) != "" {
			t.Error("the link is still shown")
		}
		must(t, w.ResetToken("c-demo"))
		if other := installLink(w.get("/clusters/c-demo")); other == link || w.send(http.MethodGet, other, "").Status != http.StatusOK {
			t.Errorf("after a reset: %s", other)
		}
	})
}

func TestInstallManifest_ExpiredTokenUntilReconcile(t *testing.T) {
	for name, life := range map[string]time.Duration{"as long as usual": 0, "half an hour": 30 * time.Minute} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				w := created(t, Config{Faults: scenario.Lieutenant{TokenLife: life}})
				link := installLink(w.get("/clusters/c-demo"))
				if life == 0 {
					life = 24 * time.Hour
				}
				time.Sleep(life - time.Second)
				if installLink(w.get("/clusters/c-demo")) == "" {
					t.Error("it ended early")
				}
				time.Sleep(time.Second)
				if installLink(w.get("/clusters/c-demo")) != link {
					t.Error("the operator looked at once")
				}
				if answer := w.send(http.MethodGet, link, ""); answer.Status != http.StatusUnauthorized {
					t.Error(answer)
				}
				time.Sleep(5 * time.Minute)
				if installLink(w.get("/clusters/c-demo")) != "" {
					t.Error("the operator never looked")
				}
			})
		})
	}
}

func TestInstallManifest_UsedByOther(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := created(t, Config{Faults: scenario.Lieutenant{UsedAfter: 15 * time.Minute}})
		link := installLink(w.get("/clusters/c-demo"))
		time.Sleep(15 * time.Minute)
		if answer := w.send(http.MethodGet, link, ""); answer.Status != http.StatusUnauthorized {
			t.Error(answer)
		}
		must(t, w.ResetToken("c-demo"))
		if link := installLink(w.get("/clusters/c-demo")); w.send(http.MethodGet, link, "").Status != http.StatusOK {
			t.Error("the token that somebody reset is of no use")
		}
	})
}

func TestLieutenant_RequiresTrustedToken(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := created(t, Config{})
		for header, want := range map[string]int{
			"": 400, "Bearer": 400, "Bearer ": 400, "Basic YTpi": 400, w.token: 400, "Bearer abc": 500, "Bearer " + w.token + "x": 500, "bearer " + w.token: 200,
		} {
			answer := w.send(http.MethodGet, "/clusters", "", "Authorization", header)
			if answer.Status != want {
				t.Errorf("%.10s: %s", header, answer)
			}
			if want == 400 && answer.Reason != "missing or malformed jwt" || want == 500 && answer.Reason != "failed to get server groups: the server has asked for the client to provide credentials" {
				t.Errorf("%.10s: %s", header, answer)
			}
		}
		for _, path := range []string{"/", "/healthz", "/docs", "/openapi.json"} {
			if answer := w.send(http.MethodGet, path, "", "Authorization", ""); answer.Status != http.StatusOK {
				t.Errorf("%s: %s", path, answer)
			}
		}
	})
}

func TestLieutenant_ClusterReportsItselfOnly(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		w := created(t, Config{})
		w.get("/clusters/c-demo")
		w.token = w.secrets["t-quiet-harbour-4711/c-demo/steward"]
		for path, allowed := range map[string]bool{
			"GET /clusters/c-demo": true, "PATCH /clusters/c-demo": true, "POST /clusters/c-demo/compileMeta": true,
			"DELETE /clusters/c-demo": false, "GET /clusters": false, "GET /tenants": false, "GET /tenants/t-quiet-harbour-4711": false,
			"GET /clusters/c-old-mill-1234": false, "PATCH /clusters/c-old-mill-1234": false, "GET /clusters/c-none": false,
		} {
			method, path, _ := strings.Cut(path, " ")
			answer := w.send(method, path, map[string]string{"PATCH": `{"dynamicFacts": {"a": 1}}`, "POST": `{}`}[method])
			if (answer.Status < 300) != allowed || !allowed && answer.Status != http.StatusForbidden {
				t.Errorf("%s %s: %s", method, path, answer)
			}
		}
		const want = "clusters.syn.tools 'c-none' is forbidden: User 'system:serviceaccount:lieutenant:c-demo' cannot get resource 'clusters' " +
			"in API group 'syn.tools' in the namespace 'lieutenant'"
		if answer := w.send(http.MethodGet, "/clusters/c-none", ""); answer.Reason != want {
			t.Error(answer)
		}
		if id, ok := w.FindClusterByToken(w.token); !ok || id != "c-demo" {
			t.Errorf("the token is of %q", id)
		}
	})
}
