package e2e

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/goccy/go-yaml"
	"golang.org/x/sys/unix"

	"exoshift/provisioner/remoterun"
	"exoshift/state"
)

// rental is the Exoscale API of the lab: it rents one machine, which is this one under the name of another. It does with
// the user data what cloud-init would.
type rental struct {
	*lab
	alone bool   // the machine has a network of its own, and nothing in it
	spoil func() // what happens before the machine starts; nil: nothing

	mu       sync.Mutex
	machines []state.Instance
	groups   []state.Object
	said     bytes.Buffer
	off      chan struct{}
}

var _ remoterun.Cloud = (*rental)(nil)

// cloudConfig is the part of cloud-init's language that is understood here.
type cloudConfig struct {
	Files []struct {
		Path        string `yaml:"path"`
		Owner       string `yaml:"owner"`
		Permissions string `yaml:"permissions"`
		Content     string `yaml:"content"`
	} `yaml:"write_files"`
	Commands [][]string `yaml:"runcmd"`
}

// newRental gives this process the folders of a machine, and the authorities that it trusts.
func newRental(l *lab) *rental {
	l.t.Helper()
	for _, folder := range []string{"/var/lib", "/var/tmp"} {
		must(l.t, unix.Mount("tmpfs", folder, "tmpfs", 0, "mode=1777"))
	}
	replace(l.t, "/etc/ssl/certs/ca-certificates.crt", string(l.authority.CertPEM()))
	return &rental{lab: l, off: make(chan struct{})}
}

// left returns what the machine left on its disk and in its memory.
func (r *rental) left() (files []string) {
	for _, folder := range []string{"/var/tmp", "/dev/shm"} {
		entries, err := os.ReadDir(folder)
		must(r.t, err)
		for _, entry := range entries {
			files = append(files, filepath.Join(folder, entry.Name()))
		}
	}
	return files
}

// ListInstanceTypes implements remoterun.Cloud.
func (r *rental) ListInstanceTypes(context.Context) ([]state.InstanceType, error) {
	return []state.InstanceType{{Name: "standard.tiny", CPUs: 1, MemoryGiB: 1, Authorized: true}}, nil
}

// FindPublicTemplate implements remoterun.Cloud.
func (r *rental) FindPublicTemplate(_ context.Context, name string) (state.Template, error) {
	return state.Template{ID: "template", Name: name, SizeGiB: 10}, nil
}

// ListObjectsByKind implements remoterun.Cloud.
func (r *rental) ListObjectsByKind(context.Context, string) ([]state.Object, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.groups, nil
}

// ListInstances implements remoterun.Cloud.
func (r *rental) ListInstances(context.Context, map[string]string) ([]state.Instance, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]state.Instance(nil), r.machines...), nil
}

// EnsureSecurityGroup implements remoterun.Cloud.
func (r *rental) EnsureSecurityGroup(_ context.Context, group state.SecurityGroup) (string, state.Action, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.groups = append(r.groups, state.Object{Kind: state.KindSecurityGroup, Name: group.Name, ID: "group"})
	return "group", state.Created, nil
}

// EnsureInstances implements remoterun.Cloud.
func (r *rental) EnsureInstances(ctx context.Context, wanted []state.Instance, observer state.InstanceObserver) error {
	if r.spoil != nil {
		r.spoil()
	}
	machine := wanted[0]
	machine.ID, machine.State = "machine", "running"
	r.mu.Lock()
	r.machines = append(r.machines, machine)
	r.mu.Unlock()
	if observer.Running != nil {
		observer.Running(machine, state.Created)
	}
	go r.live(context.WithoutCancel(ctx), machine.UserData)
	return nil
}

// Delete implements remoterun.Cloud.
func (r *rental) Delete(_ context.Context, object state.Object) (state.Action, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	if object.Kind == state.KindInstance {
		r.machines = nil
	} else {
		r.groups = nil
	}
	return state.Deleted, nil
}

// live is the machine's life: it ends when the machine is switched off.
func (r *rental) live(ctx context.Context, userData []byte) {
	defer close(r.off)
	run := func() error { return r.boot(ctx, userData) }
	var err error
	if r.alone {
		done := make(chan struct{})
		defer close(done)
		err = onThread(done, run)
	} else {
		err = run()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if err != nil {
		r.said.WriteString(err.Error())
	}
	for i := range r.machines {
		r.machines[i].State = "stopped"
	}
}

// boot writes the files and runs the commands, with what cloud-init has in its environment.
func (r *rental) boot(ctx context.Context, userData []byte) error {
	var config cloudConfig
	if err := yaml.UnmarshalWithOptions(userData, &config, yaml.Strict()); err != nil {
		return err
	}
	for _, file := range config.Files {
		mode, err := strconv.ParseUint(file.Permissions, 8, 32)
		if err != nil {
			return err
		}
		if err := os.MkdirAll(filepath.Dir(file.Path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(file.Path, []byte(file.Content), os.FileMode(mode)); err != nil {
			return err
		}
	}
	for _, words := range config.Commands {
		if words[0] == "poweroff" {
			return nil
		}
		command := exec.CommandContext(ctx, words[0], words[1:]...)
		command.Env = []string{"PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"}
		output, _ := command.CombinedOutput() // cloud-init goes on after a command that failed
		r.mu.Lock()
		r.said.Write(output)
		r.mu.Unlock()
	}
	return nil
}

// console returns what the machine said on its own.
func (r *rental) console() string {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.TrimSpace(r.said.String())
}
