// Package connectivity checks what a cluster has to reach: from this machine, from a machine in the zone, or from a host by SSH.
package connectivity

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"exoshift/assets"
	"exoshift/internal/app/exit"
	"exoshift/internal/fault"
	"exoshift/internal/fileread"
	"exoshift/internal/network"
	"exoshift/provisioner/remoterun"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe"
	"exoshift/wizard/reach/probe/connection"
)

// Subject is the cluster to check, as far as it is known.
type Subject struct {
	Spec    state.Spec
	Secrets wizard.Secrets // as far as they resolve; only the check from the zone needs one
	Partial bool           // only some answers are known
	// Rehearsed is checked in a simulated zone, whatever cluster of its ID was installed in the real one.
	Rehearsed bool
}

// Checker runs the connectivity checks of one cluster.
type Checker struct {
	net       network.Network
	Spec      state.Spec
	secrets   wizard.Secrets
	installed bool                     // there is such a cluster, and its folder
	Checks    []reach.Check            // all, in the order of the catalogue
	from      map[string][]reach.Check // those that run at a source: local, and any other
	limits    connection.Limits
	dir       func() (string, error) // where runs in the zone are recorded

	mu    sync.Mutex
	skips []reach.Skip
}

// NewChecker selects the checks of a subject. only names checks regardless of the answers; nil: those that the answers require.
func NewChecker(ctx context.Context, net network.Network, asked Subject, only []string, skips []reach.Skip) (*Checker, error) {
	catalogue, err := assets.ReadEndpoints()
	if err != nil {
		return nil, err
	}
	scope := reach.Scope{Spec: asked.Spec, Partial: asked.Partial, Only: only, Installed: !asked.Rehearsed && isInstalled(asked.Spec)}
	if lieutenant := asked.Spec.Syn.LieutenantURL; lieutenant != "" {
		// Discovery is optional: the check of Lieutenant itself reports why it failed.
		scope.Discovery, _ = reach.Discover(ctx, net, lieutenant)
	}
	own, err := reach.ListSkips(asked.Spec)
	if err != nil {
		return nil, exit.WithCode(exit.Answers, err)
	}
	s := &Checker{
		net: net, Spec: asked.Spec, installed: scope.Installed, secrets: asked.Secrets, from: map[string][]reach.Check{}, limits: connection.DefaultLimits(), dir: state.ChecksPath, skips: append(own, skips...),
	}
	for _, scope.Source = range []string{reach.Workstation, reach.Zone} {
		checks, err := reach.SelectChecks(catalogue, scope)
		if err != nil {
			return nil, exit.WithCode(exit.Usage, err)
		}
		checks = replaceHostKeys(checks, net.HostKeys)
		s.from[scope.Source] = checks
		s.Checks = mergeChecks(s.Checks, checks)
	}
	return s, s.validateSkips(skips)
}

// ListChecks returns the checks that run at a source.
func (s *Checker) ListChecks(source string) []reach.Check {
	if source == reach.Workstation {
		return s.from[source]
	}
	return s.from[reach.Zone]
}

// SetDir sets the folder where runs in the zone are recorded.
func (s *Checker) SetDir(dir func() (string, error)) { s.dir = dir }

// validateSkips refuses to skip a check that is not selected: the ID is probably wrong.
func (s *Checker) validateSkips(skips []reach.Skip) error {
	for _, skip := range skips {
		if _, found := s.normalizeID(skip.ID); !found {
			return exit.WithCode(exit.Usage, fmt.Errorf("--skip %s: no check with this ID; exoshift check lists the IDs", skip.ID))
		}
	}
	for i, skip := range s.skips {
		s.skips[i].ID, _ = s.normalizeID(skip.ID)
	}
	return nil
}

// normalizeID ignores case.
func (s *Checker) normalizeID(id string) (string, bool) {
	at := slices.IndexFunc(s.Checks, func(c reach.Check) bool { return strings.EqualFold(c.ID, id) })
	if at < 0 {
		return id, false
	}
	return s.Checks[at].ID, true
}

func mergeChecks(first, second []reach.Check) []reach.Check {
	all := slices.Clone(first)
	for i, check := range second {
		if slices.ContainsFunc(all, func(c reach.Check) bool { return c.ID == check.ID }) {
			continue
		}
		at := len(all)
		if i > 0 {
			at = slices.IndexFunc(all, func(c reach.Check) bool { return c.ID == second[i-1].ID }) + 1
		}
		all = slices.Insert(all, at, check)
	}
	return all
}

func isInstalled(spec state.Spec) bool {
	path, err := state.DefaultPath(spec.Cluster.ID)
	if err != nil || spec.Cluster.ID == "" {
		return false
	}
	folder, err := state.OpenReadOnly(path)
	if err != nil {
		return false
	}
	facts, err := folder.LoadFacts()
	return err == nil && !facts.Rehearsal && !facts.Installed.IsZero() && facts.Destroyed.IsZero()
}

// newTask uses the proxy of the local machine for the local source, and that of the answers for the nodes.
func (s *Checker) newTask(vantage string, ids []string) (reach.Task, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	task := reach.Task{
		Source: vantage, Checks: selectChecks(s.ListChecks(vantage), ids), Skips: slices.Clone(s.skips),
		Distribution: s.Spec.OpenShift.Distribution, Version: s.Spec.OpenShift.Version, PullSecret: s.secrets.PullSecret,
		Authorities: s.readClusterAuthorities(),
	}
	if proxy := s.Spec.OpenShift.Proxy; proxy != (state.ProxySpec{}) {
		task.NodesProxy = &reach.Proxy{HTTP: proxy.HTTP, HTTPS: proxy.HTTPS, NoProxy: proxy.NoProxy}
	}
	bundle, err := readTrustBundle(s.Spec.OpenShift.TrustBundle)
	task.TrustBundle = bundle
	if vantage == reach.Workstation {
		return task, nil // which does not use the bundle: the answers are checked elsewhere
	}
	task.Proxy = task.NodesProxy
	if bundle != "" {
		task.Authorities += "\n" + bundle
	}
	return task, err
}

func readTrustBundle(path string) (string, error) {
	if path == "" {
		return "", nil
	}
	content, err := fileread.Text(path, fileread.Small)
	if err != nil {
		return "", fault.New(fault.Invalid, "read the trust bundle", err).WithField("openshift.trustBundle")
	}
	return string(content), nil
}

// selectChecks returns the checks of these IDs and their dependencies; nil: all.
func selectChecks(checks []reach.Check, ids []string) []reach.Check {
	if ids == nil {
		return checks
	}
	wanted := map[string]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	for _, check := range slices.Backward(checks) { // dependencies come first
		for _, id := range check.Needs {
			wanted[id] = wanted[id] || wanted[check.ID]
		}
	}
	return slices.DeleteFunc(slices.Clone(checks), func(c reach.Check) bool { return !wanted[c.ID] })
}

// Skip skips a check from now on.
func (s *Checker) Skip(skip reach.Skip) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.skips = append(slices.DeleteFunc(s.skips, func(other reach.Skip) bool { return other.ID == skip.ID }), skip)
}

// Run runs checks at a source, nil: all, and emits each result. seen is called with the progress of a remote source.
func (s *Checker) Run(ctx context.Context, vantage string, ids []string, emit func(reach.Result), seen func(string)) (reach.Report, error) {
	task, err := s.newTask(vantage, ids)
	if err != nil {
		return reach.Report{}, err
	}
	if vantage != reach.Workstation {
		return s.runRemote(ctx, task, emit, seen)
	}
	prober, err := probe.New(s.net, task, s.limits)
	if err != nil {
		return reach.Report{}, err
	}
	report := reach.Run(ctx, task, prober, emit)
	if err := ctx.Err(); err != nil {
		return report, fmt.Errorf("the checks were stopped: %w", err)
	}
	return report, nil
}

// RunAll runs the sources one after the other and merges their reports. A source that fails is an error, besides the report of
// the others.
func (s *Checker) RunAll(ctx context.Context, vantages []string, seen func(string)) (reach.Report, error) {
	began := time.Now()
	var parts []reach.Report
	var failures []error
	for _, vantage := range vantages {
		if err := checkZoneReachable(vantage, parts); err != nil {
			failures = append(failures, err)
			continue
		}
		part, err := s.Run(ctx, vantage, nil, func(reach.Result) {}, seen)
		if parts = append(parts, part); err != nil {
			failures = append(failures, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	whole := reach.MergeReports(s.Checks, parts...)
	whole.V, whole.Started, whole.TookMS = 1, began.UTC(), time.Since(began).Milliseconds()
	return whole, errors.Join(failures...)
}

// FilterFree returns the sources that cost nothing.
func (s *Checker) FilterFree(vantages []string) []string {
	return slices.DeleteFunc(slices.Clone(vantages), func(vantage string) bool { return s.DescribeTerms(vantage) != "" })
}

// RunAgain repeats the checks of sources without cost; results of the others are kept.
func (s *Checker) RunAgain(ctx context.Context, vantages []string, last reach.Report, seen func(string)) (reach.Report, error) {
	free, kept := s.FilterFree(vantages), reach.Report{}
	next, err := s.RunAll(ctx, free, seen)
	for _, r := range last.Results {
		if !slices.Contains(free, r.Source) {
			kept.Results = append(kept.Results, r)
		}
	}
	return reach.MergeReports(s.Checks, next, kept), err
}

// replaceHostKeys replaces pinned host keys by those of a simulated network: its servers cannot have the private keys.
func replaceHostKeys(checks []reach.Check, keys map[string]string) []reach.Check {
	checks = slices.Clone(checks)
	for i, check := range checks {
		address, _, _ := strings.Cut(check.URL, "#")
		host, port, _ := strings.Cut(strings.TrimPrefix(address, "ssh://"), ":")
		if key := keys[host]; key != "" && strings.HasPrefix(address, "ssh://") && (port == "" || port == "22") {
			checks[i].URL = address + "#" + url.PathEscape(key)
		}
	}
	return checks
}

// listSkipped returns the checks that are skipped now.
func (s *Checker) listSkipped() []state.SkippedCheck {
	s.mu.Lock()
	defer s.mu.Unlock()
	var skipped []state.SkippedCheck
	for _, check := range s.Checks {
		for _, skip := range s.skips {
			if skip.ID == check.ID && !skip.IsExpired(time.Now()) {
				skipped = append(skipped, state.SkippedCheck{ID: skip.ID, Target: check.Target(), Reason: skip.Reason, Until: skip.Until})
			}
		}
	}
	return skipped
}

// CleanUpLeftovers removes the machines of killed runs in the zone: they would block the deletion of the cluster's security groups.
// dir is where runs are recorded; progress is called with what it does.
func CleanUpLeftovers(ctx context.Context, net network.Network, spec state.Spec, secrets wizard.Secrets, dir string, progress func(string)) error {
	return NewZoneRunner(net, spec, secrets, dir, remoterun.Job{}).CleanUpLeftovers(ctx, progress)
}

// SelectAllEndpoints selects the whole catalogue, unless the answers select checks.
func SelectAllEndpoints(spec *state.Spec) {
	if spec.Syn.LieutenantURL == "" {
		spec.Syn.LieutenantURL, spec.Syn.Tenant, spec.DNS.ACME = "https://api.syn.vshn.net", "t-demo", true
	}
}
