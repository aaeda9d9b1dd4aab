package objects_test

import (
	"context"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"exoshift/internal/simcloud/s3"
	"exoshift/internal/simcloud/store"
)

func (w *world) store() *s3.Storage {
	w.t.Helper()
	storage, err := s3.New(s3.Config{DB: store.NewMemory(), Zone: zone, Key: key, Secret: secret})
	w.check(err)
	return storage
}

// abandonUpload begins an upload that is never completed.
func (w *world) abandonUpload(ctx context.Context, bucket, name string) {
	w.t.Helper()
	transport := w.net.NewTransport()
	defer transport.CloseIdleConnections()
	client, err := minio.NewCore("sos-"+zone+".exo.io", &minio.Options{
		Creds: credentials.NewStaticV4(key, secret, ""), Secure: true, Region: zone, Transport: transport,
	})
	w.check(err)
	_, err = client.NewMultipartUpload(ctx, bucket, name, minio.PutObjectOptions{})
	w.check(err)
}
