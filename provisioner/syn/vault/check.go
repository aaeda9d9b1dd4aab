package vault

import (
	"context"
	"slices"
	"strings"

	"github.com/hashicorp/vault/api"

	"exoshift/internal/fault"
)

// probeName is a secret that is never created: its permissions are those of any secret below the same path.
const probeName = "exoshift-check"

// Check fails with fault.Denied unless secrets below path may be read and created. It reads the policies and creates nothing.
func (c *Client) Check(ctx context.Context, path string) error {
	op := "check what is allowed in Vault below " + sanitize(path)
	if err := checkPath(op, path); err != nil {
		return err
	}
	client, err := c.ensureReady(ctx, op)
	if err != nil {
		return err
	}
	place := c.options.Mount + "/data/" + path
	allowed, err := client.Sys().CapabilitiesSelfWithContext(ctx, place+"/"+probeName)
	if err != nil {
		return c.toDeniedFault(ctx, op, "sys/capabilities-self", "update", toFault(ctx, op, err, client.Token()))
	}
	if slices.Contains(allowed, "root") {
		return nil
	}
	var lacking []string
	for _, right := range []string{"create", "read", "update"} {
		if !slices.Contains(allowed, right) {
			lacking = append(lacking, right)
		}
	}
	if lacking == nil {
		return nil
	}
	return fault.Newf(fault.Denied, op, "the token may not %s secrets there", strings.Join(lacking, ", ")).
		WithHint("ask those who run Vault for a policy with create, read and update on %s/*, or sign in as somebody who has it", place)
}

// ensureReady also checks the mount: a KV store of version 1 would interpret the same requests as other secrets, and its writes
// would replace existing ones.
func (c *Client) ensureReady(ctx context.Context, op string) (*api.Client, error) {
	client, err := c.requireClient(ctx, op)
	if err != nil {
		return nil, err
	}
	c.mu.Lock()
	known := c.mountChecked
	c.mu.Unlock()
	if known {
		return client, nil
	}
	if err := c.checkMount(ctx, op, client); err != nil {
		return nil, err
	}
	c.mu.Lock()
	c.mountChecked = true
	c.mu.Unlock()
	return client, nil
}

func (c *Client) checkMount(ctx context.Context, op string, client *api.Client) error {
	place := "sys/internal/ui/mounts/" + c.options.Mount
	told, err := client.Logical().ReadWithContext(ctx, place)
	switch {
	case isForbidden(err):
		failed := c.toDeniedFault(ctx, op, c.options.Mount, "read", toFault(ctx, op, err, client.Token()))
		if client.Token() == "" {
			return failed
		}
		return fault.Newf(fault.Denied, op, "Vault has no store %s, or shows nothing of it to this token", c.options.Mount).
			WithHint("check the address and the namespace of Vault, and ask those who run it for a policy with read on %s/*", c.options.Mount)
	case err != nil:
		return toFault(ctx, op, err, client.Token())
	case told == nil:
		return fault.Newf(fault.NotFound, op, "Vault has no store %s", c.options.Mount).WithHint("check the address and the namespace of Vault")
	}
	return c.checkVersion(op, told)
}

func (c *Client) checkVersion(op string, told *api.Secret) error {
	options, _ := told.Data["options"].(map[string]any)
	at, _ := told.Data["path"].(string)
	if told.Data["type"] == "kv" && options["version"] == "2" && strings.Trim(at, "/") == c.options.Mount {
		return nil
	}
	return fault.Newf(fault.Invalid, op, "what is mounted at %s is no KV store of version 2, which keeps earlier versions of a secret", c.options.Mount).
		WithHint("check the address of Vault; those who run it make a store one of version 2")
}
