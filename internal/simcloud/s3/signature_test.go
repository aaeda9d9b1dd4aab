package s3_test

import (
	"net/http"
	"net/url"
	"strings"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"
)

func TestSignature_RefusesWrongCredentials(t *testing.T) {
	inBubble(t, func(w world) {
		w.code(w.connect("wrong", true, false).MakeBucket(w.Context(), "other", minio.MakeBucketOptions{}), "SignatureDoesNotMatch")
		stranger, err := minio.New(host, &minio.Options{
			Creds: credentials.NewStaticV4("EXOother", secret, ""), Secure: true, Region: "ch-gva-2",
			Transport: direct{w.storage}, BucketLookup: minio.BucketLookupPath,
		})
		w.must(err)
		_, err = stranger.ListBuckets(w.Context())
		w.code(err, "InvalidAccessKeyId")
		elsewhere, err := minio.New(host, &minio.Options{
			Creds: credentials.NewStaticV4(key, secret, ""), Secure: true, Region: "at-vie-1",
			Transport: direct{w.storage}, BucketLookup: minio.BucketLookupPath,
		})
		w.must(err)
		_, err = elsewhere.ListBuckets(w.Context())
		w.code(err, "AuthorizationHeaderMalformed")
	})
}

func TestObject_PublicReadOnly(t *testing.T) {
	inBubble(t, func(w world) {
		w.put("private", []byte("mine"))
		_, err := w.client.PutObject(w.Context(), "bucket", "public", strings.NewReader("ours"), 4,
			minio.PutObjectOptions{UserMetadata: map[string]string{"x-amz-acl": "public-read"}})
		w.must(err)
		for path, want := range map[string]int{"public": 200, "private": 403, "missing": 403, "": 403} {
			if status, body := w.fetch(http.MethodGet, "https://"+host+"/bucket/"+path, nil); status != want {
				t.Errorf("GET %q: %d %s", path, status, body)
			}
		}
		if status, body := w.fetch(http.MethodDelete, "https://"+host+"/bucket/public", nil); status != 403 || !strings.Contains(body, "<Code>AccessDenied</Code>") {
			t.Errorf("DELETE: %d %s", status, body)
		}
	})
}

func TestPresignedGet_MethodAndExpiry(t *testing.T) {
	inBubble(t, func(w world) {
		w.put("a b/ü.ign", []byte("ignition"))
		w.put("other", []byte("not for you"))
		link, err := w.client.PresignedGetObject(w.Context(), "bucket", "a b/ü.ign", time.Hour, nil)
		w.must(err)
		if status, body := w.fetch(http.MethodGet, link.String(), nil); status != 200 || body != "ignition" {
			t.Errorf("%d %s", status, body)
		}
		changed := map[string]func(*url.URL, url.Values){
			"another object":  func(u *url.URL, _ url.Values) { u.Path, u.RawPath = "/bucket/other", "" },
			"a longer life":   func(_ *url.URL, q url.Values) { q.Set("X-Amz-Expires", "86400") },
			"a later date":    func(_ *url.URL, q url.Values) { q.Set("X-Amz-Date", "20000101T001500Z") },
			"another content": func(_ *url.URL, q url.Values) { q.Set("response-content-type", "text/html") },
			"no signature":    func(_ *url.URL, q url.Values) { q.Del("X-Amz-Signature") },
		}
		for name, change := range changed {
			tampered := *link
			query := tampered.Query()
			change(&tampered, query)
			tampered.RawQuery = query.Encode()
			if status, body := w.fetch(http.MethodGet, tampered.String(), nil); status != 403 {
				t.Errorf("with %s: %d %s", name, status, body)
			}
		}
		if status, _ := w.fetch(http.MethodPut, link.String(), strings.NewReader("mine")); status != 403 {
			t.Errorf("PUT through a link to GET: %d", status)
		}
		<-time.After(61 * time.Minute)
		if status, body := w.fetch(http.MethodGet, link.String(), nil); status != 403 || !strings.Contains(body, "expired") {
			t.Errorf("expired: %d %s", status, body)
		}
	})
}

func TestPresignedPut_ByStranger(t *testing.T) {
	inBubble(t, func(w world) {
		link, err := w.client.PresignedPutObject(w.Context(), "bucket", "gift", time.Hour)
		w.must(err)
		if status, body := w.fetch(http.MethodPut, link.String(), strings.NewReader("hello")); status != 200 {
			t.Errorf("%d %s", status, body)
		}
		if got := string(w.read(w.client, "gift")); got != "hello" {
			t.Errorf("got %q", got)
		}
	})
}

func TestPresignedPut_RefusesUnsignedHeader(t *testing.T) {
	inBubble(t, func(w world) {
		link, err := w.client.PresignedPutObject(w.Context(), "bucket", "gift", time.Hour)
		w.must(err)
		r, err := http.NewRequestWithContext(w.Context(), http.MethodPut, link.String(), strings.NewReader("x"))
		w.must(err)
		r.Header.Set("X-Amz-Acl", "public-read")
		response, err := direct{w.storage}.RoundTrip(r)
		w.must(err)
		if response.StatusCode != http.StatusForbidden {
			t.Errorf("status %d", response.StatusCode)
		}
	})
}

func TestLink_ForKey(t *testing.T) {
	inBubble(t, func(w world) {
		w.put("a b/ü.ign", []byte("ignition"))
		if status, body := w.fetch(http.MethodGet, w.storage.Link(key, secret, "bucket", "a b/ü.ign"), nil); status != 200 || body != "ignition" {
			t.Errorf("%d %s", status, body)
		}
		if status, _ := w.fetch(http.MethodGet, w.storage.Link(key, "wrong", "bucket", "a b/ü.ign"), nil); status != 403 {
			t.Errorf("with a wrong secret: %d", status)
		}
	})
}
