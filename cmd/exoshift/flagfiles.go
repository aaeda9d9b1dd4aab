package main

import (
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/viper"
	"golang.org/x/crypto/ssh"

	"exoshift/internal/app/exit"
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

func (o options) newNetwork() network.Network {
	n := network.Host()
	n.HostKeys = o.hostKeys
	return n
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
