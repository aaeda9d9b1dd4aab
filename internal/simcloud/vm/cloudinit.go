package vm

import (
	"bytes"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/goccy/go-yaml"

	"exoshift/internal/simcloud/haproxy"
	"exoshift/internal/simcloud/sshd"
)

const (
	// cloudInitResult exists on a disk where cloud-init is complete; it never runs there again.
	cloudInitResult = "/var/lib/cloud/instance/boot-finished"
	// haproxyProgram exists once the package is installed.
	haproxyProgram = "/usr/sbin/haproxy"
	// authorizedKeys opens the machine to the default user of the image.
	authorizedKeys = "/home/ubuntu/.ssh/authorized_keys"
	// installTime is the duration of an installation of packages.
	installTime = 50 * time.Second
)

// cloudInit sets up a machine with Linux on its first boot.
type cloudInit struct {
	*guest
	balancer *daemon // haproxy
	login    *daemon // sshd
}

type cloudConfig struct {
	Keys     []string `yaml:"ssh_authorized_keys"` // of the image's default user
	HostKeys struct {
		Ed25519 string `yaml:"ed25519_private"`
	} `yaml:"ssh_keys"`
	WriteFiles []cloudFile `yaml:"write_files"`
	Packages   []any       `yaml:"packages"` // names, or lists of name and version
	RunCmd     []any       `yaml:"runcmd"`   // commands, or lists of words
}

type cloudFile struct {
	Path     string `yaml:"path"`
	Content  string `yaml:"content"`
	Encoding string `yaml:"encoding"`
	Append   bool   `yaml:"append"`
	Defer    bool   `yaml:"defer"` // written after the packages are installed
}

// run runs on the first boot and reports whether haproxy is installed.
func (c *cloudInit) run(ctx context.Context) (bool, error) {
	if _, done := c.ReadFile(cloudInitResult); !done {
		if err := c.runFirstBoot(ctx); err != nil {
			return false, fmt.Errorf("cloud-init: %w", err)
		}
	}
	c.login.start()
	_, installed := c.ReadFile(haproxyProgram)
	return installed, nil
}

func (c *cloudInit) runFirstBoot(ctx context.Context) error {
	if fails := c.hypervisor.config.LacksCloudInit; fails != nil && fails(c.instance) {
		return errors.New("init-local: Failed to start Initial cloud-init job (pre-networking)")
	}
	raw, err := c.fetchUserData(ctx)
	if err != nil {
		return err
	}
	config, err := parseCloudConfig(raw)
	if err != nil {
		return err
	}
	if err := c.apply(ctx, config); err != nil {
		return err
	}
	c.Console("cloud-init: finished")
	return c.WriteFile(cloudInitResult, nil)
}

// fetchUserData uses the metadata service, which belongs to the platform and always responds.
func (c *cloudInit) fetchUserData(ctx context.Context) ([]byte, error) {
	transport := c.Network().NewTransport()
	defer transport.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+metadataAddress+"/1.0/user-data", nil)
	if err != nil {
		return nil, err
	}
	response, err := transport.RoundTrip(request)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	return io.ReadAll(response.Body)
}

// parseCloudConfig accepts user data with and without gzip. Anything else than #cloud-config has no effect.
func parseCloudConfig(raw []byte) (cloudConfig, error) {
	var config cloudConfig
	if bytes.HasPrefix(raw, []byte{0x1f, 0x8b}) {
		unpacked, err := decompressGzip(raw)
		if err != nil {
			return config, err
		}
		raw = unpacked
	}
	if first, _, _ := bytes.Cut(raw, []byte("\n")); strings.TrimSpace(string(first)) != "#cloud-config" {
		return config, nil
	}
	if err := yaml.Unmarshal(raw, &config); err != nil {
		return cloudConfig{}, fmt.Errorf("failed loading yaml blob: %w", err)
	}
	return config, nil
}

func (c *cloudInit) apply(ctx context.Context, config cloudConfig) error {
	if len(config.Keys) > 0 {
		if err := c.WriteFile(authorizedKeys, []byte(strings.Join(config.Keys, "\n")+"\n")); err != nil {
			return err
		}
	}
	if config.HostKeys.Ed25519 != "" {
		if err := c.WriteFile(sshd.HostKeyFile, []byte(config.HostKeys.Ed25519)); err != nil {
			return err
		}
	}
	c.login.start() // cloud-init has set the keys up; packages come later
	if err := c.writeFiles(config.WriteFiles, false); err != nil {
		return err
	}
	if len(config.Packages) > 0 {
		if err := c.install(ctx, config.Packages); err != nil {
			return err
		}
	}
	if err := c.writeFiles(config.WriteFiles, true); err != nil {
		return err
	}
	return c.runCommands(ctx, config.RunCmd)
}

func (c *cloudInit) writeFiles(files []cloudFile, deferred bool) error {
	for _, f := range files {
		if f.Defer != deferred {
			continue
		}
		content, err := f.decode()
		if err != nil {
			return fmt.Errorf("write %s: %w", f.Path, err)
		}
		if f.Append {
			before, _ := c.ReadFile(f.Path)
			content = append(before[:len(before):len(before)], content...)
		}
		if err := c.WriteFile(f.Path, content); err != nil {
			return err
		}
	}
	return nil
}

func (f cloudFile) decode() ([]byte, error) {
	content := []byte(f.Content)
	var err error
	switch f.Encoding {
	case "", "text/plain":
		return content, nil
	case "gz", "gzip":
		return decompressGzip(content)
	case "b64", "base64", "gz+b64", "gz+base64", "gzip+b64", "gzip+base64":
		if content, err = base64.StdEncoding.DecodeString(strings.Join(strings.Fields(f.Content), "")); err != nil {
			return nil, err
		}
		if strings.HasPrefix(f.Encoding, "gz") {
			return decompressGzip(content)
		}
		return content, nil
	}
	return nil, fmt.Errorf("unknown encoding %q", f.Encoding)
}

// install: of all packages only haproxy has an effect here; it keeps an existing configuration.
func (c *cloudInit) install(ctx context.Context, packages []any) error {
	c.Console("cloud-init: installing packages %v", packages)
	if err := c.clock().Sleep(ctx, installTime+computeJitter(c.instance.Name, bootJitter)); err != nil {
		return err
	}
	if broken := c.hypervisor.config.LacksPackages; broken != nil && broken(c.instance) {
		for _, p := range packages {
			c.Console("cloud-init: E: Unable to locate package %s", formatPackage(p))
		}
		c.Console("cloud-init: ('package_update_upgrade_install', ProcessExecutionError())")
		return nil // the other modules run nevertheless
	}
	if !slices.ContainsFunc(packages, func(p any) bool { return formatPackage(p) == "haproxy" }) {
		return nil
	}
	if _, configured := c.ReadFile(haproxy.Path); !configured {
		if err := c.WriteFile(haproxy.Path, []byte("global\n\ndefaults\n")); err != nil {
			return err
		}
	}
	return c.WriteFile(haproxyProgram, nil)
}

func formatPackage(p any) string {
	if list, ok := p.([]any); ok && len(list) > 0 {
		p = list[0]
	}
	return fmt.Sprint(p)
}
