package s3

import (
	"bytes"
	"crypto/md5"  //nolint:gosec // S3's entity tags are MD5
	"crypto/sha1" //nolint:gosec // one of the checksums that clients may send
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"errors"
	"hash"
	"hash/crc32"
	"hash/crc64"
	"io"
	"net/http"
	"strconv"
	"strings"
)

// received is a verified body.
type received struct {
	blob string
	size int64
	etag string
}

// receive stores the body of a request, if it matches the signed and announced checksums.
func receive(to blobs, r *request) (received, error) {
	source, announced := openPayload(r)
	sums := map[string]hash.Hash{"md5": md5.New(), "sha256": sha256.New()} //nolint:gosec // see the imports
	writers := []io.Writer{sums["md5"], sums["sha256"]}
	for _, name := range listChecksumNames(r.Header) {
		sum := newChecksum(name)
		sums[name] = sum
		writers = append(writers, sum)
	}
	blob, size, err := to.write(io.TeeReader(source, io.MultiWriter(writers...)))
	if err == nil {
		err = check(r, source, sums, size, announced)
	}
	if err != nil {
		to.remove(blob)
		return received{}, toBodyError(err)
	}
	return received{blob: blob, size: size, etag: hex.EncodeToString(sums["md5"].Sum(nil))}, nil
}

func toBodyError(err error) error {
	if f := (*apiError)(nil); errors.As(err, &f) {
		return f
	}
	return errIncomplete
}

// openPayload returns the decoded body and its announced length; -1: unknown.
func openPayload(r *request) (io.Reader, int64) {
	if !strings.HasPrefix(r.signed.payload, "STREAMING-") {
		return r.Body, r.ContentLength
	}
	length, err := strconv.ParseInt(r.Header.Get("X-Amz-Decoded-Content-Length"), 10, 64)
	if err != nil {
		length = -1
	}
	return newChunked(r.Body, r.signed), length
}

// check compares the body with all announced checksums and lengths.
func check(r *request, source io.Reader, sums map[string]hash.Hash, size, announced int64) error {
	if announced >= 0 && size != announced {
		return errIncomplete
	}
	if signed := r.signed.payload; len(signed) == 64 && signed != hex.EncodeToString(sums["sha256"].Sum(nil)) {
		return errContentHash
	}
	if given := r.Header.Get("Content-Md5"); given != "" && given != base64.StdEncoding.EncodeToString(sums["md5"].Sum(nil)) {
		return errDigest
	}
	trailer := http.Header{}
	if chunks, ok := source.(*chunked); ok {
		trailer = chunks.trailer
	}
	for _, name := range listChecksumNames(r.Header) {
		given := r.Header.Get(checksumPrefix + name)
		if given == "" {
			given = trailer.Get(checksumPrefix + name)
		}
		if given != base64.StdEncoding.EncodeToString(sums[name].Sum(nil)) {
			return errDigest
		}
	}
	return nil
}

const checksumPrefix = "X-Amz-Checksum-"

// listChecksumNames returns the checksums in a request's headers and announced trailer.
func listChecksumNames(header http.Header) []string {
	var names []string
	for _, name := range []string{"crc32", "crc32c", "crc64nvme", "sha1", "sha256"} {
		inTrailer := strings.EqualFold(strings.TrimSpace(header.Get("X-Amz-Trailer")), checksumPrefix+name)
		if inTrailer || header.Get(checksumPrefix+name) != "" {
			names = append(names, name)
		}
	}
	return names
}

func newChecksum(name string) hash.Hash {
	switch name {
	case "crc32":
		return crc32.NewIEEE()
	case "crc32c":
		return crc32.New(crc32.MakeTable(crc32.Castagnoli))
	case "crc64nvme":
		return crc64.New(crc64.MakeTable(0x9a6c9329ac4bc9b5))
	case "sha1":
		return sha1.New() //nolint:gosec // see the imports
	}
	return sha256.New()
}

// readAll returns a small body, verified like any other.
func readAll(through blobs, r *request) ([]byte, error) {
	got, err := receive(through, r)
	if err != nil {
		return nil, err
	}
	defer through.remove(got.blob)
	file, err := through.open(got.blob)
	if err != nil {
		return nil, err
	}
	defer func() { _ = file.Close() }() // it was only read
	var content bytes.Buffer
	_, err = io.Copy(&content, io.LimitReader(file, 1<<20))
	return content.Bytes(), err
}
