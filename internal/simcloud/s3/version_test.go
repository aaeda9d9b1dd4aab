package s3_test

import (
	"bytes"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/minio/minio-go/v7"
)

func (w world) versioned() {
	w.Helper()
	w.must(w.client.EnableVersioning(w.Context(), "bucket"))
}

// versions formats the contents of the bucket: "key", "+" for the current version and "-" for a delete marker.
func (w world) versions(options minio.ListObjectsOptions) (text []string, infos []minio.ObjectInfo) {
	w.Helper()
	options.WithVersions, options.Recursive = true, true
	for o := range w.client.ListObjects(w.Context(), "bucket", options) {
		w.must(o.Err)
		name := o.Key
		if o.IsDeleteMarker {
			name += "-"
		}
		if o.IsLatest {
			name += "+"
		}
		text, infos = append(text, name), append(infos, o)
	}
	return text, infos
}

func TestVersioning_KeepsUntilDeleted(t *testing.T) {
	inBubble(t, func(w world) {
		w.put("a", []byte("before"))
		w.versioned()
		w.put("a", []byte("one"))
		w.put("a", []byte("two"))
		w.put("b", []byte("b"))
		w.must(w.client.RemoveObject(w.Context(), "bucket", "a", minio.RemoveObjectOptions{}))
		_, err := w.client.StatObject(w.Context(), "bucket", "a", minio.StatObjectOptions{})
		w.code(err, "NoSuchKey")
		names, versions := w.versions(minio.ListObjectsOptions{MaxKeys: 2})
		if diff := cmp.Diff([]string{"a-+", "a", "a", "a", "b+"}, names); diff != "" {
			t.Fatal(diff)
		}
		if versions[3].VersionID != "null" {
			t.Errorf("what was there before has version %q", versions[3].VersionID)
		}
		object, err := w.client.GetObject(w.Context(), "bucket", "a", minio.GetObjectOptions{VersionID: versions[2].VersionID})
		w.must(err)
		content, err := io.ReadAll(object)
		w.must(err)
		w.must(object.Close())
		if string(content) != "one" {
			t.Errorf("got %q", content)
		}
		w.code(w.client.RemoveBucket(w.Context(), "bucket"), "BucketNotEmpty")
		w.must(w.client.RemoveObject(w.Context(), "bucket", "a", minio.RemoveObjectOptions{VersionID: versions[0].VersionID}))
		if got := string(w.read(w.client, "a")); got != "two" {
			t.Errorf("without the mark: %q", got)
		}
		w.removeVersions(versions[1:])
		w.must(w.client.RemoveBucket(w.Context(), "bucket"))
	})
}

func (w world) removeVersions(versions []minio.ObjectInfo) {
	w.Helper()
	doomed := make(chan minio.ObjectInfo, len(versions))
	for _, o := range versions {
		doomed <- o
	}
	close(doomed)
	for fault := range w.client.RemoveObjects(w.Context(), "bucket", doomed, minio.RemoveObjectsOptions{}) {
		w.Error(fault)
	}
}

func TestVersioning_SuspendedReplacesNullVersion(t *testing.T) {
	inBubble(t, func(w world) {
		w.versioned()
		w.put("a", []byte("kept"))
		w.must(w.client.SuspendVersioning(w.Context(), "bucket"))
		w.put("a", []byte("one"))
		w.put("a", []byte("two"))
		if names, _ := w.versions(minio.ListObjectsOptions{}); len(names) != 2 || string(w.read(w.client, "a")) != "two" {
			t.Errorf("versions: %v", names)
		}
		settings, err := w.client.GetBucketVersioning(w.Context(), "bucket")
		w.must(err)
		if settings.Status != "Suspended" {
			t.Errorf("status %q", settings.Status)
		}
	})
}

func TestCopy_HeadersWithoutACL(t *testing.T) {
	inBubble(t, func(w world) {
		content := random(1000)
		_, err := w.client.PutObject(w.Context(), "bucket", "a b", bytes.NewReader(content), 1000,
			minio.PutObjectOptions{ContentType: "text/x", UserMetadata: map[string]string{"x-amz-acl": "public-read"}})
		w.must(err)
		from := minio.CopySrcOptions{Bucket: "bucket", Object: "a b"}
		_, err = w.client.CopyObject(w.Context(), minio.CopyDestOptions{Bucket: "bucket", Object: "copy"}, from)
		w.must(err)
		info, err := w.client.StatObject(w.Context(), "bucket", "copy", minio.StatObjectOptions{})
		w.must(err)
		if info.ContentType != "text/x" || !bytes.Equal(w.read(w.client, "copy"), content) {
			t.Errorf("%+v", info)
		}
		if status, _ := w.fetch(http.MethodGet, "https://"+host+"/bucket/copy", nil); status != http.StatusForbidden {
			t.Errorf("the copy is public: %d", status)
		}
		from.Object = "nothing"
		_, err = w.client.CopyObject(w.Context(), minio.CopyDestOptions{Bucket: "bucket", Object: "copy"}, from)
		w.code(err, "NoSuchKey")
		core := minio.Core{Client: w.client}
		id, err := core.NewMultipartUpload(w.Context(), "bucket", "parts", minio.PutObjectOptions{})
		w.must(err)
		part, err := core.CopyObjectPart(w.Context(), "bucket", "a b", "bucket", "parts", id, 1, 10, 20, nil)
		w.must(err)
		_, err = core.CompleteMultipartUpload(w.Context(), "bucket", "parts", id, []minio.CompletePart{part}, minio.PutObjectOptions{})
		w.must(err)
		if !bytes.Equal(w.read(w.client, "parts"), content[10:30]) {
			t.Error("another range was copied")
		}
	})
}

func TestBucket_ACLAndPolicy(t *testing.T) {
	inBubble(t, func(w world) {
		policy, err := w.client.GetBucketPolicy(w.Context(), "bucket")
		w.must(err) // the library takes no policy for an empty one
		if policy != "" {
			t.Errorf("policy %q", policy)
		}
		const wanted = `{"default-service-strategy":"deny","services":{}}`
		w.must(w.client.SetBucketPolicy(w.Context(), "bucket", wanted))
		w.code(w.client.SetBucketPolicy(w.Context(), "bucket", `{"Version":"2012-10-17","Statement":[]}`), "MalformedPolicy")
		policy, err = w.client.GetBucketPolicy(w.Context(), "bucket")
		w.must(err)
		if policy != wanted {
			t.Errorf("policy %q", policy)
		}
		w.must(w.client.SetBucketPolicy(w.Context(), "bucket", ""))
		if status, _ := w.fetch(http.MethodGet, "https://"+host+"/bucket", nil); status != http.StatusForbidden {
			t.Errorf("a private bucket: %d", status)
		}
		w.acl("bucket", "public-read")
		if status, body := w.fetch(http.MethodGet, "https://"+host+"/bucket", nil); status != http.StatusOK || !strings.Contains(body, "ListBucketResult") {
			t.Errorf("a public bucket: %d %s", status, body)
		}
		if status, _ := w.fetch(http.MethodGet, "https://"+host+"/bucket?acl", nil); status != http.StatusForbidden {
			t.Errorf("its list is for everybody: %d", status)
		}
		w.acl("bucket", "private")
		if status, _ := w.fetch(http.MethodGet, "https://"+host+"/bucket", nil); status != http.StatusForbidden {
			t.Errorf("private again: %d", status)
		}
	})
}
