// Package request is what several verbs are asked for: answers, a folder, keys, and the command that asks for the same again.
package request

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"al.essio.dev/pkg/shellescape"
	"golang.org/x/crypto/ssh"

	"exoshift/internal/app/clusterdir"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/layers"
	"exoshift/internal/app/run"
	"exoshift/internal/app/sharedstate"
	"exoshift/internal/fileread"
	"exoshift/internal/network"
	"exoshift/provisioner/handover"
	"exoshift/provisioner/install"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/answersfile"
	"exoshift/wizard/reach"
)

// HostKeysFlag is the name of the flag that Request.HostKeysFile is given by.
const HostKeysFlag = "host-keys"

// Names of the flags that Request.NoRepair and Request.WaitOnFailure are given by.
const (
	NoRepairFlag      = "no-repair"
	WaitOnFailureFlag = "wait-on-failure"
)

// ImageFromFlag is the name of the flag that Request.ImageFromZone is given by.
const ImageFromFlag = "image-from"

// Request is what several verbs are asked for.
type Request struct {
	Answers, Dir    string
	Set             []string // answers of the form KEY=VALUE
	Yes             bool
	Interactive     bool // a person can be asked
	Accessible      bool // by plain lines
	WaitForDNS      time.Duration
	Installer       string            // path of an openshift-install to use; "" downloads it
	ReleaseKey      string            // path of the OpenPGP key that verifies downloads; "" for the publisher's
	HostKeysFile    string            // "" for the pinned keys
	HostKeys        map[string]string // those in that file, by host
	Renew           bool              // renew expired certificates
	NewKeys         []string          // nodes allowed to get their first certificate for one more key
	BootstrapAccess bool              // open the bootstrap machine to our own address
	TrustToken      bool              // start machines whatever the age of the bootstrap token
	ImageFromZone   bool              // have the node image copied by a machine in the zone
	NoRepair        bool              // repair nothing that is found to be wrong
	WaitOnFailure   bool              // go on to the time limits although nothing can mend what is wrong
	Program         string            // name, version and system of this program
	Host            *environment.Host // nil: one whose clock is the wall clock

	Plan    string               // hash of the plan that was approved; "" for any
	State   *sharedstate.Address // where the cluster's folder is kept; nil: on this machine, see Dir
	ID      string               // of the cluster there
	Private *state.Folder        // the private copy of its folder; nil: none
}

// FormatShared returns the shared state that the private copy comes from, and the cluster's ID there; "" without one.
func (r Request) FormatShared() string {
	if r.Private == nil {
		return ""
	}
	return r.State.Text + " " + r.ID
}

// CreateFolder creates or opens the folder of a cluster.
func (r Request) CreateFolder(spec state.Spec) (state.Folder, error) {
	if r.Private != nil {
		return *r.Private, nil
	}
	return clusterdir.CreateFor(r.Dir, spec)
}

// RunOptions returns the options of an installation.
func (r Request) RunOptions() run.Options {
	return run.Options{
		Program: r.Program,
		Answers: r.Answers, WaitForDNS: r.WaitForDNS, Installer: r.Installer, Renew: r.Renew, NewKeys: r.NewKeys, BootstrapAccess: r.BootstrapAccess, TrustToken: r.TrustToken,
		ImageFromZone: r.ImageFromZone, NoRepair: r.NoRepair, WaitOnFailure: r.WaitOnFailure,
	}
}

// MergeLayers returns the answers of all layers.
func (r Request) MergeLayers() (*answersfile.MergedAnswers, error) {
	given, err := r.ReadLayers()
	if err != nil {
		return nil, err
	}
	return given.Merge()
}

// ReadLayers reads all layers of the answers.
func (r Request) ReadLayers() (layers.Layers, error) {
	given, err := layers.Read(r.Answers, r.Set)
	if err != nil {
		return given, err
	}
	return given.WithInForce(r.Dir)
}

// OpenNetwork opens the network of this machine; with the environment of a standing zone, that zone's.
func (r Request) OpenNetwork(ctx context.Context) (network.Network, error) {
	n, err := r.Host.Open(ctx)
	n.HostKeys = r.HostKeys
	return n, err
}

// ReadHostKeys returns the keys in a known_hosts file, by host; nil without a file. The first key of a host wins.
func ReadHostKeys(path string) (map[string]string, error) {
	if path == "" {
		return nil, nil
	}
	content, err := fileread.Text(path, fileread.Small)
	if err != nil {
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("--%s: %w", HostKeysFlag, err))
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
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("--%s %s: no host key found; a line has the form git.example.net ssh-ed25519 AAAA…", HostKeysFlag, path))
	}
	return keys, nil
}

// FormatKnownHosts returns the file that ReadHostKeys reads these keys of.
func FormatKnownHosts(keys map[string]string) []byte {
	var lines strings.Builder
	for _, host := range slices.Sorted(maps.Keys(keys)) {
		fmt.Fprintf(&lines, "%s %s\n", host, keys[host])
	}
	return []byte(lines.String())
}

// ReadReleaseKey returns the key that verifies downloads; nil for the publisher's.
func (r Request) ReadReleaseKey() ([]byte, error) {
	if r.ReleaseKey == "" {
		return nil, nil
	}
	key, err := fileread.Text(r.ReleaseKey, fileread.Small)
	if err != nil {
		return nil, exit.WithCode(exit.Usage, fmt.Errorf("--release-key: %w", err))
	}
	return key, nil
}

// OpenRun returns a run on the network of this machine.
func (r Request) OpenRun(ctx context.Context, spec state.Spec, secrets wizard.Secrets, folder state.Folder) (s run.Run, err error) {
	net, err := r.OpenNetwork(ctx)
	if err != nil {
		return s, err
	}
	s = run.Run{
		Spec: spec, Secrets: secrets, Folder: folder, Net: net, Options: r.RunOptions(), Agent: environment.NewSSHAgent(),
		Access:    environment.NewOwnAccess().SetInteractive(r.Interactive),
		Locations: handover.Locations{Folder: folder.Path(), Resume: r.FormatCommand("install")},
	}
	if r.Private != nil {
		s.Private, s.Locations.Folder, s.Locations.State = true, "", r.FormatShared() // the copy goes when the run ends
	}
	if key, err := r.ReadReleaseKey(); err != nil {
		return s, err
	} else if key != nil {
		s.Net.ReleaseKey = key
	}
	s.Cache, err = environment.CacheDir()
	return s, err
}

// FormatCommand returns the command that asks a verb, which may have several words, for the same again.
func (r Request) FormatCommand(verb string, more ...string) string {
	words := append([]string{"exoshift"}, strings.Fields(verb)...)
	if r.Answers != "" {
		words = append(words, "--answers", r.Answers)
	}
	for _, assignment := range r.Set {
		words = append(words, "--set", assignment)
	}
	if r.State != nil {
		words = append(words, "--state", r.State.Text, r.ID)
	} else if r.Dir != "" {
		words = append(words, "--dir", r.Dir)
	}
	for _, flag := range []struct {
		given bool
		words []string
	}{
		{r.Yes, []string{"--yes"}},
		{r.Accessible, []string{"--accessible"}},
		{r.WaitForDNS != install.DefaultWaitForDNS, []string{"--wait-for-dns", r.WaitForDNS.String()}},
		{r.Installer != "", []string{"--openshift-install", r.Installer}},
		{r.ReleaseKey != "", []string{"--release-key", r.ReleaseKey}},
		{r.HostKeysFile != "", []string{"--" + HostKeysFlag, r.HostKeysFile}},
		{r.Renew, []string{"--renew-certificates"}},
		{r.ImageFromZone, []string{"--" + ImageFromFlag, reach.Zone}},
		{!r.BootstrapAccess, []string{"--bootstrap-access=false"}},
		{r.NoRepair, []string{"--" + NoRepairFlag}},
		{r.WaitOnFailure, []string{"--" + WaitOnFailureFlag}},
	} {
		if flag.given {
			words = append(words, flag.words...)
		}
	}
	return shellescape.QuoteCommand(append(words, more...))
}
