package remoterun

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"os"
	"os/user"
	"path/filepath"
	"strings"

	"github.com/kevinburke/ssh_config"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
	"exoshift/internal/text"
)

const readConfigOp = "read the configuration of ssh"

// sshConfig is what files in the format of ssh_config(5) say about hosts. What comes first counts, so the user's own file is
// the first.
type sshConfig []*ssh_config.Config

// readSSHConfig ignores files that are missing.
func readSSHConfig(paths []string) (config sshConfig, err error) {
	for _, path := range paths {
		content, err := fileread.Text(path, fileread.Small)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var parsed *ssh_config.Config
		if err == nil {
			parsed, err = ssh_config.Decode(bytes.NewReader(content))
		}
		if err != nil {
			return nil, fault.New(fault.Invalid, readConfigOp, fmt.Errorf("%s: %s", path, text.Sanitize(err.Error()))).
				WithHint("name user and port, with which it is not needed: --vantage ssh:USER@HOST:PORT, and give the key to an SSH agent")
		}
		config = append(config, parsed)
	}
	return config, nil
}

func (c sshConfig) get(alias, key string) string {
	for _, file := range c {
		if value, err := file.Get(alias, key); err == nil && value != "" {
			return value
		}
	}
	return ""
}

func (c sshConfig) list(alias, key string) (values []string) {
	for _, file := range c {
		if found, err := file.GetAll(alias, key); err == nil {
			values = append(values, found...)
		}
	}
	return values
}

// sshTarget is "[user@]host[:port]"; user and port may be "".
type sshTarget struct{ user, host, port string }

// ValidateHost returns an error, of kind Invalid, for what is not of the form [USER@]HOST[:PORT].
func ValidateHost(target string) error {
	_, err := parseSSHTarget(target)
	return err
}

func parseSSHTarget(target string) (sshTarget, error) {
	t := sshTarget{host: target}
	name, address, named := strings.Cut(target, "@")
	if named {
		t.user, t.host = name, address
	}
	if host, port, err := net.SplitHostPort(t.host); err == nil {
		t.host, t.port = host, cmp.Or(port, "none")
	}
	t.host = strings.Trim(t.host, "[]")
	if named && name == "" || !isHost(t.host) || t.port != "" && !isPort(t.port) || text.Sanitize(name) != name {
		return t, newTargetError(target, errors.New("it is not of the form [USER@]HOST[:PORT]"))
	}
	return t, nil
}

// maxJumps bounds how many hosts lead to another one.
const maxJumps = 8

// resolve returns a host as ssh would reach it; jumps is how many more hosts may lead to it.
func (c sshConfig) resolve(options SSHOptions, target string, jumps int) (*Host, error) {
	t, err := parseSSHTarget(target)
	if err != nil {
		return nil, err
	}
	h := &Host{options: options, user: cmp.Or(t.user, c.get(t.host, "User")), keys: options.Keys}
	if h.user == "" {
		current, err := user.Current()
		if err != nil {
			return nil, newTargetError(target, err)
		}
		h.user = current.Username
	}
	host := strings.NewReplacer("%h", t.host, "%%", "%").Replace(cmp.Or(c.get(t.host, "HostName"), t.host))
	port := cmp.Or(t.port, c.get(t.host, "Port"), sshPort)
	if !isHost(host) || !isPort(port) {
		return nil, newTargetError(target, fmt.Errorf("ssh_config names the host %q and the port %q", text.Sanitize(host), text.Sanitize(port)))
	}
	h.address = net.JoinHostPort(host, port)
	if host != t.host || t.port == "" && port != sshPort {
		h.alias = strings.TrimPrefix(t.user+"@"+t.host, "@")
		if t.port != "" {
			h.alias = "-p " + t.port + " " + h.alias
		}
	}
	if files := c.list(t.host, "IdentityFile"); len(files) > 0 {
		h.keys, h.preferKeys = expandKeyFiles(files, h.user, host), true
	}
	h.onlyKeys = strings.EqualFold(c.get(t.host, "IdentitiesOnly"), "yes")
	return h, c.resolveJump(h, t.host, jumps)
}

// resolveJump finds the host that leads to another one. A program in its place is not run.
func (c sshConfig) resolveJump(h *Host, alias string, jumps int) error {
	list := c.get(alias, "ProxyJump")
	if command := c.get(alias, "ProxyCommand"); list == "" && command != "" && !strings.EqualFold(command, "none") {
		return fault.Newf(fault.Invalid, readConfigOp, "%s is reached by a ProxyCommand, which is not supported", alias).
			WithHint("set ProxyJump in its place, or choose a host that is reached without: --vantage ssh:HOST")
	}
	if list == "" || strings.EqualFold(list, "none") {
		return nil
	}
	before, target := "", strings.TrimSpace(list)
	if last := strings.LastIndex(list, ","); last >= 0 {
		before, target = list[:last], strings.TrimSpace(list[last+1:])
	}
	if jumps == 0 {
		return fault.Newf(fault.Invalid, readConfigOp, "more than %d hosts lead to %s", maxJumps, alias).WithHint("look for a ProxyJump that leads back to itself")
	}
	next := c
	if before != "" { // as of the command line of ssh, of these only the first has a ProxyJump of its own
		next = c.withJump(target, before)
	}
	jump, err := next.resolve(h.options, strings.TrimPrefix(target, "ssh://"), jumps-1)
	h.jump = jump
	return err
}

// withJump returns a configuration in which hosts lead to one host, whatever else it says.
func (c sshConfig) withJump(target, list string) sshConfig {
	t, err := parseSSHTarget(strings.TrimPrefix(target, "ssh://"))
	if err != nil {
		return c // which says so when it is resolved
	}
	first, err := ssh_config.Decode(strings.NewReader("Host " + t.host + "\n  ProxyJump " + list + "\n"))
	if err != nil {
		return c
	}
	return append(sshConfig{first}, c...)
}

// expandKeyFiles replaces what ssh_config(5) lets stand for something else in the path of a key.
func expandKeyFiles(files []string, name, host string) (expanded []string) {
	home, err := os.UserHomeDir()
	if err != nil {
		home = "~"
	}
	local := ""
	if current, err := user.Current(); err == nil {
		local = current.Username
	}
	tokens := strings.NewReplacer("%d", home, "%u", local, "%r", name, "%h", host, "%%", "%")
	for _, file := range files {
		file = tokens.Replace(strings.Trim(file, `"`))
		if rest, own := strings.CutPrefix(file, "~/"); own {
			file = filepath.Join(home, rest)
		}
		if !strings.EqualFold(file, "none") {
			expanded = append(expanded, file)
		}
	}
	return expanded
}
