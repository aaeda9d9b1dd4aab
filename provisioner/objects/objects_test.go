package objects_test

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/simcloud/site"
	"exoshift/provisioner/objects"
	"exoshift/state"
)

// read requests a URL without credentials.
func (w *world) read(link string) []byte {
	w.t.Helper()
	client := w.net.NewClient()
	defer client.CloseIdleConnections()
	answer, err := client.Get(link)
	w.check(err)
	defer answer.Body.Close()
	content, err := io.ReadAll(answer.Body)
	w.check(err)
	if answer.StatusCode != http.StatusOK {
		w.t.Fatalf("%s: %s", answer.Status, content)
	}
	return content
}

func (w *world) bucket(ctx context.Context) {
	w.t.Helper()
	action, err := w.EnsureBucket(ctx, "c-bootstrap")
	w.wantAction(action, err, state.Created)
}

func TestEnsureBucket_IsIdempotent(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.bucket(ctx)
		w.unchanged(func() {
			action, err := w.EnsureBucket(ctx, "c-bootstrap")
			w.wantAction(action, err, state.Found)
		})
		want := []string{"intend bucket c-bootstrap", "created bucket c-bootstrap"}
		if diff := cmp.Diff(want, w.journal.entries); diff != "" {
			w.t.Error(diff)
		}
	})
}

func TestEnsureBucket_AdoptsUnrecorded(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.bucket(ctx)
		w.check(w.journal.RecordIntent("bucket", "c-bootstrap"))
		action, err := w.EnsureBucket(ctx, "c-bootstrap")
		w.wantAction(action, err, state.Adopted)
		action, err = w.EnsureBucket(ctx, "c-bootstrap")
		w.wantAction(action, err, state.Found)
	})
}

func TestEnsureObject_UploadsChangesOnly(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.bucket(ctx)
		action, err := w.EnsureObject(ctx, "c-bootstrap", "bootstrap.ign", []byte("one"))
		w.wantAction(action, err, state.Created)
		w.unchanged(func() {
			action, err := w.EnsureObject(ctx, "c-bootstrap", "bootstrap.ign", []byte("one"))
			w.wantAction(action, err, state.Found)
		})
		action, err = w.EnsureObject(ctx, "c-bootstrap", "bootstrap.ign", []byte("two"))
		w.wantAction(action, err, state.Updated)
		link, err := w.SignGetURL(ctx, "c-bootstrap", "bootstrap.ign", time.Hour)
		w.check(err)
		if got := string(w.read(link)); got != "two" {
			w.t.Errorf("the link leads to %q", got)
		}
		if n := w.count("location"); n > 0 {
			w.t.Errorf("asked %d times for the region, which is the zone", n)
		}
	})
}

// countless is content of unknown size.
type countless struct{ io.Reader }

func TestUpload_InParts(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.bucket(ctx)
		content := bytes.Repeat([]byte("0123456789abcdef"), 17<<16) // 17 MiB
		w.check(w.Upload(ctx, "c-bootstrap", "image.qcow2", countless{bytes.NewReader(content)}, nil))
		link, err := w.SignGetURL(ctx, "c-bootstrap", "image.qcow2", time.Hour)
		w.check(err)
		if !bytes.Equal(w.read(link), content) {
			w.t.Error("the content differs")
		}
		if parts := w.count("partNumber="); parts != 3 {
			w.t.Errorf("%d parts", parts)
		}
	})
}

func TestUpload_ClearsKilledUpload(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.bucket(ctx)
		w.abandonUpload(ctx, "c-bootstrap", "image.qcow2")
		w.check(w.Upload(ctx, "c-bootstrap", "image.qcow2", countless{strings.NewReader("QFI")}, nil))
		if aborted := w.count("DELETE /c-bootstrap/image.qcow2?uploadId="); aborted != 1 {
			w.t.Errorf("aborted %d uploads", aborted)
		}
	})
}

func TestCheckPrivate_StrangersAccess(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.bucket(ctx)
		_, err := w.EnsureObject(ctx, "c-bootstrap", "bootstrap.ign", []byte("{}"))
		w.check(err)
		w.check(w.CheckPrivate(ctx, "c-bootstrap", "bootstrap.ign"))
		w.InjectFaults(site.Fault{Match: "GET /c-bootstrap/bootstrap.ign", Respond: answers("{}")})
		w.wantFault(w.CheckPrivate(ctx, "c-bootstrap", "bootstrap.ign"), fault.Conflict, "200 OK", "public access")
		w.InjectFaults(site.Fault{Match: "GET /c-bootstrap/bootstrap.ign", Respond: refuses(http.StatusBadGateway, "x")})
		w.wantFault(w.CheckPrivate(ctx, "c-bootstrap", "bootstrap.ign"), fault.Transient, "502")
	})
}

func TestUpload_SourceFailureLeavesNothing(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.bucket(ctx)
		cause := fault.New(fault.Invalid, "verify the image", errors.New("the checksum"))
		content := io.MultiReader(bytes.NewReader(make([]byte, 16<<20)), failing{cause})
		err := w.Upload(ctx, "c-bootstrap", "image.qcow2", content, nil)
		w.wantFault(err, fault.Invalid, "upload object c-bootstrap/image.qcow2", "the checksum")
		_, err = w.DeleteBucket(ctx, "c-bootstrap")
		w.check(err)
		if aborted := w.count("DELETE /c-bootstrap/image.qcow2?uploadId="); aborted != 1 {
			w.t.Errorf("aborted %d uploads", aborted)
		}
	})
}

func TestUpload_StopAborts(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.bucket(ctx)
		stopped, cancel := context.WithCancelCause(ctx)
		content := io.MultiReader(bytes.NewReader(make([]byte, 16<<20)), stopping(func() { cancel(errors.New("ctrl-c")) }), bytes.NewReader(make([]byte, 1<<20)))
		err := w.Upload(stopped, "c-bootstrap", "image.qcow2", content, nil)
		w.wantFault(err, fault.Cancelled, "ctrl-c")
		if aborted := w.count("DELETE /c-bootstrap/image.qcow2?uploadId="); aborted != 1 {
			w.t.Errorf("aborted %d uploads", aborted)
		}
	})
}

type failing struct{ err error }

func (f failing) Read([]byte) (int, error) { return 0, f.err }

type stopping func()

func (s stopping) Read([]byte) (int, error) { s(); return 0, io.EOF }

func TestClient_WrongCredentialsDenied(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		stranger := w.client(zone, "another secret")
		defer stranger.Close()
		_, err := stranger.EnsureBucket(ctx, "c-bootstrap")
		w.wantFault(err, fault.Denied, "find bucket c-bootstrap", "check the API key")
		_, err = w.EnsureObject(ctx, "c-bootstrap", "a", nil)
		w.wantFault(err, fault.NotFound, "NoSuchBucket", zone)
	})
}

func TestErrors_KindAndServerMessage(t *testing.T) {
	for code, want := range map[string]struct {
		status int
		kind   fault.Kind
		hint   string
	}{
		"InvalidAccessKeyId":    {403, fault.Denied, "check the API key"},
		"SignatureDoesNotMatch": {403, fault.Denied, "check the API key"},
		"RequestTimeTooSkewed":  {403, fault.Denied, "clock"},
		"BucketAlreadyExists":   {409, fault.Conflict, "bucketPrefix"},
		"TooManyBuckets":        {400, fault.Quota, "limit"},
		"InvalidArgument":       {400, fault.Invalid, ""},
		"Whatever":              {401, fault.Denied, ""},
	} {
		t.Run(code, func(t *testing.T) {
			inWorld(t, func(ctx context.Context, w *world) {
				w.InjectFaults(site.Fault{Match: "PUT /c-bootstrap", Respond: refuses(want.status, code)})
				_, err := w.EnsureBucket(ctx, "c-bootstrap")
				w.wantFault(err, want.kind, "create bucket c-bootstrap", code, "in words", want.hint)
			})
		})
	}
}

func TestClient_RetriesShortOutage(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		outage := site.Fault{Match: "PUT /c-bootstrap", Respond: refuses(503, "SlowDown")}
		w.InjectFaults(outage, site.Fault{Match: "PUT /c-bootstrap"})
		w.bucket(ctx)
		w.InjectFaults(outage, outage, outage, outage, outage)
		_, err := w.EnsureObject(ctx, "c-bootstrap", "a", []byte("a"))
		w.wantFault(err, fault.Transient, "SlowDown")
		elsewhere := w.client("ch-dk-2", secret)
		defer elsewhere.Close()
		_, err = elsewhere.EnsureBucket(ctx, "c-bootstrap")
		w.wantFault(err, fault.Transient, "sos-ch-dk-2.exo.io")
	})
}

func TestEnsureBucket_LostFirstAnswer(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.InjectFaults(site.Fault{Match: "PUT /c-bootstrap", ServeFirst: true}, site.Fault{Match: "PUT /c-bootstrap", Respond: refuses(409, "BucketAlreadyOwnedByYou")})
		w.bucket(ctx)
	})
}

func TestClient_RefusesInvalidArguments(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		_, err := w.EnsureBucket(ctx, "Not_A_Bucket")
		w.wantFault(err, fault.Invalid, "bucketPrefix")
		_, err = w.SignGetURL(ctx, "c-bootstrap", "a", 8*24*time.Hour)
		w.wantFault(err, fault.Invalid, "168h")
		if len(w.Requests()) > 0 {
			w.t.Errorf("asked %v", w.Requests())
		}
		_, err = objects.New(network.Network{}, zone, key, secret, nil)
		w.wantFault(err, fault.Internal)
		_, err = objects.New(network.Network{}, zone, "", secret, w.journal)
		w.wantFault(err, fault.Invalid)
		_, err = objects.New(network.Network{}, "evil.example/", key, secret, w.journal)
		w.wantFault(err, fault.Invalid)
	})
}
