package main

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
	"exoshift/internal/fault"
	"exoshift/internal/fileread"
	"exoshift/internal/network"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/reach"
	"exoshift/wizard/reach/probe"
)

// survey is all that has to be reached by one cluster, and the ways to find out.
type survey struct {
	net     network.Network
	spec    state.Spec
	secrets wizard.Secrets
	checks  []reach.Check            // all, in the order of the catalogue
	from    map[string][]reach.Check // those that a vantage makes: here, and anywhere else
	limits  probe.Limits
	dir     func() (string, error) // where runs in the zone are noted

	mu    sync.Mutex
	skips []reach.Skip
}

// newSurvey chooses what is checked. only names checks whether or not the answers want them; nil: what they want.
func newSurvey(ctx context.Context, net network.Network, asked inquiredCluster, only []string, skips []reach.Skip) (*survey, error) {
	catalogue, err := assets.Endpoints()
	if err != nil {
		return nil, err
	}
	scope := reach.Scope{Spec: asked.spec, Partial: asked.partial, Only: only, Installed: stands(asked.spec)}
	if lieutenant := asked.spec.Syn.LieutenantURL; lieutenant != "" {
		// What it says is worth having and no more: its own check tells why it cannot be reached.
		scope.Discovery, _ = reach.Discover(ctx, net, lieutenant)
	}
	own, err := reach.SkipsOf(asked.spec)
	if err != nil {
		return nil, answersError{err}
	}
	s := &survey{
		net: net, spec: asked.spec, secrets: asked.secrets, from: map[string][]reach.Check{}, limits: probe.Usual(), dir: state.ChecksPath, skips: append(own, skips...),
	}
	for _, scope.Vantage = range []string{reach.Workstation, reach.Zone} {
		checks, err := reach.Choose(catalogue, scope)
		if err != nil {
			return nil, usageError{err}
		}
		checks = pinned(checks, net.HostKeys)
		s.from[scope.Vantage] = checks
		s.checks = united(s.checks, checks)
	}
	return s, s.known(skips)
}

// known refuses to skip what is not checked anyway: it was probably meant to be something else.
func (s *survey) known(skips []reach.Skip) error {
	for _, skip := range skips {
		if _, found := s.spelled(skip.ID); !found {
			return usageError{fmt.Errorf("--skip %s: no check of that ID is made; the IDs are in what exoshift check shows", skip.ID)}
		}
	}
	for i, skip := range s.skips {
		s.skips[i].ID, _ = s.spelled(skip.ID)
	}
	return nil
}

// spelled returns an ID as its check has it: people may write it in small letters.
func (s *survey) spelled(id string) (string, bool) {
	at := slices.IndexFunc(s.checks, func(c reach.Check) bool { return strings.EqualFold(c.ID, id) })
	if at < 0 {
		return id, false
	}
	return s.checks[at].ID, true
}

// united are the checks of two lists in the order of the first, each once.
func united(first, second []reach.Check) []reach.Check {
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

// stands tells whether the cluster stands, by its folder in the usual place.
func stands(spec state.Spec) bool {
	path, err := state.DefaultPath(spec.Cluster.ID)
	if err != nil || spec.Cluster.ID == "" {
		return false
	}
	folder, err := state.Look(path)
	if err != nil {
		return false
	}
	facts, err := folder.Facts()
	return err == nil && !facts.Rehearsal && !facts.Installed.IsZero() && facts.Destroyed.IsZero()
}

// task is what a vantage is given. The workstation gets out as it does, the nodes as the answers say.
func (s *survey) task(vantage string, ids []string) (reach.Task, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	checks := s.from[reach.Zone]
	if vantage == reach.Workstation {
		checks = s.from[vantage]
	}
	task := reach.Task{
		Vantage: vantage, Checks: chosen(checks, ids), Skips: slices.Clone(s.skips),
		Distribution: s.spec.OpenShift.Distribution, Version: s.spec.OpenShift.Version, PullSecret: s.secrets.PullSecret,
		Authorities: clusterAuthorities(s.spec),
	}
	if proxy := s.spec.OpenShift.Proxy; proxy != (state.ProxySpec{}) {
		task.NodesProxy = &reach.Proxy{HTTP: proxy.HTTP, HTTPS: proxy.HTTPS, NoProxy: proxy.NoProxy}
	}
	if vantage == reach.Workstation {
		return task, nil
	}
	task.Proxy = task.NodesProxy
	if bundle := s.spec.OpenShift.TrustBundle; bundle != "" {
		content, err := fileread.Text(bundle, fileread.Small)
		if err != nil {
			return task, fault.New(fault.Invalid, "read the trust bundle", err).About("openshift.trustBundle")
		}
		task.Authorities += "\n" + string(content)
	}
	return task, nil
}

// chosen are the checks of these IDs and what they need; nil: all.
func chosen(checks []reach.Check, ids []string) []reach.Check {
	if ids == nil {
		return checks
	}
	wanted := map[string]bool{}
	for _, id := range ids {
		wanted[id] = true
	}
	for _, check := range slices.Backward(checks) { // what is needed stands above
		for _, id := range check.Needs {
			wanted[id] = wanted[id] || wanted[check.ID]
		}
	}
	return slices.DeleteFunc(slices.Clone(checks), func(c reach.Check) bool { return !wanted[c.ID] })
}

// skip leaves a check out from now on.
func (s *survey) skip(skip reach.Skip) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.skips = append(slices.DeleteFunc(s.skips, func(other reach.Skip) bool { return other.ID == skip.ID }), skip)
}

// run makes checks from a vantage, nil: all, and tells each result. seen hears what happens on the way to a vantage.
func (s *survey) run(ctx context.Context, vantage string, ids []string, tell func(reach.Result), seen func(string)) (reach.Report, error) {
	task, err := s.task(vantage, ids)
	if err != nil {
		return reach.Report{}, err
	}
	if vantage != reach.Workstation {
		return s.elsewhere(ctx, task, tell, seen)
	}
	prober, err := probe.New(s.net, task, s.limits)
	if err != nil {
		return reach.Report{}, err
	}
	report := reach.Run(ctx, task, prober, tell)
	if err := ctx.Err(); err != nil {
		return report, fmt.Errorf("the checks were stopped: %w", err)
	}
	return report, nil
}

// all looks from each vantage, one after the other, and makes one report of it. A vantage that could not be had fails
// the whole, beside the report of the others.
func (s *survey) all(ctx context.Context, vantages []string, seen func(string)) (reach.Report, error) {
	began := time.Now()
	var parts []reach.Report
	var failures []error
	for _, vantage := range vantages {
		if err := startable(vantage, parts); err != nil {
			failures = append(failures, err)
			continue
		}
		part, err := s.run(ctx, vantage, nil, func(reach.Result) {}, seen)
		if parts = append(parts, part); err != nil {
			failures = append(failures, err)
		}
		if ctx.Err() != nil {
			break
		}
	}
	whole := reach.Settle(s.checks, parts...)
	whole.V, whole.Started, whole.TookMS = 1, began.UTC(), time.Since(began).Milliseconds()
	return whole, errors.Join(failures...)
}

// free are the vantages from which a look costs nothing.
func (s *survey) free(vantages []string) []string {
	return slices.DeleteFunc(slices.Clone(vantages), func(vantage string) bool { return s.terms(vantage) != "" })
}

// again looks once more from where that costs nothing; what was seen from elsewhere stays.
func (s *survey) again(ctx context.Context, vantages []string, last reach.Report, seen func(string)) (reach.Report, error) {
	free, kept := s.free(vantages), reach.Report{}
	next, err := s.all(ctx, free, seen)
	for _, r := range last.Results {
		if !slices.Contains(free, r.Vantage) {
			kept.Results = append(kept.Results, r)
		}
	}
	return reach.Settle(s.checks, next, kept), err
}

// pinned puts the host keys of a simulated world in the place of those that are pinned: its servers cannot have them.
func pinned(checks []reach.Check, keys map[string]string) []reach.Check {
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
