package s3_test

import (
	"fmt"
	"net/http"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
	"github.com/minio/minio-go/v7/pkg/signer"

	"exoshift/internal/simcloud/s3"
	"exoshift/internal/simcloud/store"
)

// acl sets the canned access list of a bucket or an object, which the client library cannot.
func (w world) acl(path, canned string) {
	w.Helper()
	r, err := http.NewRequestWithContext(w.Context(), http.MethodPut, "https://"+host+"/"+path+"?acl", nil)
	w.must(err)
	r.Header.Set("X-Amz-Acl", canned)
	r.Header.Set("X-Amz-Content-Sha256", "UNSIGNED-PAYLOAD")
	response, err := direct{w.storage}.RoundTrip(signer.SignV4(*r, key, secret, "", "ch-gva-2"))
	w.must(err)
	if response.StatusCode != http.StatusOK {
		w.Fatalf("set the access list of %s: %s", path, response.Status)
	}
}

// keys has two keys: one with all permissions, the other with the given ones.
func keys(lines ...string) s3.Credentials {
	return func(given string) (string, func(operation, bucket, object string) bool, bool) {
		return secret, func(operation, bucket, object string) bool {
			return given == key || slices.Contains(lines, strings.TrimSuffix(operation+" "+bucket+"/"+object, "/"))
		}, given == key || given == "EXOtold"
	}
}

func inStorageOf(t *testing.T, config s3.Config, test func(w world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		config.DB, config.Zone, config.Key, config.Secret = store.NewMemory(), "ch-gva-2", key, secret
		storage, err := s3.New(config)
		if err != nil {
			t.Fatal(err)
		}
		w := world{T: t, storage: storage}
		w.client = w.connect(secret, true, false)
		test(w)
	})
}

func TestKey_Policy(t *testing.T) {
	config := s3.Config{Credentials: keys("put-object mine/x", "get-object mine/x", "list-buckets ", "head-bucket mine")}
	inStorageOf(t, config, func(w world) {
		ctx := w.Context()
		w.must(w.client.MakeBucket(ctx, "mine", minio.MakeBucketOptions{}))
		w.must(w.client.MakeBucket(ctx, "other", minio.MakeBucketOptions{}))
		client, err := minio.New(host, &minio.Options{
			Creds: credentials.NewStaticV4("EXOtold", secret, ""), Secure: true, Region: "ch-gva-2",
			Transport: direct{w.storage}, BucketLookup: minio.BucketLookupPath,
		})
		w.must(err)
		_, err = client.PutObject(ctx, "mine", "x", strings.NewReader("x"), 1, minio.PutObjectOptions{})
		w.must(err)
		_, err = client.PutObject(ctx, "mine", "y", strings.NewReader("x"), 1, minio.PutObjectOptions{})
		w.code(err, "AccessDenied")
		_, err = client.PutObject(ctx, "other", "x", strings.NewReader("x"), 1, minio.PutObjectOptions{})
		w.code(err, "AccessDenied")
		w.code(client.RemoveObject(ctx, "mine", "x", minio.RemoveObjectOptions{}), "AccessDenied")
		w.code(client.MakeBucket(ctx, "third", minio.MakeBucketOptions{}), "AccessDenied")
		link, err := client.PresignedGetObject(ctx, "other", "x", time.Hour, nil)
		w.must(err)
		if status, _ := w.fetch(http.MethodGet, link.String(), nil); status != http.StatusForbidden {
			t.Errorf("a link says more than its maker may: %d", status)
		}
		_, err = client.CopyObject(ctx, minio.CopyDestOptions{Bucket: "mine", Object: "x"}, minio.CopySrcOptions{Bucket: "other", Object: "x"})
		w.code(err, "AccessDenied")
		buckets, err := client.ListBuckets(ctx)
		w.must(err)
		if len(buckets) != 2 {
			t.Errorf("buckets: %v", buckets)
		}
	})
}

func TestBucket_NamesAreGlobal(t *testing.T) {
	inStorageOf(t, s3.Config{Foreign: []string{"theirs"}}, func(w world) {
		w.code(w.client.MakeBucket(w.Context(), "theirs", minio.MakeBucketOptions{}), "BucketAlreadyExists")
		_, err := w.client.BucketExists(w.Context(), "theirs")
		if minio.ToErrorResponse(err).StatusCode != http.StatusForbidden {
			t.Errorf("HEAD: %v", err)
		}
		_, err = w.client.StatObject(w.Context(), "theirs", "x", minio.StatObjectOptions{})
		if minio.ToErrorResponse(err).StatusCode != http.StatusForbidden {
			t.Errorf("HEAD of an object: %v", err)
		}
		w.code(w.client.RemoveBucket(w.Context(), "theirs"), "AccessDenied")
	})
}

func TestBucket_Quota(t *testing.T) {
	limit := 1
	inStorageOf(t, s3.Config{Limit: func() int { return limit }}, func(w world) {
		w.must(w.client.MakeBucket(w.Context(), "one", minio.MakeBucketOptions{}))
		w.code(w.client.MakeBucket(w.Context(), "two", minio.MakeBucketOptions{}), "TooManyBuckets")
		limit = -1
		for i := range 3 {
			w.must(w.client.MakeBucket(w.Context(), fmt.Sprintf("more-%d", i), minio.MakeBucketOptions{}))
		}
		if usage := w.storage.Usage(); len(usage) != 4 || usage[3].Name != "one" {
			t.Errorf("%v", usage)
		}
	})
}

func TestBucket_VirtualHostStyle(t *testing.T) {
	inBubble(t, func(w world) {
		client, err := minio.New(host, &minio.Options{
			Creds: credentials.NewStaticV4(key, secret, ""), Secure: true, Region: "ch-gva-2",
			Transport: direct{w.storage}, BucketLookup: minio.BucketLookupDNS,
		})
		w.must(err)
		_, err = client.PutObject(w.Context(), "bucket", "a/b", strings.NewReader("x"), 1, minio.PutObjectOptions{})
		w.must(err)
		if got := string(w.read(w.client, "a/b")); got != "x" {
			t.Errorf("got %q", got)
		}
	})
}
