package main

import (
	"context"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/viper"
	"golang.org/x/crypto/ssh"

	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/run"
	"exoshift/internal/fileread"
	"exoshift/internal/network"
)

const hostKeysName = "host-keys"

func addHostKeysFlag(cmd *cobra.Command) {
	cmd.Flags().String(hostKeysName, "", "trust the SSH host keys in this file, as in known_hosts, in the place of those that are pinned for the same hosts, e.g. for a mirror")
}

// bindHostKeys reads the file of the flag, if the command has it.
func (o *options) bindHostKeys(cmd *cobra.Command, layers *viper.Viper) (err error) {
	if cmd.Flags().Lookup(hostKeysName) == nil {
		return nil
	}
	o.hostKeysFile = layers.GetString(hostKeysName)
	o.hostKeys, err = readHostKeys(o.hostKeysFile)
	return err
}

// openNetwork opens the network of this machine; with the environment of a standing zone, that zone's.
func (o options) openNetwork(ctx context.Context) (network.Network, error) {
	n, err := o.host.Open(ctx)
	n.HostKeys = o.hostKeys
	return n, err
}

// readHostKeys returns the keys in a known_hosts file, by host; nil without a file. The first key of a host wins.
func readHostKeys(path string) (map[string]string, error) {
	if path == "" {
		return nil, nil
	}
	content, err := fileread.Text(path, fileread.Small)
	if err != nil {
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("--%s: %w", hostKeysName, err))
	}
	keys := map[string]string{}
	for line := range strings.Lines(string(content)) {
		marker, hosts, key, _, _, err := ssh.ParseKnownHosts([]byte(line))
		if err != nil || marker != "" {
			continue
		}
		for _, host := range hosts {
			if host != "" && !strings.ContainsAny(host, "*?!|#@") && keys[host] == "" { // patterns and hashes are skipped
				keys[host] = strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key)))
			}
		}
	}
	if len(keys) == 0 {
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("--%s %s: there is no host key in it; a line is: git.example.net ssh-ed25519 AAAA…", hostKeysName, path))
	}
	return keys, nil
}

func formatKnownHosts(keys map[string]string) []byte {
	var lines strings.Builder
	for _, host := range slices.Sorted(maps.Keys(keys)) {
		fmt.Fprintf(&lines, "%s %s\n", host, keys[host])
	}
	return []byte(lines.String())
}

func (o options) readReleaseKey() ([]byte, error) {
	if o.releaseKey == "" {
		return nil, nil
	}
	key, err := fileread.Text(o.releaseKey, fileread.Small)
	if err != nil {
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("--release-key: %w", err))
	}
	return key, nil
}

// toAbsolutePath prevents a lookup in PATH; "" stays.
func toAbsolutePath(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	whole, err := filepath.Abs(path)
	if err != nil {
		return "", exit.WithCode(exit.Usage, fmt.Errorf("%s: %w", path, err))
	}
	return whole, nil
}

func (o options) newDisplay(std streams) runDisplay {
	return runDisplay{output: o.output, ascii: o.ascii, std: std}
}

// options are the flags that several verbs share. Each can also be set as EXOSHIFT_<FLAG>.
type options struct {
	answers, dir    string
	set             []string // answers of the form KEY=VALUE
	output          output
	ascii           bool // the dashboard uses only ASCII
	yes             bool
	waitForDNS      time.Duration
	installer       string            // path of an openshift-install to use; "" downloads it
	releaseKey      string            // path of the OpenPGP key that verifies downloads; "" for the publisher's
	hostKeysFile    string            // "" for the pinned keys
	hostKeys        map[string]string // those in that file, by host
	renew           bool              // renew expired certificates
	newKeys         []string          // nodes allowed to get their first certificate for one more key
	bootstrapAccess bool              // open the bootstrap machine to our own address
	host            *environment.Host // nil: one whose clock is the wall clock
}

func (o options) runOptions() run.Options {
	return run.Options{
		Answers: o.answers, WaitForDNS: o.waitForDNS, Installer: o.installer, Renew: o.renew, NewKeys: o.newKeys, BootstrapAccess: o.bootstrapAccess,
	}
}
