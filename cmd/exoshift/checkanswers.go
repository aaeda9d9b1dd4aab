package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"exoshift/assets"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/state"
	"exoshift/wizard"
)

// checkSubject is the cluster to check, as far as it is known.
type checkSubject struct {
	spec    state.Spec
	secrets wizard.Secrets // as far as they resolve; only the check from the zone needs one
	partial bool           // only some answers are known
}

// zoneKey is the only answer that every check needs.
const zoneKey = "exoscale.zone"

// read allows missing secrets: checks are often run by people without them.
func (c checkFlags) read(ctx context.Context, std streams) (checkSubject, error) {
	if c.zone != "" {
		c.set = append(slices.Clone(c.set), zoneKey+"="+c.zone)
	}
	layers, err := c.mergeLayers()
	if err != nil {
		return checkSubject{}, err
	}
	all, err := layers.merge()
	if err != nil {
		return checkSubject{}, err
	}
	spec, lookup := all.Answers.Spec, c.lookup()
	needs := wizard.FindMissing(spec, nil, lookup)
	if !all.IsOnlyMissing(needs) {
		console.PrintProblems(std.err, all.Problems())
		return checkSubject{}, exit.ErrAnswers
	}
	if spec.Exoscale.Zone == "" {
		if spec.Exoscale.Zone, err = c.promptZone(ctx, std); err != nil {
			return checkSubject{}, err
		}
	}
	if c.simulate && c.answers == "" {
		selectAllEndpoints(&spec)
	}
	secrets, _ := wizard.ResolveSecrets(spec, lookup) // missing ones are reported where they are needed
	open := slices.ContainsFunc(needs, func(n wizard.MissingAnswer) bool { return !n.Secret && n.Field != zoneKey })
	return checkSubject{spec: spec, secrets: secrets, partial: open}, nil
}

// mergeLayers adds the shipped example below the other layers for a simulated network.
func (c checkFlags) mergeLayers() (layers, error) {
	if !c.simulate || c.answers != "" {
		return c.readLayers()
	}
	content, err := assets.ReadExample()
	if err != nil {
		return layers{}, err
	}
	return c.buildLayers(exampleName, content)
}

func (c checkFlags) lookup() func(string) (string, bool) {
	if c.simulate {
		return environment.LookupRehearsalSecret
	}
	return environment.LookupEnv
}

// selectAllEndpoints selects the whole catalogue, unless the answers select checks.
func selectAllEndpoints(spec *state.Spec) {
	if spec.Syn.LieutenantURL == "" {
		spec.Syn.LieutenantURL, spec.Syn.Tenant, spec.DNS.ACME = "https://api.syn.vshn.net", "t-demo", true
	}
}

func (c checkFlags) promptZone(ctx context.Context, std streams) (string, error) {
	fields := wizard.Fields()
	field := fields[slices.IndexFunc(fields, func(f wizard.Field) bool { return f.Key == zoneKey })]
	zones := field.Choices
	if !isTerminal(std.in) || !isTerminal(std.out) {
		return "", exit.WithCode(exit.Usage, fmt.Errorf("there is no zone: give --zone ZONE or --answers FILE; zones are %s", strings.Join(zones, ", ")))
	}
	for {
		fmt.Fprintf(std.out, "In which Exoscale zone? (%s) ", strings.Join(zones, ", "))
		line, err := std.lineReader().Next(ctx)
		if err != nil {
			return "", exit.WithCode(exit.Usage, fmt.Errorf("there is no zone: %w", err))
		}
		spec := state.Default()
		if err := field.Set(&spec, line); err != nil {
			fmt.Fprintln(std.out, "  "+console.SanitizeLine(err.Error()))
			continue
		}
		if spec.Exoscale.Zone != "" {
			return spec.Exoscale.Zone, nil
		}
	}
}
