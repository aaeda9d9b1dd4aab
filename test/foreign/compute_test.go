package foreign

import (
	"encoding/base64"
	"strings"
	"testing"

	v3 "github.com/exoscale/egoscale/v3"
)

const publicKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGUfTVdlCqxn8T2V0vCsrz1Iia0d3xHTKYYPKFTPKl+V somebody"

// The API refuses a key that it knows, and the tests share a zone.
const otherKey = "ssh-ed25519 AAAAC3NzaC1lZDI1NTE5AAAAIGPpjFWOqdKCYTBEWTfWZ4vBAOKnVBNmq5FwSUUtP3X7 somebody"

func TestCompute_Instances(t *testing.T) {
	t.Parallel()
	c := open(t)
	ctx := t.Context()
	group := c.made(c.CreateAntiAffinityGroup(ctx, v3.CreateAntiAffinityGroupRequest{Name: "apart"}))
	c.done(c.RegisterSSHKey(ctx, v3.RegisterSSHKeyRequest{Name: "of-instances", PublicKey: publicKey}))
	id := c.made(c.CreateInstance(ctx, v3.CreateInstanceRequest{
		Name: "vm", InstanceType: c.size("small"), Template: c.ubuntu(), DiskSize: 20, Labels: v3.Labels{"a": "1"},
		AntiAffinityGroups: []v3.AntiAffinityGroup{{ID: group}}, SSHKeys: []v3.SSHKey{{Name: "of-instances"}},
		UserData: base64.StdEncoding.EncodeToString([]byte("#cloud-config\n")),
	}))
	live := get(c.GetInstance(ctx, id))(c)
	want(c, "the name", live.Name, "vm")
	want(c, "the state", live.State, v3.InstanceStateRunning)
	want(c, "the label", live.Labels["a"], "1")
	want(c, "the group", live.AntiAffinityGroups[0].ID, group)
	want(c, "the key", live.SSHKeys[0].Name, "of-instances")
	if live.SecurebootEnabled == nil || live.TpmEnabled == nil || live.PublicIP == nil || live.UserData == "" {
		t.Errorf("something is missing: %+v", live)
	}
	has(c, get(c.ListInstances(ctx))(c).Instances, func(i v3.ListInstancesResponseInstances) bool { return i.ID == id && i.Name == "vm" })
	want(c, "the groups' instances", len(get(c.GetAntiAffinityGroup(ctx, group))(c).Instances), 1)

	c.done(c.UpdateInstance(ctx, id, v3.UpdateInstanceRequest{Name: "vm-2", Labels: v3.Labels{"b": "2"}}))
	c.done(c.StopInstance(ctx, id))
	c.done(c.ScaleInstance(ctx, id, v3.ScaleInstanceRequest{InstanceType: c.size("medium")}))
	c.done(c.StartInstance(ctx, id, v3.StartInstanceRequest{}))
	live = get(c.GetInstance(ctx, id))(c)
	want(c, "the new name", live.Name, "vm-2")
	want(c, "the old label", live.Labels["a"], "")
	want(c, "the new label", live.Labels["b"], "2")
	want(c, "the new type", live.InstanceType.ID, c.size("medium").ID)
	want(c, "the state", live.State, v3.InstanceStateRunning)

	c.done(c.DeleteInstance(ctx, id))
	c.gone(c.GetInstance(ctx, id))
	c.done(c.DeleteAntiAffinityGroup(ctx, group))
	c.done(c.DeleteSSHKey(ctx, "of-instances"))
}

func TestCompute_InstancePools(t *testing.T) {
	t.Parallel()
	c := open(t)
	ctx := t.Context()
	id := c.made(c.CreateInstancePool(ctx, v3.CreateInstancePoolRequest{
		Name: "pool", InstancePrefix: "member", InstanceType: c.size("small"), Template: c.ubuntu(), DiskSize: 20, Size: 2,
	}))
	live := get(c.GetInstancePool(ctx, id))(c)
	want(c, "the state", live.State, v3.InstancePoolStateRunning)
	want(c, "the members", len(live.Instances), 2)
	for _, member := range get(c.ListInstances(ctx, v3.ListInstancesWithManagerID(id)))(c).Instances {
		want(c, "the prefix of "+member.Name, strings.HasPrefix(member.Name, "member-"), true)
	}
	has(c, get(c.ListInstancePools(ctx))(c).InstancePools, func(p v3.InstancePool) bool { return p.ID == id && p.Name == "pool" })

	c.done(c.UpdateInstancePool(ctx, id, v3.UpdateInstancePoolRequest{Name: "pool-2", Description: "changed"}))
	c.done(c.ScaleInstancePool(ctx, id, v3.ScaleInstancePoolRequest{Size: 3}))
	live = get(c.GetInstancePool(ctx, id))(c)
	want(c, "the name", live.Name, "pool-2")
	want(c, "the size", live.Size, 3)
	want(c, "the members", len(live.Instances), 3)
	c.done(c.EvictInstancePoolMembers(ctx, id, v3.EvictInstancePoolMembersRequest{Instances: []v3.UUID{live.Instances[0].ID}}))
	want(c, "the size after an eviction", get(c.GetInstancePool(ctx, id))(c).Size, 2)

	c.done(c.DeleteInstancePool(ctx, id))
	c.gone(c.GetInstancePool(ctx, id))
	want(c, "the members that are left", len(get(c.ListInstances(ctx, v3.ListInstancesWithManagerID(id)))(c).Instances), 0)
}

func TestCompute_SSHKeys(t *testing.T) {
	t.Parallel()
	c := open(t)
	ctx := t.Context()
	c.done(c.RegisterSSHKey(ctx, v3.RegisterSSHKeyRequest{Name: "key", PublicKey: otherKey}))
	want(c, "the name", get(c.GetSSHKey(ctx, "key"))(c).Name, "key")
	if _, err := c.RegisterSSHKey(ctx, v3.RegisterSSHKeyRequest{Name: "again", PublicKey: otherKey}); err == nil {
		t.Error("the same key is registered by two names")
	}
	has(c, get(c.ListSSHKeys(ctx))(c).SSHKeys, func(k v3.SSHKey) bool { return k.Name == "key" && k.Fingerprint != "" })
	c.done(c.DeleteSSHKey(ctx, "key"))
	c.gone(c.GetSSHKey(ctx, "key"))
}

func TestCompute_AntiAffinityGroups(t *testing.T) {
	t.Parallel()
	c := open(t)
	ctx := t.Context()
	id := c.made(c.CreateAntiAffinityGroup(ctx, v3.CreateAntiAffinityGroupRequest{Name: "group", Description: "of a test"}))
	want(c, "the description", get(c.GetAntiAffinityGroup(ctx, id))(c).Description, "of a test")
	has(c, get(c.ListAntiAffinityGroups(ctx))(c).AntiAffinityGroups, func(g v3.AntiAffinityGroup) bool { return g.ID == id && g.Name == "group" })
	c.done(c.DeleteAntiAffinityGroup(ctx, id))
	c.gone(c.GetAntiAffinityGroup(ctx, id))
}
