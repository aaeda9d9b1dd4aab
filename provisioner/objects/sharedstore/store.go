// Package sharedstore keeps shared state in object storage with conditional writes.
package sharedstore

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/minio/minio-go/v7"
	"github.com/minio/minio-go/v7/pkg/credentials"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/text"
	"exoshift/state/store"
)

// retries is minio-go's limit for requests that may succeed later. It repeats writes with conditions, too: Put recognizes those
// that had succeeded.
const retries = 5

// maxConflicts bounds how often a write is repeated after 409, by which the storage says that another one is under way.
const maxConflicts = 5

var limits = network.Limits{Bytes: 64 << 20, Time: 2 * time.Minute} //nolint:gochecknoglobals // a table that nothing changes

// Location is where objects are, and how they are accessed.
type Location struct {
	Endpoint string // host, or host:port
	Region   string
	Bucket   string
	Prefix   string // "" or ending with a slash
	Key      string
	Secret   string
}

// Store is a part of a bucket.
type Store struct {
	client    *minio.Client
	transport http.RoundTripper
	at        Location
	// unconditional: the storage does not honour conditional writes.
	unconditional bool
}

// New returns the store at a location. It sends no requests.
func New(net network.Network, at Location) (*Store, error) {
	transport := limits.Wrap(net.Observed(net.NewTransport()))
	client, err := at.newClient(transport)
	return &Store{client: client, transport: transport, at: at}, err
}

func (l Location) newClient(transport http.RoundTripper) (*minio.Client, error) {
	client, err := minio.New(l.Endpoint, &minio.Options{
		Creds: credentials.NewStaticV4(l.Key, l.Secret, ""), Secure: true, Transport: transport, Region: l.Region,
		BucketLookup: minio.BucketLookupPath, MaxRetries: retries,
	})
	if err != nil {
		return nil, fault.New(fault.Invalid, "set up the client of the object storage "+l.Endpoint, err)
	}
	return client, nil
}

// Close closes idle connections.
func (s *Store) Close() { (&http.Client{Transport: s.transport}).CloseIdleConnections() }

// Get downloads an object. Its version is its ETag.
func (s *Store) Get(ctx context.Context, key string) (store.Object, error) {
	op := "get " + key + " of shared state"
	if err := store.CheckKey(key); err != nil {
		return store.Object{}, err
	}
	reader, err := s.client.GetObject(ctx, s.at.Bucket, s.at.Prefix+key, minio.GetObjectOptions{})
	if err != nil {
		return store.Object{}, s.translate(op, key, err)
	}
	defer func() { _ = reader.Close() }() // it was only read
	content, err := io.ReadAll(reader)
	if err != nil {
		return store.Object{}, s.translate(op, key, err)
	}
	info, err := reader.Stat()
	if err != nil {
		return store.Object{}, s.translate(op, key, err)
	}
	return store.Object{Content: content, Version: store.Version(info.ETag)}, nil
}

// WithoutConditions returns the same store for a storage that does not honour conditional writes. It looks at what is stored before
// it writes, which keeps no two writers apart: a lock elsewhere has to. Both are closed by one Close.
func (s *Store) WithoutConditions() *Store {
	plain := *s
	plain.unconditional = true
	return &plain
}

// putUnconditionally fails with store.ErrConflict if something else was stored before it began.
func (s *Store) putUnconditionally(ctx context.Context, key string, content []byte, replaced store.Version) (store.Version, error) {
	op := "put " + key + " to shared state"
	switch stored, err := s.Get(ctx, key); {
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", err
	case stored.Version != replaced:
		return "", fmt.Errorf("%s: %w", op, store.ErrConflict)
	}
	info, err := s.client.PutObject(ctx, s.at.Bucket, s.at.Prefix+key, bytes.NewReader(content), int64(len(content)), minio.PutObjectOptions{DisableMultipart: true})
	if err != nil {
		return "", s.translate(op, key, err)
	}
	return store.Version(info.ETag), nil
}

// Put uploads an object in one request: in several, conditions would be lost.
func (s *Store) Put(ctx context.Context, key string, content []byte, replaced store.Version) (store.Version, error) {
	op := "put " + key + " to shared state"
	if err := store.CheckKey(key); err != nil {
		return "", err
	}
	if s.unconditional {
		return s.putUnconditionally(ctx, key, content, replaced)
	}
	options := minio.PutObjectOptions{DisableMultipart: true}
	if replaced == "" {
		options.SetMatchETagExcept("*")
	} else {
		options.SetMatchETag(string(replaced))
	}
	for attempt := 1; ; attempt++ {
		info, err := s.client.PutObject(ctx, s.at.Bucket, s.at.Prefix+key, bytes.NewReader(content), int64(len(content)), options)
		refusal := minio.ToErrorResponse(err)
		switch {
		case err == nil:
			return store.Version(info.ETag), nil
		case refusal.StatusCode == http.StatusConflict && attempt < maxConflicts:
			if err := (network.Clock{}).Sleep(ctx, time.Duration(attempt)*100*time.Millisecond); err != nil {
				return "", s.translate(op, key, err)
			}
		case refusal.StatusCode == http.StatusPreconditionFailed, refusal.StatusCode == http.StatusConflict, refusal.Code == minio.NoSuchKey:
			return s.findOwnWrite(ctx, op, key, content)
		case refusal.StatusCode == 0 && ctx.Err() == nil:
			// The answer was lost, or the storage refused before it had read everything.
			return s.findWrite(ctx, op, key, content, replaced, err)
		default:
			return "", s.translate(op, key, err)
		}
	}
}

// findOwnWrite is for a write that was refused: it may have succeeded before, and only its answer was lost.
func (s *Store) findOwnWrite(ctx context.Context, op, key string, content []byte) (store.Version, error) {
	switch stored, err := s.Get(ctx, key); {
	case err == nil && bytes.Equal(stored.Content, content):
		return stored.Version, nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return "", err
	}
	return "", fmt.Errorf("%s: %w", op, store.ErrConflict)
}

// findWrite is for a write of which nothing is known: err is why.
func (s *Store) findWrite(ctx context.Context, op, key string, content []byte, replaced store.Version, err error) (store.Version, error) {
	stored, unread := s.Get(ctx, key)
	switch {
	case errors.Is(unread, fs.ErrNotExist) && replaced == "", unread == nil && stored.Version == replaced:
		return "", s.translate(op, key, err) // it has not happened
	case unread == nil && bytes.Equal(stored.Content, content):
		return stored.Version, nil
	case unread == nil, errors.Is(unread, fs.ErrNotExist):
		return "", fmt.Errorf("%s: %w", op, store.ErrConflict)
	}
	return "", s.translate(op, key, err)
}

// List returns all keys with a prefix.
func (s *Store) List(ctx context.Context, prefix string) ([]string, error) {
	var keys []string
	for object := range s.client.ListObjects(ctx, s.at.Bucket, minio.ListObjectsOptions{Prefix: s.at.Prefix + prefix, Recursive: true}) {
		if object.Err != nil {
			return nil, s.translate("list "+prefix+" of shared state", prefix, object.Err)
		}
		key := object.Key[len(s.at.Prefix):]
		if store.CheckKey(key) == nil {
			keys = append(keys, key)
		}
	}
	return keys, nil
}

// ListNames asks for what keys have in common, a thousand at a time.
func (s *Store) ListNames(ctx context.Context, prefix string) ([]string, error) {
	var names []string
	within := s.at.Prefix + prefix
	for object := range s.client.ListObjects(ctx, s.at.Bucket, minio.ListObjectsOptions{Prefix: within}) {
		if object.Err != nil {
			return nil, s.translate("list "+prefix+" of shared state", prefix, object.Err)
		}
		name := strings.TrimSuffix(strings.TrimPrefix(object.Key, within), "/")
		if store.CheckKey(name) == nil {
			names = append(names, name)
		}
	}
	slices.Sort(names) // "b/" and "b.c" are in another order
	return names, nil
}

// Delete removes an object; in a versioned bucket its versions stay.
func (s *Store) Delete(ctx context.Context, key string) error {
	if err := store.CheckKey(key); err != nil {
		return err
	}
	err := s.client.RemoveObject(ctx, s.at.Bucket, s.at.Prefix+key, minio.RemoveObjectOptions{})
	if err != nil && minio.ToErrorResponse(err).Code != minio.NoSuchKey {
		return s.translate("delete "+key+" of shared state", key, err)
	}
	return nil
}

// maxMessage is in characters.
const maxMessage = 600

func (s *Store) translate(op, key string, err error) error {
	if minio.ToErrorResponse(err).Code == minio.NoSuchKey {
		return &fs.PathError{Op: "get", Path: key, Err: fs.ErrNotExist}
	}
	return s.at.explain(op, err)
}

// explain returns an error of a request to the location as one that says what to do; nil for nil.
func (l Location) explain(op string, err error) error {
	if err == nil {
		return nil
	}
	refusal := minio.ToErrorResponse(err)
	cause := network.ErrorSummary{Sentence: text.Sanitize(err.Error(), text.WithLimit(maxMessage)), Cause: err}
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return fault.New(fault.KindOf(err), op, cause)
	case refusal.Code == minio.NoSuchBucket:
		return fault.New(fault.NotFound, op, cause).WithHint("the bucket %s does not exist at %s; create it: exoshift state init", l.Bucket, l.Endpoint)
	case refusal.StatusCode == http.StatusForbidden, refusal.StatusCode == http.StatusUnauthorized:
		return fault.New(fault.Denied, op, cause).WithHint("check the API key that accesses the bucket %s, whether the bucket is yours, and this machine's clock", l.Bucket)
	case refusal.StatusCode == http.StatusNotImplemented:
		return fault.New(fault.Invalid, op, cause).WithHint("use an object storage with conditional writes (If-Match and If-None-Match)")
	case refusal.StatusCode != 0 && refusal.StatusCode < http.StatusInternalServerError && refusal.StatusCode != http.StatusTooManyRequests:
		return fault.New(fault.Invalid, op, cause)
	}
	return l.explainTransport(op, err, cause)
}

// explainTransport is for what is no answer of the storage. Only what may be another thing the next time is transient: a run
// repeats that as long as it holds its lock.
func (l Location) explainTransport(op string, err, cause error) error {
	var certificate *tls.CertificateVerificationError
	var failed net.Error // every error of http.Client is one
	var url *url.Error
	unread := errors.Is(err, io.ErrUnexpectedEOF) || errors.As(err, &failed) || errors.As(err, &url)
	switch {
	case fault.IsTooLarge(err):
		return fault.New(fault.Invalid, op, cause).WithHint("check for a proxy between this machine and https://%s", l.Endpoint)
	case errors.As(err, &certificate):
		return fault.New(fault.Internal, op, cause).WithHint("if a proxy inspects TLS here, add its certificate authority to this machine's trust store")
	case minio.ToErrorResponse(err).StatusCode == 0 && !unread:
		return fault.New(fault.Internal, op, cause).WithHint("check for a proxy between this machine and https://%s", l.Endpoint)
	}
	return fault.New(fault.Transient, op, cause).WithHint("check that this machine reaches https://%s, then run again", l.Endpoint)
}
