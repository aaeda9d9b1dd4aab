package vault_test

import (
	"net"
	"testing"
	"testing/synctest"

	"exoshift/internal/simcloud"
	"exoshift/provisioner/syn/vault"
	"exoshift/state"
)

func TestZone_EngineerSignsInAndWrites(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		zone, err := simcloud.Open(t.Context(), simcloud.Options{Zone: "ch-gva-2", Key: "EXOkey", Secret: "secret"})
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = zone.Close() }()
		w := &world{t: t}
		client := vault.New(zone.Network(), vault.Options{
			Address: "https://vault-prod.syn.vshn.net", Method: "oidc", Listen: func() (net.Listener, error) { return zone.Listen(8250) },
		})
		if err := client.SignIn(t.Context(), zone.SignIn); err != nil {
			t.Fatal(err)
		}
		const path = "t-quiet-harbour-4711/c-demo/registry"
		if err := client.Check(t.Context(), "t-quiet-harbour-4711/c-demo"); err != nil {
			t.Error(err)
		}
		action, err := client.EnsureSecret(t.Context(), path, map[string]string{"httpSecret": "x"})
		w.wantAction(action, err, state.Created)
		token := vault.New(zone.Network(), vault.Options{Address: "https://vault-prod.syn.vshn.net", Token: zone.Credentials().VaultToken})
		if err := token.SignIn(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
		action, err = token.EnsureSecret(t.Context(), path, map[string]string{"httpSecret": "y"})
		w.wantAction(action, err, state.Found)
	})
}
