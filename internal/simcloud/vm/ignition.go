package vm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/coreos/ignition/v2/config/v3_5"
	"github.com/coreos/ignition/v2/config/v3_5/types"
)

// ignitionResult exists on a disk where Ignition is complete; it never runs there again.
const ignitionResult = "/etc/.ignition-result.json"

// runIgnition runs Ignition on the first boot. A failure leaves the machine in its emergency shell.
func (b *guest) runIgnition(ctx context.Context) error {
	if _, done := b.ReadFile(ignitionResult); done {
		return nil
	}
	f := newFetcher(b)
	defer func() { f.close() }()
	config, err := f.fetchUserConfig(ctx)
	if err != nil {
		return fmt.Errorf("ignition: failed: %w; entering emergency mode", err)
	}
	if err := b.createPartitions(config.Storage.Disks); err != nil {
		return fmt.Errorf("ignition: disks failed: %w; entering emergency mode", err)
	}
	if err := f.writeFiles(ctx, config); err != nil {
		return fmt.Errorf("ignition: files failed: %w; entering emergency mode", err)
	}
	b.Console("ignition: files stage finished, %d files", len(config.Storage.Files))
	return b.WriteFile(ignitionResult, []byte(`{"userConfigProvided":true}`))
}

// fetchUserConfig returns the user data merged with everything it refers to. No user data is an empty configuration.
func (f *fetcher) fetchUserConfig(ctx context.Context) (types.Config, error) {
	raw, err := f.fetchHTTP(ctx, "http://"+metadataAddress+"/1.0/user-data", nil)
	var status statusError
	if errors.As(err, &status) && status.status == http.StatusNotFound {
		raw, err = nil, nil
	}
	if err != nil {
		return types.Config{}, err
	}
	if len(raw) == 0 {
		f.guest.Console("ignition: no user-data: not a config (empty)")
		return types.Config{}, nil
	}
	config, err := f.parse("user-data", raw)
	if err != nil {
		return types.Config{}, err
	}
	if err := f.addAuthorities(ctx, config.Ignition.Security.TLS.CertificateAuthorities); err != nil {
		return types.Config{}, err
	}
	return f.render(ctx, config)
}

// parse accepts every stable version of the specification up to that of Ignition in OpenShift 4.19. It does not uncompress the
// document: gzip is not JSON.
func (f *fetcher) parse(what string, raw []byte) (types.Config, error) {
	config, report, err := v3_5.ParseCompatibleVersion(raw)
	for _, entry := range report.Entries {
		f.guest.Console("ignition: %s: %s", what, entry.String())
	}
	if err != nil {
		return types.Config{}, fmt.Errorf("%s: %w", what, err)
	}
	return config, nil
}

// render follows replace and merge, as Ignition's config fetcher does: merged configs take precedence over the referring one,
// and later references are fetched with the CAs of earlier ones.
func (f *fetcher) render(ctx context.Context, config types.Config) (types.Config, error) {
	if reference := config.Ignition.Config.Replace; reference.Source != nil {
		replaced, err := f.fetchReference(ctx, reference)
		if err != nil {
			return types.Config{}, err
		}
		if err := f.addAuthorities(ctx, replaced.Ignition.Security.TLS.CertificateAuthorities); err != nil {
			return types.Config{}, err
		}
		return f.render(ctx, replaced)
	}
	merged := config
	for _, reference := range config.Ignition.Config.Merge {
		child, err := f.fetchReference(ctx, reference)
		if err != nil {
			return types.Config{}, err
		}
		settings := v3_5.Merge(merged, child)
		if err := f.addAuthorities(ctx, settings.Ignition.Security.TLS.CertificateAuthorities); err != nil {
			return types.Config{}, err
		}
		if child, err = f.render(ctx, child); err != nil {
			return types.Config{}, err
		}
		merged = v3_5.Merge(merged, child)
	}
	return merged, nil
}

func (f *fetcher) fetchReference(ctx context.Context, reference types.Resource) (types.Config, error) {
	raw, err := f.get(ctx, reference)
	if err != nil {
		return types.Config{}, fmt.Errorf("referenced config: %w", err)
	}
	return f.parse("referenced config", raw)
}

// writeFiles writes files, units and the SSH keys of users; links and directories have no effect here.
func (f *fetcher) writeFiles(ctx context.Context, config types.Config) error {
	for _, file := range config.Storage.Files {
		if err := f.writeFile(ctx, file); err != nil {
			return fmt.Errorf("write %s: %w", file.Path, err)
		}
	}
	if err := f.guest.writeKeys(config.Passwd.Users); err != nil {
		return err
	}
	return (&systemd{f.guest}).writeUnits(config.Systemd.Units)
}

func (b *guest) writeKeys(users []types.PasswdUser) error {
	for _, user := range users {
		var lines strings.Builder
		for _, key := range user.SSHAuthorizedKeys {
			fmt.Fprintln(&lines, key)
		}
		if err := b.WriteFile("/home/"+user.Name+"/.ssh/authorized_keys.d/ignition", []byte(lines.String())); err != nil {
			return err
		}
	}
	return nil
}

func (f *fetcher) writeFile(ctx context.Context, file types.File) error {
	content, _ := f.guest.ReadFile(file.Path)
	if file.Contents.Source != nil {
		var err error
		if content, err = f.get(ctx, file.Contents); err != nil {
			return err
		}
	}
	for _, more := range file.Append {
		piece, err := f.get(ctx, more)
		if err != nil {
			return err
		}
		content = append(content[:len(content):len(content)], piece...)
	}
	return f.guest.WriteFile(file.Path, content)
}
