package objects_test

import (
	"context"
	"encoding/xml"
	"fmt"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/site"
	"exoshift/state"
)

func TestDeleteBucket_RemovesContent(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.bucket(ctx)
		for _, key := range []string{"a", "b/c"} {
			_, err := w.EnsureObject(ctx, "c-bootstrap", key, []byte(key))
			w.check(err)
		}
		w.abandonUpload(ctx, "c-bootstrap", "d")
		action, err := w.DeleteBucket(ctx, "c-bootstrap")
		w.wantAction(action, err, state.Deleted)
		if aborted := w.count("DELETE /c-bootstrap/d?uploadId="); aborted != 1 {
			w.t.Errorf("aborted %d uploads", aborted)
		}
		w.unchanged(func() {
			action, err := w.DeleteBucket(ctx, "c-bootstrap")
			w.wantAction(action, err, state.Found)
		})
	})
}

type version struct {
	Key, VersionID string
}

func deletes(noted *[]version) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		var body struct {
			Object []struct {
				Key       string
				VersionID string `xml:"VersionId"`
			}
		}
		_ = xml.NewDecoder(r.Body).Decode(&body)
		for _, object := range body.Object {
			*noted = append(*noted, version(object))
		}
		answers("<DeleteResult/>")(w, r)
	}
}

func TestDeleteBucket_RemovesVersions(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.bucket(ctx)
		var deleted []version
		w.InjectFaults(
			site.Fault{Match: "GET /c-bootstrap/?versioning", Respond: answers("<VersioningConfiguration><Status>Suspended</Status></VersioningConfiguration>")},
			site.Fault{Match: "GET /c-bootstrap/?", Respond: answers(`<ListVersionsResult>
				<Version><Key>a</Key><VersionId>1</VersionId></Version><DeleteMarker><Key>a</Key><VersionId>2</VersionId></DeleteMarker>
				</ListVersionsResult>`)},
			site.Fault{Match: "POST /c-bootstrap/?delete", Respond: deletes(&deleted)})
		action, err := w.DeleteBucket(ctx, "c-bootstrap")
		w.wantAction(action, err, state.Deleted)
		if diff := cmp.Diff([]version{{"a", "1"}, {"a", "2"}}, deleted); diff != "" {
			t.Error(diff)
		}
	})
}

func TestDeleteBucket_BatchesRequests(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.bucket(ctx)
		for i := range 20 {
			_, err := w.EnsureObject(ctx, "c-bootstrap", fmt.Sprint(i), nil)
			w.check(err)
		}
		before := w.Mutations()
		action, err := w.DeleteBucket(ctx, "c-bootstrap")
		w.wantAction(action, err, state.Deleted)
		if n := w.Mutations() - before; n != 2 {
			t.Errorf("%d requests", n)
		}
	})
}

func TestDeleteBucket_EmptiesAgain(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.bucket(ctx)
		full := site.Fault{Match: "DELETE /c-bootstrap/", Respond: refuses(409, "BucketNotEmpty")}
		w.InjectFaults(full, full)
		action, err := w.DeleteBucket(ctx, "c-bootstrap")
		w.wantAction(action, err, state.Deleted)
		w.bucket(ctx)
		w.InjectFaults(full, full, full)
		_, err = w.DeleteBucket(ctx, "c-bootstrap")
		w.wantFault(err, fault.Conflict, "delete bucket c-bootstrap", "BucketNotEmpty")
	})
}

func TestDeleteBucket_KeepsOnListingError(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.bucket(ctx)
		w.InjectFaults(site.Fault{Match: "GET /c-bootstrap/?delimiter", Respond: refuses(403, "AccessDenied")})
		w.unchanged(func() {
			_, err := w.DeleteBucket(ctx, "c-bootstrap")
			w.wantFault(err, fault.Denied, "AccessDenied")
		})
	})
}

func TestBucket_RefusesForeignOwner(t *testing.T) {
	for name, look := range map[string]site.Fault{
		"closed":      {Match: "HEAD /theirs", Respond: refuses(403, "AccessDenied")},
		"open to all": {Match: "HEAD /theirs", Respond: answers("")},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(ctx context.Context, w *world) {
				w.bucket(ctx)
				w.InjectFaults(look, look, look)
				w.unchanged(func() {
					_, err := w.EnsureBucket(ctx, "theirs")
					w.wantFault(err, fault.Conflict, "create bucket theirs", "someone else", "bucketPrefix")
					_, err = w.DeleteBucket(ctx, "theirs")
					w.wantFault(err, fault.Conflict, "delete bucket theirs", "someone else")
				})
				use, err := w.GetBucketUse(ctx, "theirs")
				if err != nil || !use.Taken {
					t.Errorf("%+v, %v", use, err)
				}
			})
		})
	}
}

func TestGetBucketUse_FreeOrOwn(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.bucket(ctx)
		for _, name := range []string{"c-bootstrap", "free"} {
			if use, err := w.GetBucketUse(ctx, name); err != nil || use.Taken {
				t.Errorf("%s: %+v, %v", name, use, err)
			}
		}
		w.InjectFaults(site.Fault{Match: "HEAD /c-bootstrap", Respond: refuses(403, "AccessDenied")})
		_, err := w.GetBucketUse(ctx, "c-bootstrap")
		w.wantFault(err, fault.Denied, "find bucket c-bootstrap")
		w.InjectFaults(site.Fault{Match: "GET /", Respond: refuses(403, "AccessDenied")})
		_, err = w.GetBucketUse(ctx, "c-bootstrap")
		w.wantFault(err, fault.Denied, "list buckets")
	})
}

// A listing that was interrupted is not one of nothing: what is missing from it would count as deleted, or as free.
func TestListObjects_Interrupted(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.bucket(ctx)
		stopped, stop := context.WithCancel(ctx)
		stop()
		found, err := w.WithOwner("c").ListObjects(stopped, "c-bootstrap", "")
		w.wantFault(err, fault.Cancelled, "list the objects of bucket c-bootstrap")
		if owner, err := w.GetBucketOwner(stopped, "c-bootstrap"); err == nil || len(found) > 0 {
			t.Errorf("%d objects; the owner is %q", len(found), owner)
		}
	})
}

func TestListBuckets_ListsAll(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.bucket(ctx)
		_, err := w.EnsureBucket(ctx, "c-backup")
		w.check(err)
		buckets, err := w.ListBuckets(ctx)
		w.check(err)
		want := []state.Object{
			{Kind: "bucket", Name: "c-backup", ID: "c-backup", Detail: "made on 2000-01-01"},
			{Kind: "bucket", Name: "c-bootstrap", ID: "c-bootstrap", Detail: "made on 2000-01-01"},
		}
		if diff := cmp.Diff(want, buckets); diff != "" {
			t.Error(diff)
		}
	})
}

func TestPreview_ChangesNothing(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.bucket(ctx)
		w.check(w.journal.RecordIntent("bucket", "c-bootstrap"))
		noted := len(w.journal.entries)
		preview := w.WithPreview()
		w.unchanged(func() {
			action, err := preview.EnsureBucket(ctx, "c-bootstrap")
			w.wantAction(action, err, state.Found)
			action, err = preview.EnsureBucket(ctx, "c-new")
			w.wantAction(action, err, state.Created)
			action, err = preview.EnsureObject(ctx, "c-new", "a", []byte("a"))
			w.wantAction(action, err, state.Created)
			w.check(preview.Upload(ctx, "c-new", "b", failing{nil}, nil))
			action, err = preview.DeleteBucket(ctx, "c-bootstrap")
			w.wantAction(action, err, state.Deleted)
			action, err = preview.DeleteBucket(ctx, "c-new")
			w.wantAction(action, err, state.Found)
		})
		if len(w.journal.entries) != noted {
			t.Errorf("the journal learned of it: %v", w.journal.entries)
		}
	})
}
