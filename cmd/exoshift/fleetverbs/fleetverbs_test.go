package fleetverbs

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"filippo.io/age"
	"github.com/creack/pty"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/fleet"
	"exoshift/internal/app/sharedstate"
)

// TestOpen_ShowsSignIn: whoever has the identity of shared state in Vault is shown where to sign in.
func TestOpen_ShowsSignIn(t *testing.T) {
	home := t.TempDir()
	t.Setenv("XDG_STATE_HOME", home)
	t.Setenv("TERM", "xterm")
	identity, err := age.GenerateX25519Identity()
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(home, "identity")
	if err := os.WriteFile(file, []byte(identity.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv(sharedstate.IdentityVariable, file)
	terminal, tty, err := pty.Open()
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	defer tty.Close()
	var complaints bytes.Buffer
	std := cli.Streams{In: tty, Out: tty, Err: &complaints}
	address := "file://" + filepath.Join(home, "shared")
	at, err := sharedstate.ParseAddress(address)
	if err != nil {
		t.Fatal(err)
	}
	access := sharedstate.Access{Address: at, Lookup: os.LookupEnv}
	if _, err := access.Initialize(t.Context(), []string{identity.Recipient().String()}, ""); err != nil {
		t.Fatal(err)
	}
	cmd := newStatusCommand(std)
	cmd.SetContext(t.Context())
	if err := cmd.ParseFlags([]string{"--state", address}); err != nil {
		t.Fatal(err)
	}
	v, end, err := open(cmd, std)
	if err != nil {
		t.Fatal(err)
	}
	defer end()
	const link = "https://id.example.net/auth"
	if show := v.access.Person.Show; show == nil || show(t.Context(), link) != nil || !strings.Contains(complaints.String(), link) {
		t.Errorf("the link is not shown: %q", complaints.String())
	}
}

// TestView_MarksWhatNeedsAttention: a cluster that is gone needs none.
func TestView_MarksWhatNeedsAttention(t *testing.T) {
	rows := view{fleet: fleet.Fleet{Now: time.Now}}.newRows([]fleet.Cluster{
		{ID: "c-gone", Phase: fleet.PhaseDestroyed}, {ID: "c-elsewhere", Phase: fleet.PhaseElsewhere}, {ID: "c-new", Phase: fleet.PhaseNew},
	})
	if rows[0].Faulty || rows[1].Faulty || !rows[2].Faulty {
		t.Errorf("marked: %t, %t, %t", rows[0].Faulty, rows[1].Faulty, rows[2].Faulty)
	}
}
