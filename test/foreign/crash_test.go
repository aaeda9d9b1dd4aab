package foreign

import (
	"io"
	"strings"
	"testing"

	v3 "github.com/exoscale/egoscale/v3"
	"github.com/minio/minio-go/v7"
)

// This one runs before the others, which run side by side.
func TestZone_SurvivesCrash(t *testing.T) {
	c, s := open(t), storage(t)
	ctx := t.Context()
	group := c.made(c.CreateSecurityGroup(ctx, v3.CreateSecurityGroupRequest{Name: "lasting"}))
	must(t, s.MakeBucket(ctx, "lasting", minio.MakeBucketOptions{}))
	_, err := s.PutObject(ctx, "lasting", "key", strings.NewReader("content"), 7, minio.PutObjectOptions{})
	must(t, err)
	pending, err := c.CreateInstance(ctx, v3.CreateInstanceRequest{Name: "lasting", InstanceType: c.size("small"), Template: c.ubuntu(), DiskSize: 20})
	must(t, err)

	opened.crash()
	must(t, opened.start())

	vm := c.made(pending, nil) // the operation goes on
	want(c, "the instance's name", get(c.GetInstance(ctx, vm))(c).Name, "lasting")
	want(c, "the group's name", get(c.GetSecurityGroup(ctx, group))(c).Name, "lasting")
	object, err := s.GetObject(ctx, "lasting", "key", minio.GetObjectOptions{})
	must(t, err)
	if content, err := io.ReadAll(object); err != nil || string(content) != "content" {
		t.Errorf("the object holds %q, %v", content, err)
	}
	c.done(c.DeleteInstance(ctx, vm))
	c.done(c.DeleteSecurityGroup(ctx, group))
	must(t, s.RemoveObject(ctx, "lasting", "key", minio.RemoveObjectOptions{}))
	must(t, s.RemoveBucket(ctx, "lasting"))
}
