package vm

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/coreos/go-systemd/v22/unit"
	"github.com/coreos/ignition/v2/config/v3_5/types"
)

const (
	unitFolder = "/etc/systemd/system/"
	// presetFile lists the units that Ignition enabled.
	presetFile = "/etc/systemd/system-preset/20-ignition.preset"
	// ostreeBooted exists on every running RHCOS.
	ostreeBooted = "/run/ostree-booted"
	// encapsulatedConfig exists until the machine config daemon has finished the first boot, and is renamed then.
	encapsulatedConfig = "/etc/ignition-machine-config-encapsulated.json"
	firstBootDone      = encapsulatedConfig + ".bak"
	// writeSpeed of a disk is our assumption, in MB a second.
	writeSpeed = 1000
)

var (
	devicePath = regexp.MustCompile(`/dev/[a-z0-9]+`)
	zeroing    = regexp.MustCompile(`\bdd if=/dev/zero of=(/dev/[a-z0-9]+) bs=1M count=(\d+)\b`)
)

// systemd runs the services of a machine's first boot.
type systemd struct{ *guest }

func (s *systemd) writeUnits(units []types.Unit) error {
	var enabled strings.Builder
	for _, u := range units {
		if u.Contents != nil {
			if err := s.WriteFile(unitFolder+u.Name, []byte(*u.Contents)); err != nil {
				return err
			}
		}
		if value(u.Enabled) {
			fmt.Fprintln(&enabled, "enable", u.Name)
		}
	}
	if enabled.Len() == 0 {
		return nil
	}
	return s.WriteFile(presetFile, []byte(enabled.String()))
}

// finishFirstBoot runs the services that belong to the first boot only. If a service that the kubelet requires fails, the
// machine never becomes a node.
func (s *systemd) finishFirstBoot(ctx context.Context) error {
	preset, ok := s.ReadFile(presetFile)
	if _, done := s.ReadFile(firstBootDone); done || !ok {
		return nil
	}
	for line := range strings.Lines(string(preset)) {
		name := strings.TrimSpace(strings.TrimPrefix(line, "enable "))
		if err := s.runUnit(ctx, name); err != nil {
			return err
		}
	}
	return s.WriteFile(firstBootDone, nil)
}

func (s *systemd) runUnit(ctx context.Context, name string) error {
	content, ok := s.ReadFile(unitFolder + name)
	if !ok {
		return nil // one of the image's
	}
	parsed, err := parseService(content)
	switch {
	case err != nil:
		s.Console("systemd: %s: %v", name, err)
		return nil
	case !slices.Contains(parsed.conditions, encapsulatedConfig):
		return nil // the machine's software handles it
	case len(parsed.wantedBy)+len(parsed.requiredBy) == 0:
		s.Console("systemd: %s has no [Install] section, nothing starts it", name)
		return nil
	case parsed.kind != "oneshot":
		return fmt.Errorf("systemd: %s of type %q delays no other unit, so no unit can depend on it", name, parsed.kind)
	}
	if path, met := s.checkConditions(parsed.conditions); !met {
		s.Console("systemd: %s was skipped, unmet condition check ConditionPathExists=%s", name, path)
		return nil
	}
	return s.runService(ctx, name, parsed)
}

// checkConditions returns the first unmet condition of a unit during the first boot.
func (s *systemd) checkConditions(conditions []string) (string, bool) {
	for _, condition := range conditions {
		path, absent := strings.CutPrefix(condition, "!")
		_, exists := s.ReadFile(path)
		if exists = exists || path == ostreeBooted || path == encapsulatedConfig; exists == absent {
			return condition, false
		}
	}
	return "", true
}

func (s *systemd) runService(ctx context.Context, name string, started service) error {
	s.Console("systemd: Starting %s - %s...", name, started.description)
	err := s.execute(ctx, started.command)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err == nil:
		s.Console("systemd: Finished %s - %s.", name, started.description)
		return nil
	}
	s.Console("systemd: %s: Failed with result 'exit-code': %v", name, err)
	if slices.Contains(started.requiredBy, "kubelet.service") {
		return errors.New("systemd: Dependency failed for kubelet.service")
	}
	return nil
}

// execute simulates the effect of a command on a disk: partitions must exist, and must be large enough for the zeros, whose
// writing takes time.
func (s *systemd) execute(ctx context.Context, command string) error {
	if command == "" {
		return errors.New("no ExecStart")
	}
	for _, device := range devicePath.FindAllString(command, -1) {
		if _, ok := s.findPartition(device); !ok && strings.HasPrefix(device, rootDisk) {
			return fmt.Errorf("%s: No such file or directory", device)
		}
	}
	words := zeroing.FindStringSubmatch(command)
	if words == nil {
		return nil
	}
	mib, err := strconv.Atoi(words[2])
	if err != nil {
		return err
	}
	if p, _ := s.findPartition(words[1]); p.SizeMiB > 0 && mib > p.SizeMiB {
		return fmt.Errorf("dd: error writing %s: No space left on device", words[1])
	}
	return s.clock().Sleep(ctx, time.Duration(mib)*time.Second/writeSpeed)
}

type service struct {
	description string
	kind        string
	command     string
	conditions  []string // paths that must exist, or must not with a ! before
	wantedBy    []string
	requiredBy  []string
}

func parseService(content []byte) (service, error) {
	options, err := unit.Deserialize(strings.NewReader(string(content)))
	s := service{kind: "simple"}
	for _, o := range options {
		switch o.Section + "/" + o.Name {
		case "Unit/Description":
			s.description = o.Value
		case "Unit/ConditionPathExists":
			s.conditions = append(s.conditions, o.Value)
		case "Service/Type":
			s.kind = o.Value
		case "Service/ExecStart":
			s.command = o.Value
		case "Install/WantedBy":
			s.wantedBy = append(s.wantedBy, strings.Fields(o.Value)...)
		case "Install/RequiredBy":
			s.requiredBy = append(s.requiredBy, strings.Fields(o.Value)...)
		}
	}
	return s, err
}
