package release

import (
	"context"
	"io"
	"strings"

	"exoshift/internal/fault"
)

type resumableDownload struct {
	body   io.ReadCloser
	resume func(offset int64) (io.ReadCloser, error)
	offset int64 // of the next byte
	total  int64 // bytes; less than 1 if unknown
	idle   int   // consecutive interruptions without a byte in between
}

func (i *Installer) openResumable(ctx context.Context, url string) (*resumableDownload, error) {
	response, err := i.open(ctx, url, i.limits.image) //nolint:bodyclose // Close of what is returned closes it
	if err != nil {
		return nil, err
	}
	tag := response.Header.Get("ETag")
	if !strings.HasPrefix(tag, `"`) {
		tag = "" // a weak one does not identify the bytes
	}
	return &resumableDownload{body: response.Body, total: response.ContentLength, resume: func(offset int64) (body io.ReadCloser, err error) {
		err = i.retry(ctx, func() (int64, error) {
			body, err = i.openFrom(ctx, url, offset, tag)
			return 0, err
		})
		return body, err
	}}, nil
}

func (i *Installer) openFrom(ctx context.Context, url string, offset int64, tag string) (io.ReadCloser, error) {
	response, start, err := i.openAt(ctx, url, i.limits.image, offset, tag)
	if err != nil {
		return nil, err
	}
	if start != offset {
		response.Body.Close()
		return nil, fault.New(fault.Transient, "download "+url, errTruncated).
			WithHint("run again; the server does not go on with a download that was cut short")
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
