package openshift

import (
	"bufio"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"strings"

	"exoshift/internal/fault"
	"exoshift/state"
)

// OpenImage downloads a boot image and unpacks it on the way. Whether the download was what the release names is
// known at its end: io.EOF means that it was, Close before it returns an error.
func (i *Installer) OpenImage(ctx context.Context, image state.BootImage, _ func(text string)) (io.ReadCloser, error) {
	op := "download " + image.URL
	response, err := i.open(ctx, image.URL)
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	// One buffer for gzip and for what comes after: gzip reads no byte beyond its end from an io.ByteReader.
	compressed := bufio.NewReaderSize(io.TeeReader(response.Body, sum), 1<<16)
	if start, _ := compressed.Peek(64); looksLikeWebPage(start) {
		response.Body.Close()
		return nil, webPage(op)
	}
	unpacked, err := gzip.NewReader(compressed)
	if err != nil {
		response.Body.Close()
		return nil, damaged(op, err)
	}
	return &verifiedImage{
		op: op, want: strings.ToLower(image.SHA256), sum: sum, body: response.Body, compressed: compressed, unpacked: unpacked,
	}, nil
}

// verifiedImage ends in io.EOF only if all bytes of the download had the right checksum.
type verifiedImage struct {
	op         string
	want       string
	sum        hash.Hash
	body       io.Closer
	compressed io.Reader
	unpacked   io.Reader
	end        error // once the end was reached: io.EOF, or why it is not the right image
}

func (v *verifiedImage) Read(p []byte) (int, error) {
	if v.end != nil {
		return 0, v.end
	}
	n, err := v.unpacked.Read(p)
	switch {
	case errors.Is(err, io.EOF):
		v.end = v.verify()
	case err != nil:
		v.end = damaged(v.op, err)
	}
	return n, v.end
}

// Close ends the download. It fails if the image was not read to its end, or was not the right one.
func (v *verifiedImage) Close() error {
	err := v.body.Close()
	switch {
	case v.end == nil:
		return fault.Newf(fault.Internal, v.op, "it was closed before its end, and is not verified")
	case !errors.Is(v.end, io.EOF):
		return v.end
	}
	return err
}

// verify returns io.EOF if the checksum is right.
func (v *verifiedImage) verify() error {
	if _, err := io.Copy(io.Discard, v.compressed); err != nil {
		return damaged(v.op, err)
	}
	if got := hex.EncodeToString(v.sum.Sum(nil)); got != v.want {
		return mismatch(v.op, got, v.want)
	}
	return io.EOF
}

// damaged explains an error of unpacking; errors of the download itself are faults already.
func damaged(op string, err error) error {
	var known *fault.Error
	switch {
	case errors.As(err, &known), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fault.New(fault.Transient, op, errTruncated)
	}
	return fault.New(fault.Invalid, op, err)
}
