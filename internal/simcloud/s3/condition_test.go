package s3_test

import (
	"bytes"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minio/minio-go/v7"

	"exoshift/internal/simcloud/s3"
)

// send sends a signed request: headers are pairs of name and value.
func (w world) send(method, object string, query url.Values, body string, headers ...string) (int, string) {
	w.Helper()
	extra := http.Header{}
	for i := 0; i < len(headers); i += 2 {
		extra.Set(headers[i], headers[i+1])
	}
	bucket := "bucket"
	link, err := w.client.PresignHeader(w.Context(), method, bucket, object, time.Hour, query, extra)
	w.must(err)
	r, err := http.NewRequestWithContext(w.Context(), method, link.String(), strings.NewReader(body))
	w.must(err)
	for name := range extra {
		r.Header.Set(name, extra.Get(name))
	}
	response, err := direct{w.storage}.RoundTrip(r)
	w.must(err)
	var content bytes.Buffer
	_, err = content.ReadFrom(response.Body)
	w.must(err)
	return response.StatusCode, content.String()
}

func TestStorage_ConditionalWrite(t *testing.T) {
	inBubble(t, func(w world) {
		const other = "0123456789abcdef0123456789abcdef"
		etag := func(name string) string {
			info, err := w.client.StatObject(w.Context(), "bucket", name, minio.StatObjectOptions{})
			w.must(err)
			return info.ETag
		}
		for _, test := range []struct {
			name, header string
			tag          func() string
			exists       bool
			status       int
			code         string
		}{
			{"absent, none there", "If-None-Match", func() string { return "*" }, false, 200, ""},
			{"absent, one there", "If-None-Match", func() string { return "*" }, true, 412, "PreconditionFailed"},
			{"absent, by a tag", "If-None-Match", func() string { return `"` + other + `"` }, true, 501, "NotImplemented"},
			{"match", "If-Match", func() string { return `"` + etag("x") + `"` }, true, 200, ""},
			{"match, unquoted", "If-Match", func() string { return etag("x") }, true, 200, ""},
			{"match, weak", "If-Match", func() string { return `W/"` + etag("x") + `"` }, true, 412, "PreconditionFailed"},
			{"match, in a list", "If-Match", func() string { return `"` + etag("x") + `", "` + other + `"` }, true, 412, "PreconditionFailed"},
			{"no match", "If-Match", func() string { return `"` + other + `"` }, true, 412, "PreconditionFailed"},
			{"match, none there", "If-Match", func() string { return `"` + other + `"` }, false, 404, "NoSuchKey"},
			{"any, one there", "If-Match", func() string { return "*" }, true, 200, ""},
			{"any, none there", "If-Match", func() string { return "*" }, false, 404, "NoSuchKey"},
			{"by date", "If-Unmodified-Since", func() string { return "Mon, 02 Jan 2006 15:04:05 GMT" }, true, 501, "NotImplemented"},
		} {
			w.must(w.client.RemoveObject(w.Context(), "bucket", "x", minio.RemoveObjectOptions{}))
			if test.exists {
				w.put("x", []byte("before"))
			}
			status, text := w.send(http.MethodPut, "x", nil, "after", test.header, test.tag())
			if status != test.status || !strings.Contains(text, test.code) {
				t.Errorf("%s: %d %s", test.name, status, text)
			}
			want := map[bool]string{true: "before"}[test.exists]
			if test.status == http.StatusOK {
				want = "after"
			}
			if got := strings.Join(w.list(minio.ListObjectsOptions{}), ""); got == "x" {
				got = string(w.read(w.client, "x"))
				if got != want {
					t.Errorf("%s: the object is %s", test.name, got)
				}
			} else if want != "" {
				t.Errorf("%s: the object is gone", test.name)
			}
		}
		if status, text := w.send(http.MethodPut, "x", nil, "", "If-Match", "*", "If-None-Match", "*"); status != 501 {
			t.Errorf("both conditions: %d %s", status, text)
		}
	})
}

func TestStorage_ConcurrentConditionalCreate(t *testing.T) {
	inBubble(t, func(w world) {
		var all sync.WaitGroup
		created := make(chan int, 20)
		for range cap(created) {
			all.Go(func() {
				if status, _ := w.send(http.MethodPut, "lock", nil, "mine", "If-None-Match", "*"); status == http.StatusOK {
					created <- status
				}
			})
		}
		all.Wait()
		if len(created) != 1 {
			t.Errorf("%d of them created it", len(created))
		}
	})
}

func TestStorage_ComparesWithTheCurrentVersion(t *testing.T) {
	inBubble(t, func(w world) {
		w.versioned()
		w.put("x", []byte("one"))
		w.must(w.client.RemoveObject(w.Context(), "bucket", "x", minio.RemoveObjectOptions{}))
		if status, text := w.send(http.MethodPut, "x", nil, "two", "If-Match", "*"); status != 404 {
			t.Errorf("a delete marker matches: %d %s", status, text)
		}
		if status, text := w.send(http.MethodPut, "x", nil, "two", "If-None-Match", "*"); status != 200 {
			t.Errorf("a delete marker is an object: %d %s", status, text)
		}
	})
}

// What relies on conditions must not send them with a copy or a multipart upload.
func TestStorage_CopyIgnoresConditions(t *testing.T) {
	inBubble(t, func(w world) {
		w.put("x", []byte("before"))
		w.put("source", []byte("copied"))
		if status, text := w.send(http.MethodPut, "x", nil, "", "If-None-Match", "*", "X-Amz-Copy-Source", "/bucket/source"); status != 200 {
			t.Errorf("copy: %d %s", status, text)
		}
		if got := string(w.read(w.client, "x")); got != "copied" {
			t.Errorf("copy: it is %s", got)
		}
		core := minio.Core{Client: w.client}
		id, err := core.NewMultipartUpload(w.Context(), "bucket", "x", minio.PutObjectOptions{})
		w.must(err)
		part, err := core.PutObjectPart(w.Context(), "bucket", "x", id, 1, strings.NewReader("joined"), 6, minio.PutObjectPartOptions{})
		w.must(err)
		parts := `<CompleteMultipartUpload><Part><PartNumber>1</PartNumber><ETag>` + part.ETag + `</ETag></Part></CompleteMultipartUpload>`
		if status, text := w.send(http.MethodPost, "x", url.Values{"uploadId": {id}}, parts, "If-None-Match", "*"); status != 200 {
			t.Errorf("upload: %d %s", status, text)
		}
		if got := string(w.read(w.client, "x")); got != "joined" {
			t.Errorf("upload: it is %s", got)
		}
	})
}

func TestStorage_ConditionalRead(t *testing.T) {
	inBubble(t, func(w world) {
		w.put("x", []byte("content"))
		info, err := w.client.StatObject(w.Context(), "bucket", "x", minio.StatObjectOptions{})
		w.must(err)
		for _, test := range []struct {
			header, value string
			status        int
			text          string
		}{
			{"If-Match", `"` + info.ETag + `"`, 200, "content"},
			{"If-Match", info.ETag, 200, "content"},
			{"If-Match", "*", 200, "content"},
			{"If-Match", `"other"`, 412, "PreconditionFailed"},
			{"If-None-Match", `"` + info.ETag + `"`, 304, ""},
			{"If-None-Match", info.ETag, 304, ""},
			{"If-None-Match", "other", 200, "content"},
		} {
			status, text := w.send(http.MethodGet, "x", nil, "", test.header, test.value)
			if status != test.status || !strings.Contains(text, test.text) {
				t.Errorf("%s: %s: %d %s", test.header, test.value, status, text)
			}
		}
	})
}

func TestStorage_RefusesUnknownCondition(t *testing.T) {
	inBubble(t, func(w world) {
		w.put("x", []byte("content"))
		for _, name := range []string{"attributes", "legal-hold", "restore", "retention", "select", "tagging", "torrent", "encryption", "renameObject"} {
			for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodPost, http.MethodDelete} {
				if status, text := w.send(method, "x", url.Values{name: {""}}, "other"); status != 501 || !strings.Contains(text, "NotImplemented") {
					t.Errorf("%s x?%s: %d %s", method, name, status, text)
				}
			}
		}
		for _, name := range []string{
			"accelerate", "analytics", "encryption", "intelligent-tiering", "inventory", "lifecycle", "logging", "metrics", "notification", "policyStatus",
			"publicAccessBlock", "replication", "requestPayment", "tagging", "website", "uploadId",
		} {
			for _, method := range []string{http.MethodGet, http.MethodPut, http.MethodDelete} {
				if status, text := w.send(method, "", url.Values{name: {""}}, "other"); status != 501 || !strings.Contains(text, "NotImplemented") {
					t.Errorf("%s bucket?%s: %d %s", method, name, status, text)
				}
			}
		}
		// A name that another one begins with is signed before it.
		if status, text := w.send(http.MethodPost, "x", url.Values{"select": {""}, "select-type": {"2"}}, ""); status != 501 {
			t.Errorf("a selection: %d %s", status, text)
		}
		if got := string(w.read(w.client, "x")); got != "content" {
			t.Errorf("the object is %s", got)
		}
		if status, text := w.send(http.MethodGet, "x", url.Values{"x-id": {"GetObject"}, "response-content-type": {"text/x"}}, ""); status != 200 {
			t.Errorf("what is no part of S3: %d %s", status, text)
		}
		if status, text := w.fetch(http.MethodGet, "https://"+host+"/bucket?ownershipControls", nil); status != 403 {
			t.Errorf("without credentials: %d %s", status, text)
		}
	})
}

// Exoscale's own command line asks for them after it made a bucket.
func TestStorage_OwnershipControlsUnsetByDefault(t *testing.T) {
	inBubble(t, func(w world) {
		query := url.Values{"ownershipControls": {""}}
		const controls = `<OwnershipControls><Rule><ObjectOwnership>BucketOwnerEnforced</ObjectOwnership></Rule></OwnershipControls>`
		for i, test := range []struct {
			method, body string
			status       int
			text         string
		}{
			{http.MethodGet, "", 404, "<Code>OwnershipControlsNotFoundError</Code>"},
			{http.MethodPut, strings.Replace(controls, "Enforced", "Ignored", 1), 400, "MalformedXML"},
			{http.MethodPut, controls, 200, ""},
			{http.MethodGet, "", 200, controls},
			{http.MethodDelete, "", 204, ""},
			{http.MethodGet, "", 404, "<Code>OwnershipControlsNotFoundError</Code>"},
		} {
			if status, text := w.send(test.method, "", query, test.body); status != test.status || !strings.Contains(text, test.text) {
				t.Errorf("%d. %s: %d %s", i+1, test.method, status, text)
			}
		}
		if got := w.storage.Usage(); len(got) != 1 || got[0] != (s3.Usage{Name: "bucket", Created: got[0].Created}) {
			t.Errorf("%+v", got)
		}
	})
}
