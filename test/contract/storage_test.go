package contract_test

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"exoshift/state"
)

func bucket(_ context.Context, w *world) subject {
	boxes := &things{world: w, kind: state.KindBucket, name: w.name("registry")}
	return subject{
		ensure: func(ctx context.Context) (state.Action, error) { return w.buckets.EnsureBucket(ctx, boxes.name) },
		count:  boxes.count, remove: boxes.remove,
		double: func(ctx context.Context) error { return w.makeBucket(ctx, boxes.name) },
		unique: true,
	}
}

func (w *world) makeBucket(ctx context.Context, name string) error {
	through := w.net.NewTransport()
	defer through.CloseIdleConnections()
	client, err := minio.New("sos-"+w.account.zone+".exo.io", &minio.Options{
		Creds: credentials.NewStaticV4(w.account.key, w.account.secret, ""), Secure: true, Region: w.account.zone, Transport: through,
	})
	if err != nil {
		return err
	}
	err = client.MakeBucket(ctx, name, minio.MakeBucketOptions{Region: w.account.zone})
	var refused minio.ErrorResponse
	if errors.As(err, &refused) {
		return &refusal{refused.StatusCode, refused.Code}
	}
	return err
}

// object is about what a signed link leads to. It ends with its bucket.
func object(_ context.Context, w *world) subject {
	boxes := &things{world: w, kind: state.KindBucket, name: w.name("bootstrap")}
	return subject{
		ensure: func(ctx context.Context) (state.Action, error) {
			if _, err := w.buckets.EnsureBucket(ctx, boxes.name); err != nil {
				return "", err
			}
			return w.buckets.EnsureObject(ctx, boxes.name, "bootstrap.ign", []byte("{}"))
		},
		count: func(ctx context.Context) int {
			link, err := w.buckets.SignGetURL(ctx, boxes.name, "bootstrap.ign", time.Minute)
			w.check(err)
			request, err := http.NewRequestWithContext(ctx, http.MethodGet, link, http.NoBody)
			w.check(err)
			var content any
			var refused *refusal
			if err := w.answer(request, &content); errors.As(err, &refused) && refused.status == http.StatusNotFound {
				return 0
			} else if err != nil {
				w.Fatal(err)
			}
			return 1
		},
		remove: boxes.remove,
	}
}
