package foreign

import (
	"bytes"
	"crypto/md5"
	"encoding/hex"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	v3 "github.com/exoscale/egoscale/v3"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

// storage is somebody who uses MinIO's SDK.
func storage(t *testing.T) *minio.Client {
	t.Helper()
	client, err := minio.New(strings.TrimPrefix(os.Getenv("AWS_ENDPOINT_URL_S3"), "https://"), &minio.Options{
		Creds: credentials.NewEnvAWS(), Secure: true, Region: os.Getenv("AWS_REGION"), BucketLookup: minio.BucketLookupPath,
	})
	must(t, err)
	return client
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func TestObjects_BucketsAndObjects(t *testing.T) {
	t.Parallel()
	s := storage(t)
	ctx := t.Context()
	must(t, s.MakeBucket(ctx, "foreign", minio.MakeBucketOptions{}))
	large := bytes.Repeat([]byte("0123456789abcdef"), 1<<20) // 16 MiB: more than one part
	for name, content := range map[string][]byte{"small": []byte("hello"), "dir/large": large} {
		_, err := s.PutObject(ctx, "foreign", name, bytes.NewReader(content), -1, minio.PutObjectOptions{PartSize: 5 << 20, ContentType: "text/plain"})
		must(t, err)
		object, err := s.GetObject(ctx, "foreign", name, minio.GetObjectOptions{})
		must(t, err)
		if got, err := io.ReadAll(object); err != nil || !bytes.Equal(got, content) {
			t.Errorf("%s has %d bytes, %v", name, len(got), err)
		}
	}
	_, err := s.PutObject(ctx, "foreign", "small", strings.NewReader("hello again"), 11, minio.PutObjectOptions{})
	must(t, err)
	info, err := s.StatObject(ctx, "foreign", "small", minio.StatObjectOptions{})
	if err != nil || info.Size != 11 {
		t.Errorf("changed to %d bytes, %v", info.Size, err)
	}
	var names []string
	for object := range s.ListObjects(ctx, "foreign", minio.ListObjectsOptions{Recursive: true}) {
		must(t, object.Err)
		names = append(names, object.Key)
		must(t, s.RemoveObject(ctx, "foreign", object.Key, minio.RemoveObjectOptions{}))
	}
	if got := strings.Join(names, " "); got != "dir/large small" {
		t.Errorf("listed: %s", got)
	}
	must(t, s.RemoveBucket(ctx, "foreign"))
	if there, err := s.BucketExists(ctx, "foreign"); there || err != nil {
		t.Errorf("deleted, and there: %v, %v", there, err)
	}
}

func TestObjects_Templates(t *testing.T) {
	t.Parallel()
	c, s := open(t), storage(t)
	ctx := t.Context()
	image := append([]byte("QFI\xfb\x00\x00\x00\x03"), make([]byte, 1<<16)...)
	must(t, s.MakeBucket(ctx, "images", minio.MakeBucketOptions{}))
	_, err := s.PutObject(ctx, "images", "image.qcow2", bytes.NewReader(image), int64(len(image)), minio.PutObjectOptions{})
	must(t, err)
	link, err := s.PresignedGetObject(ctx, "images", "image.qcow2", time.Hour, nil)
	must(t, err)
	sum := md5.Sum(image)
	id := c.made(c.RegisterTemplate(ctx, v3.RegisterTemplateRequest{Name: "own", URL: link.String(), Checksum: hex.EncodeToString(sum[:]),
		BootMode: v3.RegisterTemplateRequestBootModeUefi, SSHKeyEnabled: ptr(true), PasswordEnabled: ptr(false), DefaultUser: "core"}))
	want(c, "the user", get(c.GetTemplate(ctx, id))(c).DefaultUser, "core")
	has(c, get(c.ListTemplates(ctx, v3.ListTemplatesWithVisibility(v3.ListTemplatesVisibilityPrivate)))(c).Templates,
		func(found v3.Template) bool { return found.ID == id && found.Name == "own" })
	c.done(c.UpdateTemplate(ctx, id, v3.UpdateTemplateRequest{Name: "own-2"}))
	want(c, "the name", get(c.GetTemplate(ctx, id))(c).Name, "own-2")
	c.done(c.DeleteTemplate(ctx, id))
	c.gone(c.GetTemplate(ctx, id))
	must(t, s.RemoveObject(ctx, "images", "image.qcow2", minio.RemoveObjectOptions{}))
	must(t, s.RemoveBucket(ctx, "images"))
}

// say runs a program that may be missing on this machine and returns what it said.
func say(t *testing.T, program string, args ...string) string {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		t.Skipf("%s is not installed here", program)
	}
	said, err := exec.CommandContext(t.Context(), program, args...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v\n%s", program, strings.Join(args, " "), err, said)
	}
	return string(said)
}

func TestObjects_AWSCLI(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	must(t, os.WriteFile(file, []byte("hello\n"), 0o600))
	say(t, "aws", "s3", "mb", "s3://by-aws")
	say(t, "aws", "s3", "cp", file, "s3://by-aws/dir/file")
	if listed := say(t, "aws", "s3", "ls", "s3://by-aws", "--recursive"); !strings.Contains(listed, "6 dir/file") {
		t.Errorf("listed: %s", listed)
	}
	if got := say(t, "aws", "s3", "cp", "s3://by-aws/dir/file", "-"); got != "hello\n" {
		t.Errorf("read: %s", got)
	}
	say(t, "aws", "s3", "rm", "s3://by-aws", "--recursive")
	say(t, "aws", "s3", "rb", "s3://by-aws")
	if listed := say(t, "aws", "s3", "ls"); strings.Contains(listed, "by-aws") {
		t.Errorf("deleted, and listed: %s", listed)
	}
}
