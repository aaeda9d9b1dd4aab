package contract_test

import (
	"context"
	"crypto/md5" //nolint:gosec // the API tells images apart by MD5
	"encoding/hex"
	"io"
	"net/http"

	"exoshift/state"
)

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIOMqqnkVzrm0SdG6UOoqKLsabgH5C9okWi0dh2l9GKJl contract"

// sshKey is what earlier versions of the recipe registered; a teardown has to find and delete it.
func sshKey(_ context.Context, w *world) subject {
	keys := &things{world: w, kind: state.KindSSHKey, name: w.name("operator")}
	register := func(ctx context.Context, name string) error {
		return w.post(ctx, "/ssh-key", map[string]any{"name": name, "public-key": publicKey})
	}
	return subject{
		ensure: func(ctx context.Context) (state.Action, error) {
			if keys.count(ctx) > 0 {
				return state.Found, nil
			}
			return state.Created, register(ctx, keys.name)
		},
		count: keys.count, remove: keys.remove,
		// A key is refused under its name, and under another one.
		double: func(ctx context.Context) error {
			if err := register(ctx, keys.name); err == nil {
				return nil
			}
			return register(ctx, keys.name+"-again")
		},
		unique: true,
	}
}

func antiAffinityGroup(_ context.Context, w *world) subject {
	groups := &things{world: w, kind: state.KindAntiAffinityGroup, name: w.name("masters")}
	return subject{
		ensure: func(ctx context.Context) (state.Action, error) {
			_, action, err := w.cloud.EnsureAntiAffinityGroup(ctx, groups.name, "of a test")
			return action, err
		},
		count: groups.count, remove: groups.remove,
		double: func(ctx context.Context) error {
			return w.post(ctx, "/anti-affinity-group", map[string]any{"name": groups.name})
		},
	}
}

// machine is a small instance of a public image.
func (w *world) machine(ctx context.Context, name string) state.Instance {
	w.Helper()
	image, err := w.cloud.FindPublicTemplate(ctx, "Linux Debian 12 (Bookworm) 64-bit")
	w.check(err)
	return state.Instance{
		Name: w.name(name), Type: "standard.small", TemplateID: image.ID, DiskGiB: max(10, image.SizeGiB),
		UserData: []byte("#cloud-config\n"), Labels: w.labels(),
	}
}

func instance(ctx context.Context, w *world) subject {
	wanted := w.machine(ctx, "lb-0")
	machines := &things{world: w, kind: state.KindInstance, name: wanted.Name}
	var made state.Instance
	return subject{
		ensure: func(ctx context.Context) (action state.Action, err error) {
			made, action, err = w.cloud.EnsureInstance(ctx, wanted)
			return action, err
		},
		count: machines.count, remove: machines.remove,
		double: func(ctx context.Context) error {
			var live map[string]any
			if err := w.send(ctx, http.MethodGet, "/instance/"+made.ID, nil, &live); err != nil {
				return err
			}
			return w.post(ctx, "/instance", map[string]any{
				"name": made.Name, "labels": made.Labels, "disk-size": made.DiskGiB,
				"instance-type": live["instance-type"], "template": live["template"],
			})
		},
	}
}

func template(ctx context.Context, w *world) subject {
	if w.image == "" {
		w.Skip("set EXOSHIFT_E2E_IMAGE_URL to a QCOW2 image that the zone can fetch, to register it as a template")
	}
	wanted := state.Template{
		Name: w.name("rhcos"), Description: "of a test", URL: w.image, MD5: w.sum(ctx, w.image), BootMode: "uefi", DefaultUser: "core",
	}
	templates := &things{world: w, kind: state.KindTemplate, name: wanted.Name}
	return subject{
		ensure: func(ctx context.Context) (state.Action, error) { return w.ensureTemplate(ctx, wanted) },
		count:  templates.count, remove: templates.remove,
		several: state.Found, // clusters share templates: of equal ones all take the oldest
		double: func(ctx context.Context) error {
			return w.post(ctx, "/template", map[string]any{
				"name": wanted.Name, "url": wanted.URL, "checksum": wanted.MD5, "boot-mode": wanted.BootMode,
				"ssh-key-enabled": true, "password-enabled": false,
			})
		},
	}
}

// sum is the MD5 of what a link leads to.
func (w *world) sum(ctx context.Context, link string) string {
	w.Helper()
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, link, http.NoBody)
	w.check(err)
	client := w.net.NewClient()
	defer client.CloseIdleConnections()
	answer, err := client.Do(request)
	w.check(err)
	defer func() { _ = answer.Body.Close() }()
	if answer.StatusCode != http.StatusOK {
		w.Fatalf("the image: %s", answer.Status)
	}
	hash := md5.New() //nolint:gosec // see the import
	_, err = io.Copy(hash, answer.Body)
	w.check(err)
	return hex.EncodeToString(hash.Sum(nil))
}
