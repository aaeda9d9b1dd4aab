package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"exoshift/assets"
	"exoshift/internal/app/connectivity"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/console"
	"exoshift/state"
	"exoshift/wizard"
)

// zoneKey is the only answer that every check needs.
const zoneKey = "exoscale.zone"

// read allows missing secrets: checks are often run by people without them.
func (c checkFlags) read(ctx context.Context, std streams) (connectivity.Subject, error) {
	if c.zone != "" {
		c.set = append(slices.Clone(c.set), zoneKey+"="+c.zone)
	}
	layers, err := c.mergeLayers()
	if err != nil {
		return connectivity.Subject{}, err
	}
	all, err := layers.merge()
	if err != nil {
		return connectivity.Subject{}, err
	}
	spec, lookup := all.Answers.Spec, c.lookup()
	needs := wizard.FindMissing(spec, nil, lookup)
	if !all.IsOnlyMissing(needs) {
		console.PrintProblems(std.err, all.Problems())
		return connectivity.Subject{}, exit.ErrAnswers
	}
	if spec.Exoscale.Zone == "" {
		if spec.Exoscale.Zone, err = c.promptZone(ctx, std); err != nil {
			return connectivity.Subject{}, err
		}
	}
	if c.simulate && c.answers == "" {
		connectivity.SelectAllEndpoints(&spec)
	}
	secrets, _ := wizard.ResolveSecrets(spec, lookup) // missing ones are reported where they are needed
	open := slices.ContainsFunc(needs, func(n wizard.MissingAnswer) bool { return !n.Secret && n.Field != zoneKey })
	return connectivity.Subject{Spec: spec, Secrets: secrets, Partial: open}, nil
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
