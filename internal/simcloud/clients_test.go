package simcloud

import (
	"context"
	"net"
	"slices"
	"strings"
	"testing"
	"testing/synctest"

	"exoshift/internal/fault"
	"exoshift/provisioner/syn/catalog"
	"exoshift/provisioner/syn/lieutenant"
	"exoshift/provisioner/syn/signin"
	"exoshift/state"
)

// browses signs the operator in with a browser.
func (o *operator) browses() *lieutenant.Client {
	network := o.Network()
	anonymous := lieutenant.New(network, "https://api.syn.vshn.net", nil)
	return lieutenant.New(network, "https://api.syn.vshn.net", signin.New(signin.Options{
		Network: network, API: "https://api.syn.vshn.net", Services: anonymous.Discover,
		Listen: func() (net.Listener, error) { return o.Listen(18000) },
	}))
}

func TestZone_LieutenantClient(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{})
		defer o.close()
		client := o.browses()
		o.must(client.SignIn(t.Context(), o.SignIn))
		tenant, err := client.GetTenant(t.Context(), harbour)
		o.must(err)
		if tenant.DisplayName != "Harbour Ltd" || tenant.Config.URL != "ssh://git@git.vshn.net/syn/tenants/t-quiet-harbour-4711.git" {
			t.Errorf("%+v", tenant)
		}
		wanted := state.SynCluster{ID: "c-demo", Tenant: harbour, Facts: map[string]string{"cloud": "exoscale", "distribution": "openshift4", "region": region}}
		for _, want := range []state.Action{state.Created, state.Found} {
			made, action, err := client.EnsureCluster(t.Context(), wanted)
			o.must(err)
			if action != want || made.Catalog.URL == "" || made.Catalog.HostKeys == "" || made.InstallURL == "" {
				t.Errorf("%v: %+v", action, made)
			}
		}
		_, err = client.EnsureDynamicFacts(t.Context(), "c-demo", map[string]any{"openshiftVersion": map[string]any{"Major": "4"}})
		o.must(err)
		found, err := client.GetCluster(t.Context(), "c-demo")
		o.must(err)
		manifest, err := client.FetchInstallManifest(t.Context(), found.InstallURL)
		o.must(err)
		if !strings.Contains(string(manifest), `"Deployment"`) {
			t.Errorf("%s", manifest)
		}
		if _, err := client.FetchInstallManifest(t.Context(), found.InstallURL); !fault.Is(err, fault.Conflict) {
			t.Errorf("twice: %v", err)
		}
		_, err = client.DeleteCluster(t.Context(), "c-demo")
		o.must(err)
		if _, err := client.GetCluster(t.Context(), "c-demo"); !fault.Is(err, fault.NotFound) {
			t.Errorf("it still exists: %v", err)
		}
	})
}

func TestZone_CompilesAndFetchesCatalog(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		o := open(t, Options{})
		defer o.close()
		o.connect()
		client := lieutenant.New(o.Network(), "https://api.syn.vshn.net", given(o.Credentials().APIToken))
		tenant, err := client.GetTenant(t.Context(), harbour)
		o.must(err)
		cluster, err := client.GetCluster(t.Context(), "c-demo")
		o.must(err)
		access := catalog.Access{Token: o.Credentials().GitToken}
		git, compiler := catalog.NewGit(o.Network(), access), catalog.NewCompiler(o.Network(), access, catalog.Commodore{})
		_, err = compiler.CheckReady(t.Context(), tenant, cluster)
		o.must(err)
		difference, err := git.Commit(t.Context(), tenant.Config, "c-demo.yml", []state.YAMLEdit{
			{Path: []string{"applications"}, Item: "cilium"},
			{Path: []string{"parameters", "openshift", "baseDomain"}, Value: "c-demo.example.net"},
			{Path: []string{"parameters", "openshift", "infraID"}, Value: "TO_BE_DEFINED"},
			{Path: []string{"parameters", "openshift", "clusterID"}, Value: "TO_BE_DEFINED"},
		}, "Configure c-demo")
		o.must(err)
		o.must(compiler.Compile(t.Context(), tenant, cluster, difference.Commit, func(string) {}))
		dir := t.TempDir()
		_, err = git.Fetch(t.Context(), cluster.Catalog, dir)
		o.must(err)
		wanted, err := git.ListWantedSecrets(dir, state.DefaultVaultMount)
		o.must(err)
		steward := state.VaultSecret{Path: harbour + "/c-demo/steward", Key: "token"}
		if !slices.Contains(wanted, steward) {
			t.Errorf("the catalog wants %v", wanted)
		}
	})
}

// given is a static token.
type given string

func (given) SignIn(context.Context, func(context.Context, string) error) error { return nil }

func (g given) Token(context.Context) (string, error) { return string(g), nil }
