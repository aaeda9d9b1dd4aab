package main

import (
	"bytes"
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"filippo.io/age"

	"exoshift/cmd/exoshift/cli"
	"exoshift/internal/app/exit"
	"exoshift/state"
)

func TestReadLine_EOFIsNotYes(t *testing.T) {
	for input, want := range map[string]string{"y\n": "y", "y": "", "": ""} {
		if got, err := (cli.Streams{In: strings.NewReader(input)}).ReadLine(t.Context()); err != nil || got != want {
			t.Errorf("%q is read as %q, %v", input, got, err)
		}
	}
}

func TestReadLine_EndsWithContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	in, typing := io.Pipe()
	t.Cleanup(func() { _ = typing.Close() })
	if _, err := (cli.Streams{In: in}).ReadLine(ctx); !errors.Is(err, context.Canceled) {
		t.Errorf("ended with %v", err)
	}
}

func TestVerbs_StoppedBeforeAnythingWasChanged(t *testing.T) {
	clusters := atHome(t)
	t.Setenv("EXOSCALE_API_KEY", "EXO0123456789abcdef01234567")
	t.Setenv("EXOSCALE_API_SECRET", "s3cr3t")
	identity := filepath.Join(t.TempDir(), "identity.txt")
	key, err := age.GenerateX25519Identity()
	if err = errors.Join(err, os.WriteFile(identity, []byte(key.String()), 0o600)); err != nil {
		t.Fatal(err)
	}
	t.Setenv("EXOSHIFT_AGE_IDENTITY", identity)
	begun(t, filepath.Join(clusters, "c-demo-1"), state.Facts{ClusterID: "c-demo-1", Installed: time.Now().Add(-48 * time.Hour), InfraID: "c-demo-1-abcde"})
	stopped, stop := context.WithCancel(t.Context())
	stop()
	for _, line := range []string{
		"destroy --confirm-destroy c-demo-1", "nodes add --group workers --count 1 --yes", "nodes remove worker-0 --yes", "nodes replace worker-0 --yes",
		"nodes replace lb-0 --yes", "nodes replace master-0 --yes", "nodes resize --group workers --type standard.huge --yes", "upgrade --to 4.20.9 --yes",
		"backup create --yes", "backup prune --keep 1 --yes", "stop --yes", "start --yes", "repair certificates --yes", "rotate api-keys --yes", "rotate kubeconfig --yes",
		"recover etcd --from-member master-0 --yes", "restore objects --from latest --kind configmaps --yes",
	} {
		var out, problems bytes.Buffer
		code := execute(stopped, strings.Fields(line+" --output plain"), cli.Streams{In: strings.NewReader(""), Out: &out, Err: &problems})
		if want := "exoshift: stopped before anything was changed\n  resume with the same command\n"; code != exit.Interrupted || problems.String() != want {
			t.Errorf("%s: exit code %d\n%s%s", line, code, out.String(), problems.String())
		}
	}
}
