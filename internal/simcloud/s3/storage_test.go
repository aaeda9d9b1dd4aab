package s3_test

import (
	"bytes"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"exoshift/internal/simcloud/s3"
	"exoshift/internal/simcloud/store"
)

const (
	host   = "sos-ch-gva-2.exo.io"
	key    = "EXOkey"
	secret = "a-secret-that-nobody-knows"
)

// direct calls the handler without a network.
type direct struct{ handler http.Handler }

func (d direct) RoundTrip(r *http.Request) (*http.Response, error) {
	served := r.Clone(r.Context())
	if served.Host == "" {
		served.Host = r.URL.Host
	}
	if r.Body == nil {
		served.Body = http.NoBody
	}
	recorder := httptest.NewRecorder()
	d.handler.ServeHTTP(recorder, served)
	response := recorder.Result()
	response.Request = r
	return response, nil
}

type world struct {
	*testing.T
	storage *s3.Storage
	client  *minio.Client
}

func open(t *testing.T, db *store.DB, dir string) world {
	t.Helper()
	storage, err := s3.New(s3.Config{DB: db, Dir: dir, Zone: "ch-gva-2", Key: key, Secret: secret})
	if err != nil {
		t.Fatal(err)
	}
	w := world{T: t, storage: storage}
	w.client = w.connect(secret, true, false)
	return w
}

// inBubble runs a test in virtual time against an empty storage with one bucket.
func inBubble(t *testing.T, test func(w world)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		w := open(t, store.NewMemory(), "")
		w.must(w.client.MakeBucket(w.Context(), "bucket", minio.MakeBucketOptions{}))
		test(w)
	})
}

func (w world) connect(secret string, secure, trailers bool) *minio.Client {
	w.Helper()
	client, err := minio.New(host, &minio.Options{
		Creds: credentials.NewStaticV4(key, secret, ""), Secure: secure, Region: "ch-gva-2",
		Transport: direct{w.storage}, BucketLookup: minio.BucketLookupPath, TrailingHeaders: trailers, MaxRetries: 1,
	})
	w.must(err)
	return client
}

func (w world) must(err error) {
	w.Helper()
	if err != nil {
		w.Fatal(err)
	}
}

func (w world) code(err error, want string) {
	w.Helper()
	if got := minio.ToErrorResponse(err).Code; got != want {
		w.Errorf("got %v, want %s", err, want)
	}
}

func (w world) put(name string, content []byte) {
	w.Helper()
	_, err := w.client.PutObject(w.Context(), "bucket", name, bytes.NewReader(content), int64(len(content)), minio.PutObjectOptions{})
	w.must(err)
}

func (w world) read(client *minio.Client, name string) []byte {
	w.Helper()
	object, err := client.GetObject(w.Context(), "bucket", name, minio.GetObjectOptions{})
	w.must(err)
	content, err := io.ReadAll(object)
	w.must(err)
	w.must(object.Close())
	return content
}

// fetch sends a request without credentials.
func (w world) fetch(method, link string, body io.Reader) (int, string) {
	w.Helper()
	r, err := http.NewRequestWithContext(w.Context(), method, link, body)
	w.must(err)
	response, err := direct{w.storage}.RoundTrip(r)
	w.must(err)
	content, err := io.ReadAll(response.Body)
	w.must(err)
	return response.StatusCode, string(content)
}

func random(size int) []byte {
	content := make([]byte, size)
	_, _ = rand.Read(content) // never fails
	return content
}

// body is a way to send an object.
type body struct {
	name     string
	secure   bool // the client signs chunks only without TLS
	checksum minio.ChecksumType
	changed  string // the error when it is modified in transit; "": undetected
}

func bodies() []body {
	list := []body{
		{"unsigned payload", true, minio.ChecksumNone, ""},
		{"signed chunks", false, minio.ChecksumNone, "SignatureDoesNotMatch"},
		{"signed chunks, trailer", false, minio.ChecksumSHA256, "SignatureDoesNotMatch"},
	}
	for _, checksum := range []minio.ChecksumType{
		minio.ChecksumCRC32, minio.ChecksumCRC32C, minio.ChecksumCRC64NVME, minio.ChecksumSHA1, minio.ChecksumSHA256,
	} {
		list = append(list, body{"unsigned chunks, trailer with " + checksum.String(), true, checksum, "BadDigest"})
	}
	return list
}

func TestObject_RoundTripEverySignature(t *testing.T) {
	inBubble(t, func(w world) {
		content := random(200_000) // several chunks
		for _, test := range bodies() {
			client, name := w.connect(secret, test.secure, true), test.name
			options := minio.PutObjectOptions{
				UserMetadata: map[string]string{"Who": "me"}, ContentType: "text/x", Checksum: test.checksum,
			}
			made, err := client.PutObject(w.Context(), "bucket", name, bytes.NewReader(content), int64(len(content)), options)
			w.must(err)
			if !bytes.Equal(w.read(client, name), content) {
				t.Errorf("%s: came back changed", name)
			}
			info, err := client.StatObject(w.Context(), "bucket", name, minio.StatObjectOptions{})
			w.must(err)
			if info.ETag != made.ETag || info.Size != 200_000 || info.ContentType != "text/x" || info.UserMetadata["Who"] != "me" {
				t.Errorf("%s: %+v", name, info)
			}
		}
	})
}

// tamper changes one byte of every body in transit.
type tamper struct{ direct }

func (c tamper) RoundTrip(r *http.Request) (*http.Response, error) {
	if r.Method == http.MethodPut && r.Body != nil {
		content, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		content[len(content)/2] ^= 1
		r = r.Clone(r.Context())
		r.Body = io.NopCloser(bytes.NewReader(content))
	}
	return c.direct.RoundTrip(r)
}

func TestObject_RefusesAlteredBody(t *testing.T) {
	inBubble(t, func(w world) {
		for _, test := range bodies() {
			if test.changed == "" {
				continue
			}
			client, err := minio.New(host, &minio.Options{
				Creds: credentials.NewStaticV4(key, secret, ""), Region: "ch-gva-2", Transport: tamper{direct{w.storage}},
				BucketLookup: minio.BucketLookupPath, Secure: test.secure, TrailingHeaders: true, MaxRetries: 1,
			})
			w.must(err)
			content := random(200_000)
			_, err = client.PutObject(w.Context(), "bucket", "x", bytes.NewReader(content), int64(len(content)),
				minio.PutObjectOptions{Checksum: test.checksum})
			if got := minio.ToErrorResponse(err).Code; got != test.changed {
				t.Errorf("%s: got %v, want %s", test.name, err, test.changed)
			}
		}
		_, err := w.client.StatObject(w.Context(), "bucket", "x", minio.StatObjectOptions{})
		w.code(err, "NoSuchKey")
	})
}

func TestUpload_UnknownSizeInParts(t *testing.T) {
	inBubble(t, func(w world) {
		content := random(12 << 20)
		for _, secure := range []bool{true, false} {
			client := w.connect(secret, secure, false)
			info, err := client.PutObject(w.Context(), "bucket", "stream", io.MultiReader(bytes.NewReader(content)), -1,
				minio.PutObjectOptions{PartSize: 5 << 20})
			w.must(err)
			if !strings.HasSuffix(info.ETag, "-3") {
				t.Errorf("ETag %s", info.ETag)
			}
			if !bytes.Equal(w.read(client, "stream"), content) {
				t.Error("came back changed")
			}
		}
	})
}

func TestUpload_ListAbortComplete(t *testing.T) {
	inBubble(t, func(w world) {
		core := minio.Core{Client: w.client}
		id, err := core.NewMultipartUpload(w.Context(), "bucket", "parts", minio.PutObjectOptions{})
		w.must(err)
		part, err := core.PutObjectPart(w.Context(), "bucket", "parts", id, 1, strings.NewReader("one"), 3, minio.PutObjectPartOptions{})
		w.must(err)
		list, err := core.ListMultipartUploads(w.Context(), "bucket", "", "", "", "", 10)
		w.must(err)
		if len(list.Uploads) != 1 || list.Uploads[0].UploadID != id {
			t.Errorf("uploads: %+v", list.Uploads)
		}
		wrong := []minio.CompletePart{{PartNumber: 1, ETag: strings.Repeat("0", 32)}}
		_, err = core.CompleteMultipartUpload(w.Context(), "bucket", "parts", id, wrong, minio.PutObjectOptions{})
		w.code(err, "InvalidPart")
		parts, err := core.ListObjectParts(w.Context(), "bucket", "parts", id, 0, 10)
		w.must(err)
		if len(parts.ObjectParts) != 1 || strings.Trim(parts.ObjectParts[0].ETag, `"`) != part.ETag {
			t.Errorf("parts: %+v", parts.ObjectParts)
		}
		w.must(core.AbortMultipartUpload(w.Context(), "bucket", "parts", id))
		_, err = core.ListObjectParts(w.Context(), "bucket", "parts", id, 0, 10)
		w.code(err, "NoSuchUpload")
	})
}

func TestBucket_CreateAndDeleteEmpty(t *testing.T) {
	inBubble(t, func(w world) {
		w.code(w.client.MakeBucket(w.Context(), "bucket", minio.MakeBucketOptions{}), "BucketAlreadyOwnedByYou")
		exists, err := w.client.BucketExists(w.Context(), "bucket")
		w.must(err)
		if !exists {
			t.Error("the bucket does not exist")
		}
		location, err := w.client.GetBucketLocation(w.Context(), "bucket")
		w.must(err)
		if location != "ch-gva-2" {
			t.Errorf("location %s", location)
		}
		w.put("x", []byte("x"))
		w.code(w.client.RemoveBucket(w.Context(), "bucket"), "BucketNotEmpty")
		w.must(w.client.RemoveObject(w.Context(), "bucket", "x", minio.RemoveObjectOptions{}))
		w.must(w.client.RemoveObject(w.Context(), "bucket", "x", minio.RemoveObjectOptions{}))
		w.must(w.client.RemoveBucket(w.Context(), "bucket"))
		w.code(w.client.RemoveBucket(w.Context(), "bucket"), "NoSuchBucket")
		_, err = w.client.StatObject(w.Context(), "bucket", "x", minio.StatObjectOptions{})
		if minio.ToErrorResponse(err).StatusCode != http.StatusNotFound {
			t.Errorf("object in no bucket: %v", err)
		}
	})
}

func TestList_PagesAndPrefixes(t *testing.T) {
	inBubble(t, func(w world) {
		var want []string
		for i := range 7 {
			name := fmt.Sprintf("dir/%d x", i)
			want = append(want, name)
			w.put(name, nil)
		}
		w.put("top", nil)
		for _, first := range []bool{true, false} {
			options := minio.ListObjectsOptions{Recursive: true, MaxKeys: 3, Prefix: "dir/", UseV1: first}
			if diff := cmp.Diff(want, w.list(options)); diff != "" {
				t.Errorf("version 1 %v: %s", first, diff)
			}
			options = minio.ListObjectsOptions{MaxKeys: 1, UseV1: first}
			if diff := cmp.Diff([]string{"dir/", "top"}, w.list(options)); diff != "" {
				t.Errorf("version 1 %v, by folder: %s", first, diff)
			}
		}
	})
}

func (w world) list(options minio.ListObjectsOptions) []string {
	w.Helper()
	var names []string
	for o := range w.client.ListObjects(w.Context(), "bucket", options) {
		w.must(o.Err)
		names = append(names, o.Key)
	}
	return names
}

func TestObject_RangeAndBatchDelete(t *testing.T) {
	inBubble(t, func(w world) {
		w.put("x", []byte("0123456789"))
		options := minio.GetObjectOptions{}
		w.must(options.SetRange(2, 4))
		object, err := w.client.GetObject(w.Context(), "bucket", "x", options)
		w.must(err)
		content, err := io.ReadAll(object)
		w.must(err)
		w.must(object.Close())
		if string(content) != "234" {
			t.Errorf("got %q", content)
		}
		doomed := make(chan minio.ObjectInfo, 1)
		doomed <- minio.ObjectInfo{Key: "x"}
		close(doomed)
		for fault := range w.client.RemoveObjects(w.Context(), "bucket", doomed, minio.RemoveObjectsOptions{}) {
			t.Error(fault)
		}
		w.must(w.client.RemoveBucket(w.Context(), "bucket"))
	})
}

func TestStorage_PersistsObjectsDropsOrphans(t *testing.T) {
	dir := t.TempDir()
	db, err := store.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	w := open(t, db, dir)
	w.must(w.client.MakeBucket(context.Background(), "bucket", minio.MakeBucketOptions{}))
	w.put("x", []byte("old"))
	w.put("x", []byte("new"))
	w.must(os.WriteFile(filepath.Join(dir, "00000000-0000-4000-8000-000000000000"), []byte("half"), 0o600))
	again := open(t, db, dir)
	files, err := os.ReadDir(dir)
	w.must(err)
	if len(files) != 1 {
		t.Errorf("%d files for one object", len(files))
	}
	if got := string(again.read(again.client, "x")); got != "new" {
		t.Errorf("got %q", got)
	}
	if got := again.storage.Mutations(); got != 0 {
		t.Errorf("%d mutations by reading", got)
	}
	w.must(db.Close())
}
