package sharedstore

import (
	"context"
	"net/http"
	"slices"

	"github.com/minio/minio-go/v7"

	"exoshift/internal/fault"
)

// Bucket is what is known of the bucket of a location.
type Bucket struct {
	Exists    bool
	Versioned bool
}

// Bucket is the name of the bucket.
func (s *Store) Bucket() string { return s.at.Bucket }

// InspectBucket looks for the bucket of the location. One of somebody else is a fault.Conflict, even if it can be read: all
// customers share the names of buckets, and its owner could read what is stored.
func (s *Store) InspectBucket(ctx context.Context) (Bucket, error) {
	op := "look for the bucket " + s.at.Bucket
	exists, err := s.client.BucketExists(ctx, s.at.Bucket)
	refused := minio.ToErrorResponse(err).StatusCode == http.StatusForbidden
	if !exists && !refused {
		return Bucket{}, s.at.explain(op, err)
	}
	own, unlisted := s.client.ListBuckets(ctx)
	if unlisted == nil && !slices.ContainsFunc(own, func(b minio.BucketInfo) bool { return b.Name == s.at.Bucket }) {
		return Bucket{}, fault.Newf(fault.Conflict, op, "the bucket belongs to someone else").
			WithHint("choose another name: all customers of an object storage share the names of buckets")
	}
	if refused {
		return Bucket{}, s.at.explain(op, err)
	}
	versions, err := s.client.GetBucketVersioning(ctx, s.at.Bucket)
	return Bucket{Exists: true, Versioned: versions.Enabled()}, s.at.explain("read whether the bucket "+s.at.Bucket+" has versions", err)
}

// CreateBucket creates the private bucket of the location.
func (s *Store) CreateBucket(ctx context.Context) error {
	err := s.client.MakeBucket(ctx, s.at.Bucket, minio.MakeBucketOptions{Region: s.at.Region})
	if minio.ToErrorResponse(err).Code == "BucketAlreadyOwnedByYou" { // the response to the first attempt was lost
		err = nil
	}
	return s.at.explain("create the bucket "+s.at.Bucket, err)
}

// EnableVersions keeps earlier versions of the bucket's objects from now on.
func (s *Store) EnableVersions(ctx context.Context) error {
	return s.at.explain("keep versions in the bucket "+s.at.Bucket, s.client.EnableVersioning(ctx, s.at.Bucket))
}
