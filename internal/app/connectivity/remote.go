package connectivity

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"exoshift/assets"
	"exoshift/internal/app/environment"
	"exoshift/internal/app/exit"
	"exoshift/internal/app/probeprogram"
	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/exoscale"
	groups "exoshift/provisioner/install/network"
	"exoshift/provisioner/objects"
	"exoshift/provisioner/remoterun"
	"exoshift/state"
	"exoshift/wizard"
	"exoshift/wizard/reach"
)

func (s *Checker) runRemote(ctx context.Context, task reach.Task, emit func(reach.Result), seen func(string)) (reach.Report, error) {
	report, err := s.runOn(ctx, task, emit, seen)
	return report, withHostCode(ctx, task.Source, err)
}

func (s *Checker) runOn(ctx context.Context, task reach.Task, emit func(reach.Result), seen func(string)) (reach.Report, error) {
	runner, err := s.newRunner(task.Source)
	if err != nil {
		return reach.Report{}, err
	}
	input, err := json.Marshal(task)
	if err != nil {
		return reach.Report{}, fmt.Errorf("write the task: %w", err)
	}
	program, err := newProbeProgram()
	if err != nil {
		return reach.Report{}, err
	}
	output, err := runner.Run(ctx, program, input, seen)
	if errors.Is(err, remoterun.ErrNoContact) {
		seen(err.Error()) // it may name leftovers
		return buildFailedReport(ctx, task, err, emit)
	}
	if err != nil && output == nil {
		return reach.Report{}, err
	}
	report, unread := reach.ReadReport(bytes.NewReader(output))
	if unread != nil {
		return report, errors.Join(err, fault.New(fault.Internal, "read the report from "+task.Source, unread).
			WithHint("run it again; if the problem persists, check from another host: --vantage ssh:HOST"))
	}
	report = reach.SanitizeReport(task, report)
	for _, r := range report.Results {
		emit(r)
	}
	return report, err
}

func (s *Checker) newRunner(where string) (remoterun.Runner, error) {
	if host, ssh := strings.CutPrefix(where, reach.SSHSource); ssh {
		return remoterun.NewHost(remoterun.SSHOptions{
			Target: host, Network: s.net, Agent: environment.NewSSHAgent(), Keys: listKeyFiles(), KnownHosts: listKnownHostsFiles(),
			Config: listSSHConfigFiles(),
		})
	}
	return s.newZoneRunner()
}

func (s *Checker) newZoneRunner() (*remoterun.Zone, error) {
	dir, err := s.dir()
	if err != nil {
		return nil, exit.WithCode(exit.Usage, err)
	}
	return NewZoneRunner(s.net, s.Spec, s.secrets, dir, remoterun.Job{}), nil
}

// NewZoneRunner returns what runs this program on a machine in the zone of a cluster. dir is where its runs are recorded. It sends no
// requests.
func NewZoneRunner(net network.Network, spec state.Spec, secrets wizard.Secrets, dir string, job remoterun.Job) *remoterun.Zone {
	access := zoneAccess{net: net, zone: spec.Exoscale.Zone, key: secrets.APIKey, secret: secrets.APISecret}
	return remoterun.NewZone(remoterun.ZoneOptions{
		Zone: access.zone, Dir: dir, Clock: net.Clock, Connect: access.connect, Groups: groups.ListNodeGroups(spec), SSHKey: spec.OpenShift.SSHKey, Job: job,
	})
}

// RunsPath returns the folder in which the machines of a cluster's runs are recorded: that of all clusters, or one in the folder of a
// rehearsal, whose zone no other run has.
func RunsPath(folder state.Folder, rehearsal bool) (string, error) {
	if rehearsal {
		return folder.Path("machines"), nil
	}
	return state.ChecksPath()
}

func listKnownHostsFiles() []string {
	files := []string{"/etc/ssh/ssh_known_hosts"}
	if home, err := os.UserHomeDir(); err == nil {
		files = append(files, filepath.Join(home, ".ssh", "known_hosts"))
	}
	return files
}

// listSSHConfigFiles returns the files that configure ssh, the user's own first.
func listSSHConfigFiles() (files []string) {
	if home, err := os.UserHomeDir(); err == nil {
		files = append(files, filepath.Join(home, ".ssh", "config"))
	}
	return append(files, "/etc/ssh/ssh_config")
}

// listKeyFiles returns the files of keys that ssh tries by default.
func listKeyFiles() (files []string) {
	home, err := os.UserHomeDir()
	if err != nil {
		return nil
	}
	for _, name := range []string{"id_rsa", "id_ecdsa", "id_ed25519"} {
		files = append(files, filepath.Join(home, ".ssh", name))
	}
	return files
}

// withHostCode returns the failure of a run on a host with its exit code: what is wrong here, such as an unknown host key, is
// usage; what is wrong on the way or there is a failed check.
func withHostCode(ctx context.Context, source string, err error) error {
	if err == nil || ctx.Err() != nil || !strings.HasPrefix(source, reach.SSHSource) {
		return err
	}
	switch fault.KindOf(err) {
	case fault.Invalid, fault.Denied, fault.Conflict:
		return exit.WithCode(exit.Usage, err)
	}
	return exit.WithCode(exit.Checks, err)
}

type zoneAccess struct {
	net               network.Network
	zone, key, secret string
}

func (a zoneAccess) connect(journal state.Recorder) (remoterun.Cloud, remoterun.Storage, func(), error) {
	if a.key == "" || a.secret == "" {
		return nil, nil, nil, fault.Newf(fault.Denied, "start a machine in "+a.zone, "the credentials are missing").
			WithHint("set EXOSCALE_API_KEY and EXOSCALE_API_SECRET, or refer to them in the answers").WithField("exoscale.apiKey")
	}
	cloud, err := exoscale.New(a.net, a.zone, a.key, a.secret, journal)
	if err != nil {
		return nil, nil, nil, err
	}
	storage, err := objects.New(a.net, a.zone, a.key, a.secret, journal)
	if err != nil {
		cloud.Close()
		return nil, nil, nil, err
	}
	return cloud, storage, func() { cloud.Close(); storage.Close() }, nil
}

// DescribeTerms returns the cost and the side effects of a source; "" if it has none.
func (s *Checker) DescribeTerms(where string) string {
	if where != reach.Zone {
		return ""
	}
	return DescribeZoneTerms(s.Spec)
}

// DescribeZoneTerms returns the terms of a check from inside the zone. It makes no API call: the machine is of one of the smallest types.
func DescribeZoneTerms(spec state.Spec) string {
	terms := remoterun.Estimate{Zone: spec.Exoscale.Zone, Type: "standard.micro", Minutes: 5, Upload: estimateUpload()}
	if prices, err := assets.ReadPrices(); err == nil {
		terms.Hour, terms.Date = prices.Instances[terms.Type], prices.Date
	}
	return terms.String()
}

// isUploaded reports whether this very program can run where checks are run. The compiler leaves the small program out if so.
const isUploaded = runtime.GOOS == "linux" && runtime.GOARCH == "amd64"

// newProbeProgram returns the program that runs the checks there: this one if it can, else the small one that it carries along.
func newProbeProgram() (remoterun.Program, error) {
	if !isUploaded {
		if packed, embedded := probeprogram.Read(); embedded {
			return remoterun.Program{Packed: packed, Args: []string{ProbeVerb}}, nil
		}
	}
	return remoterun.NewSelfProgram(ProbeVerb)
}

// estimateUpload returns the size of what is uploaded, in bytes, compressed.
func estimateUpload() int64 {
	if !isUploaded {
		packed, _ := probeprogram.Read()
		return int64(len(packed))
	}
	const ratio = 2.8 // of gzip, measured on a release
	path, err := os.Executable()
	if err != nil {
		return 0
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0
	}
	return int64(float64(info.Size()) / ratio)
}
