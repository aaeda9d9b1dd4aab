package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"exoshift/assets"
	"exoshift/internal/fault"
	"exoshift/provisioner/exoscale"
	"exoshift/provisioner/install"
	"exoshift/provisioner/objects"
	"exoshift/provisioner/vantage"
	"exoshift/state"
	"exoshift/wizard/reach"
)

// elsewhere makes the checks of a task where its vantage is.
func (s *survey) elsewhere(ctx context.Context, task reach.Task, tell func(reach.Result), seen func(string)) (reach.Report, error) {
	runner, err := s.runner(task.Vantage)
	if err != nil {
		return reach.Report{}, err
	}
	input, err := json.Marshal(task)
	if err != nil {
		return reach.Report{}, fmt.Errorf("write the task: %w", err)
	}
	program, err := vantage.Self(probeVerb)
	if err != nil {
		return reach.Report{}, err
	}
	output, err := runner.Run(ctx, program, input, seen)
	if errors.Is(err, vantage.ErrSilent) {
		seen(err.Error()) // it may say what is still there, too
		return silent(ctx, task, err, tell)
	}
	if err != nil && output == nil {
		return reach.Report{}, err
	}
	report, unread := reach.ReadReport(bytes.NewReader(output))
	if unread != nil {
		return report, errors.Join(err, fault.New(fault.Internal, "read the report from "+task.Vantage, unread).
			WithHint("run it again; if it stays like this, look from another host: --vantage ssh:HOST"))
	}
	report = reach.Accept(task, report)
	for _, r := range report.Results {
		tell(r)
	}
	return report, err
}

// runner returns who runs a program at a vantage.
func (s *survey) runner(where string) (vantage.Runner, error) {
	if host, ssh := strings.CutPrefix(where, reach.SSHVantage); ssh {
		return vantage.BySSH(vantage.SSHOptions{Target: host, Network: s.net, Agent: sshAgent(), KnownHosts: knownHosts()})
	}
	return s.inZone()
}

func (s *survey) inZone() (*vantage.Zone, error) {
	dir, err := s.dir()
	if err != nil {
		return nil, usageError{err}
	}
	return vantage.InZone(vantage.ZoneOptions{
		Zone: s.spec.Exoscale.Zone, Dir: dir, Clock: s.net.Clock, Connect: s.connect, Groups: install.NodeGroups(s.spec),
	}), nil
}

// sweepChecks removes the machine of a check that was killed: it would hold the cluster's security groups.
func (s site) sweepChecks(ctx context.Context, seen func(string)) error {
	if s.facts.Rehearsal {
		return nil
	}
	zone, err := (&survey{net: s.net, spec: s.spec, secrets: s.secrets, dir: state.ChecksPath}).inZone()
	if err != nil {
		return err
	}
	return zone.Sweep(ctx, seen)
}

// knownHosts are where OpenSSH keeps the keys of hosts.
func knownHosts() []string {
	files := []string{"/etc/ssh/ssh_known_hosts"}
	if home, err := os.UserHomeDir(); err == nil {
		files = append(files, filepath.Join(home, ".ssh", "known_hosts"))
	}
	return files
}

// connect returns clients for the credentials that the answers name.
func (s *survey) connect(journal vantage.Journal) (vantage.Cloud, vantage.Storage, func(), error) {
	zone, key, secret := s.spec.Exoscale.Zone, s.secrets.APIKey, s.secrets.APISecret
	if key == "" || secret == "" {
		return nil, nil, nil, fault.Newf(fault.Denied, "start a machine in "+zone, "there are no credentials").
			WithHint("set EXOSCALE_API_KEY and EXOSCALE_API_SECRET, or name where they are in the answers").About("exoscale.apiKey")
	}
	cloud, err := exoscale.New(s.net, zone, key, secret, journal)
	if err != nil {
		return nil, nil, nil, err
	}
	storage, err := objects.New(s.net, zone, key, secret, journal)
	if err != nil {
		cloud.Close()
		return nil, nil, nil, err
	}
	return cloud, storage, func() { cloud.Close(); storage.Close() }, nil
}

// terms says what a vantage does and costs; "" if that is nothing.
func (s *survey) terms(where string) string {
	if where != reach.Zone {
		return ""
	}
	return zoneTerms(s.spec)
}

// zoneTerms says what the machine in the zone is and costs, without asking anybody: it is one of the smallest that there
// are.
func zoneTerms(spec state.Spec) string {
	terms := vantage.Terms{Zone: spec.Exoscale.Zone, Type: "standard.micro", Minutes: 5, Upload: programSize()}
	if prices, err := assets.PriceList(); err == nil {
		terms.Hour, terms.Date = prices.Instances[terms.Type], prices.Date
	}
	return terms.String()
}

// programSize is about what this program comes to once it is packed, in bytes.
func programSize() int64 {
	const packing = 2
	path, err := os.Executable()
	if err != nil {
		return 0
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return info.Size() / packing
}
