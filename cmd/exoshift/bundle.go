package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"exoshift/internal/bundle"
	"exoshift/internal/console"
	"exoshift/internal/redact"
	"exoshift/state"
	"exoshift/wizard"
)

// packed is how the name of a bundle ends.
const packed = ".tar.gz"

func bundleCommand(std streams) *cobra.Command {
	var out string
	cmd := &cobra.Command{
		Use:   "bundle",
		Short: "Pack a cluster's folder for those who help, without secrets and names",
		Long: `Pack a cluster's folder for those who help, without secrets and names.

The archive holds the answers, the facts, the journal, the events, the log and what was gathered after failures. Secrets,
public addresses, domains and names are replaced by tokens, the same by the same, so that it can still be followed. Files
that hold keys or certificates are not in it. What the tokens of addresses and names stand for is written to a file beside
it, which is for you alone. Look through the archive before you send it.`,
		RunE: func(cmd *cobra.Command, _ []string) error {
			o, err := bind(cmd, std)
			if err != nil {
				return err
			}
			return pack(o, out, std)
		},
	}
	dirFlag(cmd, "the cluster's folder (default: the only one below $XDG_STATE_HOME/exoshift)")
	cmd.Flags().StringVar(&out, "out", "", "the archive, which must not exist yet (default exoshift-bundle-<time>"+packed+" in this directory)")
	cmd.Flags().String("output", string(outputPlain), "how to tell what was replaced: plain or json")
	return cmd
}

// pack writes the archive and what its tokens mean, and tells what was replaced.
func pack(o options, out string, std streams) error {
	folder, err := existingFolder(o.dir)
	if err != nil {
		return usageError{err}
	}
	if out == "" {
		out = "exoshift-bundle-" + time.Now().UTC().Format("20060102T150405Z") + packed
	}
	meanings := strings.TrimSuffix(out, packed) + ".tokens.json"
	for _, name := range []string{out, meanings} {
		if _, err := os.Lstat(name); err == nil {
			return usageError{fmt.Errorf("%s exists already; name another file with --out", name)}
		}
	}
	made, err := bundle.Pack(folder, knowing(folder))
	if err != nil {
		return err
	}
	if err := write(out, made.Archive); err != nil {
		return err
	}
	key, err := json.MarshalIndent(made.Meanings, "", " ")
	if err == nil {
		err = write(meanings, append(key, '\n'))
	}
	if err != nil {
		return errors.Join(err, os.Remove(out))
	}
	if o.output.json() {
		return json.NewEncoder(std.out).Encode(bundled{"bundle", out, meanings, made})
	}
	console.Bundle(std.out, made, out, meanings)
	return nil
}

// bundled is what is told of a bundle in JSON.
type bundled struct {
	Type   string `json:"type"`
	Path   string `json:"path"`
	Tokens string `json:"tokens"` // the file that says what they stand for
	bundle.Bundle
}

func write(name string, content []byte) error {
	err := bundle.Create(name, content)
	if errors.Is(err, fs.ErrExist) || errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return usageError{fmt.Errorf("write the bundle: %w; name another file with --out", err)}
	}
	return err
}

// knowing returns a redactor that knows who the folder's cluster is, and the secrets that its answers lead to. Answers
// that are damaged keep nobody from asking for help.
func knowing(folder state.Folder) *redact.Redactor {
	r := redact.New()
	facts, _ := folder.Facts()
	r.Identity(redact.Cluster, facts.ClusterID)
	r.Identity(redact.Path, folder.Path())
	if home, err := os.UserHomeDir(); err == nil && home != string(filepath.Separator) {
		r.Identity(redact.Path, home)
	}
	content, _ := folder.Read(state.AnswersFile)
	spec, _ := wizard.Parse(state.AnswersFile, content)
	if spec.Cluster.ID != facts.ClusterID {
		r.Identity(redact.Cluster, spec.Cluster.ID)
	}
	r.Identity(redact.Domain, spec.Cluster.BaseDomain)
	r.Identity(redact.Domain, spec.DNS.AppsDomain)
	for _, name := range []string{spec.Cluster.DisplayName, spec.Syn.Tenant, spec.Exoscale.DeployTarget} {
		r.Identity(redact.Tenant, name)
	}
	lookup := environment
	if facts.Rehearsal {
		lookup = rehearsalSecrets
	}
	secrets, _ := wizard.ResolveSecrets(spec, lookup) // those that are gone can only be known by their form
	r.Secret(redact.Key, secrets.APIKey)
	r.Secret(redact.Key, secrets.APISecret)
	r.Secret(redact.Password, secrets.PullSecret)
	r.Learn([]byte(secrets.PullSecret))
	return r
}
