package day2script

import (
	"bytes"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"exoshift/cmd/exoshift/cli"
	"exoshift/cmd/exoshift/nodeverbs"
	"exoshift/cmd/exoshift/powerverbs"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/rehearsal"
)

// newScript returns a script of a file with that text. The verbs are only noted; one that names the node "broken" fails.
func newScript(t *testing.T, content string, done *[]string) Script {
	t.Helper()
	path := filepath.Join(t.TempDir(), "verbs.txt")
	if err := os.WriteFile(path, []byte(content), 0o600); err != nil {
		t.Fatal(err)
	}
	return Script{Path: path, NewRoot: func() *cobra.Command {
		root := &cobra.Command{Use: "exoshift", SilenceErrors: true, SilenceUsage: true}
		verbs := nodeverbs.NewCommand(cli.Streams{})
		root.AddCommand(verbs, &cobra.Command{Use: "destroy", RunE: func(*cobra.Command, []string) error { return nil }})
		power := powerverbs.NewCommands(cli.Streams{})
		root.AddCommand(power...)
		for _, verb := range append(verbs.Commands(), power...) {
			verb.RunE = func(cmd *cobra.Command, args []string) error {
				yes, _ := cmd.Flags().GetBool("yes")
				*done = append(*done, strings.Join(append([]string{cmd.Name()}, args...), " ")+" in "+filepath.Base(cmd.Flag("dir").Value.String()))
				if yes == (cmd.Name() == "list") || slices.Contains(args, "broken") {
					return errors.New("it fails")
				}
				return nil
			}
		}
		return root
	}}
}

func TestScript_Rehearse(t *testing.T) {
	for name, c := range map[string]struct {
		content string
		want    []string // "install" is the installation
		says    string
	}{
		"verbs one after the other": {"# day two\nnodes list\n\nexoshift nodes remove worker-3 --timeout 5m\n  nodes add --group workers --count 2\n",
			[]string{"install", "list in cluster", "remove worker-3 in cluster", "add in cluster"}, ""},
		"the first that fails is the last": {"nodes remove broken\nnodes list\n", []string{"install", "remove broken in cluster"}, "it fails"},
		"another verb":                     {"nodes list\ndestroy\n", nil, "verbs.txt:2: destroy: a script only has verbs for an installed cluster"},
		"an unknown flag":                  {"nodes remove worker-3 --now\n", nil, "verbs.txt:1: unknown flag: --now"},
		"a folder":                         {"nodes list --dir elsewhere\n", nil, "--dir is that of the rehearsal"},
		"nothing":                          {"# later\n", nil, "it has no verb"},
		"verbs of the whole cluster":       {"stop --without-backup\nstart\n", []string{"install", "stop in cluster", "start in cluster"}, ""},
		"no time to wait":                  {"wait\n", nil, "verbs.txt:1: wait: give one duration"},
		"a word to wait":                   {"wait long\n", nil, "wait long: give a duration of at most 2880h0m0s"},
		"a time that has passed":           {"wait -1h\n", nil, "wait -1h: give a duration"},
		"a group of verbs":                 {"nodes\n", nil, "a script only has verbs for an installed cluster"},
	} {
		var done []string
		script := newScript(t, c.content, &done)
		r := rehearsal.Rehearsal{}
		r.Dir = filepath.Join(t.TempDir(), "cluster")
		var out bytes.Buffer
		err := script.Rehearse(t.Context(), cli.Options{Output: cli.OutputPlain}, cli.Streams{Out: &out, Err: &out}, &r, func() error {
			done = append(done, "install")
			return nil
		})
		if (err == nil) != (c.says == "") || err != nil && !strings.Contains(err.Error(), c.says) || !slices.Equal(done, c.want) {
			t.Errorf("%s: %v, %q", name, err, done)
		}
		if c.want == nil && exit.Code(err) != exit.Usage {
			t.Errorf("%s: exit code %d", name, exit.Code(err))
		}
	}
	missing := Script{Path: filepath.Join(t.TempDir(), "none")}
	if err := missing.Rehearse(t.Context(), cli.Options{}, cli.Streams{}, &rehearsal.Rehearsal{}, func() error { return nil }); exit.Code(err) != exit.Usage {
		t.Errorf("a file that is missing: %v", err)
	}
}
