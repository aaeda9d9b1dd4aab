package objects_test

import (
	"context"
	"testing"

	"exoshift/internal/fault"
	"exoshift/internal/simcloud/site"
	"exoshift/state"
)

func (w *world) wantOwner(ctx context.Context, bucket, want string) {
	w.t.Helper()
	if owner, err := w.GetBucketOwner(ctx, bucket); err != nil || owner != want {
		w.t.Errorf("bucket %s is owned by %q, %v; want %q", bucket, owner, err, want)
	}
}

func TestOwnedBy_MarksBuckets(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		alpha := w.WithOwner("c-alpha")
		w.unchanged(func() {
			action, err := alpha.WithPreview().EnsureBucket(ctx, "c-alpha-logstore")
			w.wantAction(action, err, state.Created)
		})
		action, err := alpha.EnsureBucket(ctx, "c-alpha-logstore")
		w.wantAction(action, err, state.Created)
		w.wantOwner(ctx, "c-alpha-logstore", "c-alpha")
		w.unchanged(func() {
			action, err := alpha.EnsureBucket(ctx, "c-alpha-logstore")
			w.wantAction(action, err, state.Found)
		})

		// Earlier versions made no marks.
		_, err = w.EnsureBucket(ctx, "c-alpha-image")
		w.check(err)
		w.wantOwner(ctx, "c-alpha-image", "")
		w.unchanged(func() {
			action, err := alpha.WithPreview().EnsureBucket(ctx, "c-alpha-image")
			w.wantAction(action, err, state.Updated)
		})
		action, err = alpha.EnsureBucket(ctx, "c-alpha-image")
		w.wantAction(action, err, state.Updated)
		w.wantOwner(ctx, "c-alpha-image", "c-alpha")

		action, err = alpha.DeleteBucket(ctx, "c-alpha-image")
		w.wantAction(action, err, state.Deleted)
	})
}

func TestOwnedBy_RefusesBucketOfAnotherCluster(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		_, err := w.WithOwner("c-alpha").EnsureBucket(ctx, "c-alpha-logstore")
		w.check(err)
		delta := w.WithOwner("c-delta")
		w.unchanged(func() {
			_, err := delta.EnsureBucket(ctx, "c-alpha-logstore")
			w.wantFault(err, fault.Conflict, "c-alpha-logstore", "owned by cluster c-alpha", "bucketPrefix", "exoshift-owner/")
			_, err = delta.WithPreview().EnsureBucket(ctx, "c-alpha-logstore")
			w.wantFault(err, fault.Conflict, "owned by cluster c-alpha")
			_, err = delta.DeleteBucket(ctx, "c-alpha-logstore")
			w.wantFault(err, fault.Conflict, "delete bucket c-alpha-logstore", "owned by cluster c-alpha")
		})
		use, err := delta.GetBucketUse(ctx, "c-alpha-logstore")
		if want := (state.BucketUse{Exists: true, Owner: "c-alpha", Empty: true}); err != nil || use != want {
			t.Errorf("%+v, %v", use, err)
		}
		_, err = w.EnsureObject(ctx, "c-alpha-logstore", "log", []byte("line"))
		w.check(err)
		if use, err = delta.GetBucketUse(ctx, "c-alpha-logstore"); err != nil || use.Empty {
			t.Errorf("%+v, %v", use, err)
		}
	})
}

// Two clusters that mark a bucket concurrently must not both consider it their own.
func TestOwnedBy_RemovesMarkAfterRace(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		_, err := w.WithOwner("c-alpha").EnsureBucket(ctx, "shared-logstore")
		w.check(err)
		w.InjectFaults(site.Fault{Match: "GET /shared-logstore/?", Respond: answers("<ListBucketResult/>")}) // before the mark was there
		before := w.Mutations()
		_, err = w.WithOwner("c-delta").EnsureBucket(ctx, "shared-logstore")
		w.wantFault(err, fault.Conflict, "owned by cluster c-alpha")
		if n := w.Mutations() - before; n != 2 {
			t.Errorf("%d changes, want its mark and the mark's deletion", n)
		}
		w.wantOwner(ctx, "shared-logstore", "c-alpha")
	})
}
