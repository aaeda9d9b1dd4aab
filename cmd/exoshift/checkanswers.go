package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"exoshift/assets"
	"exoshift/internal/console"
	"exoshift/state"
	"exoshift/wizard"
)

// inquiredCluster is the cluster that checks are about, as far as anybody has said.
type inquiredCluster struct {
	spec    state.Spec
	secrets wizard.Secrets // what could be had; nothing but the look from the zone needs one
	partial bool           // there are no answers but a few
}

// zoneKey is the answer that no check goes without.
const zoneKey = "exoscale.zone"

// read reads the answers of all layers. Secrets may be missing: whoever checks for others often has none of them.
func (c checking) read(ctx context.Context, std streams) (inquiredCluster, error) {
	if c.zone != "" {
		c.set = append(slices.Clone(c.set), zoneKey+"="+c.zone)
	}
	layers, err := c.answerLayers()
	if err != nil {
		return inquiredCluster{}, err
	}
	all, err := layers.assemble()
	if err != nil {
		return inquiredCluster{}, err
	}
	spec, lookup := all.Answers.Spec, c.lookup()
	needs := wizard.Needs(spec, nil, lookup)
	if !all.OnlyMissing(needs) {
		console.Faults(std.err, all.Faults())
		return inquiredCluster{}, answersError{errors.New("the answers have faults")}
	}
	if spec.Exoscale.Zone == "" {
		if spec.Exoscale.Zone, err = c.askZone(ctx, std); err != nil {
			return inquiredCluster{}, err
		}
	}
	if c.simulate && c.answers == "" {
		wholeCatalogue(&spec)
	}
	secrets, _ := wizard.ResolveSecrets(spec, lookup) // what is missing is told where it is needed
	open := slices.ContainsFunc(needs, func(n wizard.Need) bool { return !n.Secret && n.Field != zoneKey })
	return inquiredCluster{spec: spec, secrets: secrets, partial: open}, nil
}

// answerLayers are the answers of all layers; a simulated internet has the shipped example beneath them.
func (c checking) answerLayers() (layers, error) {
	if !c.simulate || c.answers != "" {
		return c.layers()
	}
	content, err := assets.Example()
	if err != nil {
		return layers{}, err
	}
	return c.layersOver(exampleName, content)
}

func (c checking) lookup() func(string) (string, bool) {
	if c.simulate {
		return rehearsalSecrets
	}
	return environment
}

// wholeCatalogue has the whole catalogue checked, unless somebody says otherwise.
func wholeCatalogue(spec *state.Spec) {
	if spec.Syn.LieutenantURL == "" {
		spec.Syn.LieutenantURL, spec.Syn.Tenant, spec.DNS.ACME = "https://api.syn.vshn.net", "t-demo", true
	}
}

// askZone asks for the one answer that is needed.
func (c checking) askZone(ctx context.Context, std streams) (string, error) {
	fields := wizard.Fields()
	field := fields[slices.IndexFunc(fields, func(f wizard.Field) bool { return f.Key == zoneKey })]
	zones := field.Choices
	if !isTerminal(std.in) || !isTerminal(std.out) {
		return "", usageError{fmt.Errorf("there is no zone: give --zone ZONE or --answers FILE; zones are %s", strings.Join(zones, ", "))}
	}
	for {
		fmt.Fprintf(std.out, "In which Exoscale zone? (%s) ", strings.Join(zones, ", "))
		line, err := std.typed().Next(ctx)
		if err != nil {
			return "", usageError{fmt.Errorf("there is no zone: %w", err)}
		}
		spec := state.Default()
		if err := field.Set(&spec, line); err != nil {
			fmt.Fprintln(std.out, "  "+console.Clean(err.Error()))
			continue
		}
		if spec.Exoscale.Zone != "" {
			return spec.Exoscale.Zone, nil
		}
	}
}
