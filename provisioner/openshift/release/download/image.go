package download

import (
	"bufio"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"strings"

	"exoshift/internal/fault"
	"exoshift/state"

	"github.com/klauspost/compress/gzip" // unpacks about twice as fast as the standard library
)

// OpenImage downloads a boot image and unpacks it while it is read. The checksum of the download is verified at its end: io.EOF
// means that it was right, Close before it returns an error. progress receives the progress of the download about once a second,
// from another goroutine and not after Close.
func (c *Client) OpenImage(ctx context.Context, image state.BootImage, progress func(text string)) (io.ReadCloser, error) {
	op := "download " + image.URL
	ctx, cancel := context.WithCancelCause(ctx)
	body, err := c.openResumable(ctx, image.URL)
	if err != nil {
		cancel(nil)
		return nil, err
	}
	sum := sha256.New()
	gauge := &progressMeter{clock: c.net.Clock, what: "the boot image", total: body.total, emit: progress}
	// One buffer for gzip and for what follows: gzip reads no byte beyond its end from an io.ByteReader.
	compressed := bufio.NewReaderSize(io.TeeReader(body, io.MultiWriter(sum, gauge)), 1<<16)
	unpacked, err := openGzip(op, compressed)
	if err != nil {
		cancel(nil)
		return nil, errors.Join(err, body.Close())
	}
	verified := &verifiedImage{
		op: op, want: strings.ToLower(image.SHA256), sum: sum, compressed: compressed,
		unpacked: LimitReader(unpacked, op, c.Image.Unpacked),
	}
	return &openImage{op: op, cancel: cancel, body: body, prefetcher: newPrefetcher(verified), gauge: gauge}, nil
}

func openGzip(op string, compressed *bufio.Reader) (io.Reader, error) {
	if start, _ := compressed.Peek(64); isWebPage(start) {
		return nil, newWebPageError(op)
	}
	unpacked, err := gzip.NewReader(compressed)
	if err != nil {
		return nil, wrapUnpackError(op, err)
	}
	return unpacked, nil
}

type openImage struct {
	op         string
	cancel     context.CancelCauseFunc // of the download
	body       io.Closer
	prefetcher *prefetcher
	gauge      *progressMeter
	end        error // after the end: io.EOF, or why it is not the right image
}

func (o *openImage) Read(p []byte) (int, error) {
	if o.end != nil {
		return 0, o.end
	}
	n, err := o.prefetcher.Read(p)
	o.end = err
	return n, err
}

// Fraction returns the part of the download that is done; 0 if that is unknown. It may be called at any time.
func (o *openImage) Fraction() float64 { return o.gauge.fraction() }

// Close cancels the download. It fails if the image was not read to its end, or was not the right one.
func (o *openImage) Close() error {
	o.cancel(nil)
	o.prefetcher.stop()
	err := o.body.Close()
	switch {
	case o.end == nil:
		return fault.Newf(fault.Internal, o.op, "it was closed before its end and is not verified")
	case !errors.Is(o.end, io.EOF):
		return o.end
	}
	return err
}

// verifiedImage returns io.EOF only if the checksum of the download was right.
type verifiedImage struct {
	op         string
	want       string
	sum        hash.Hash
	compressed io.Reader
	unpacked   io.Reader
}

func (v *verifiedImage) Read(p []byte) (int, error) {
	n, err := v.unpacked.Read(p)
	switch {
	case errors.Is(err, io.EOF):
		err = v.verify()
	case err != nil:
		err = wrapUnpackError(v.op, err)
	}
	return n, err
}

func (v *verifiedImage) verify() error {
	if _, err := io.Copy(io.Discard, v.compressed); err != nil {
		return wrapUnpackError(v.op, err)
	}
	if got := hex.EncodeToString(v.sum.Sum(nil)); got != v.want {
		return newChecksumError(v.op, got, v.want)
	}
	return io.EOF
}

func wrapUnpackError(op string, err error) error {
	var known *fault.Error
	switch {
	case errors.As(err, &known), errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return fault.New(fault.Transient, op, errTruncated)
	}
	return fault.New(fault.Invalid, op, err)
}

type resumableDownload struct {
	body   io.ReadCloser
	resume func(offset int64) (io.ReadCloser, error)
	offset int64 // of the next byte
	total  int64 // bytes; less than 1 if unknown
	idle   int   // consecutive interruptions without a byte in between
}

func (c *Client) openResumable(ctx context.Context, url string) (*resumableDownload, error) {
	response, err := c.open(ctx, url, c.Image.Packed) //nolint:bodyclose // Close of what is returned closes it
	if err != nil {
		return nil, err
	}
	tag := response.Header.Get("ETag")
	if !strings.HasPrefix(tag, `"`) {
		tag = "" // a weak one does not identify the bytes
	}
	return &resumableDownload{body: response.Body, total: response.ContentLength, resume: func(offset int64) (body io.ReadCloser, err error) {
		err = c.retry(ctx, func() (int64, error) {
			body, err = c.openFrom(ctx, url, offset, tag)
			return 0, err
		})
		return body, err
	}}, nil
}

func (c *Client) openFrom(ctx context.Context, url string, offset int64, tag string) (io.ReadCloser, error) {
	response, start, err := c.openAt(ctx, url, c.Image.Packed, offset, tag)
	if err != nil {
		return nil, err
	}
	if start != offset {
		response.Body.Close()
		return nil, fault.New(fault.Transient, "download "+url, errTruncated).
			WithHint("run again; the server cannot resume a truncated download")
	}
	return response.Body, nil
}

func (p *resumableDownload) Read(into []byte) (int, error) {
	const most = 3
	for {
		n, err := p.body.Read(into)
		p.offset += int64(n)
		if n > 0 {
			p.idle = 0
		}
		switch {
		case !fault.Is(err, fault.Transient):
			return n, err
		case n > 0:
			return n, nil // the error occurs again
		}
		if p.idle++; p.idle > most {
			return 0, err
		}
		body, err := p.resume(p.offset)
		if err != nil {
			return 0, err
		}
		_ = p.body.Close() // it is broken
		p.body = body
	}
}

// Close must not be called while Read runs.
func (p *resumableDownload) Close() error { return p.body.Close() }
