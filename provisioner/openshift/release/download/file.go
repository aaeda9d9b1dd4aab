package download

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"exoshift/internal/fault"
)

// Complete downloads the rest of a file and verifies the whole. A file with the wrong checksum is deleted; if a part of it was from an
// earlier download, all of it is downloaded once more. progress receives the progress of what, about once a second; at most limit bytes
// are read.
func (c *Client) Complete(ctx context.Context, part Partial, limit int64, what string, progress func(text string)) error {
	t := &transfer{Client: c, part: part, limit: limit, what: what, progress: progress}
	for again := false; ; again = true {
		var got string
		err := t.retry(ctx, func() (came int64, err error) {
			got, came, err = t.tryOnce(ctx)
			return came, err
		})
		if fault.IsTooLarge(err) {
			return errors.Join(err, t.part.Remove())
		}
		if err != nil || got == t.part.SHA256 {
			return err
		}
		if err := t.part.Remove(); err != nil {
			return fault.New(fault.Internal, "delete "+t.part.Path, err)
		}
		if again || !t.resumed {
			return newChecksumError("download "+t.part.URL, got, t.part.SHA256)
		}
		t.log("the parts of " + t.part.URL + " do not match; downloading it from the start")
	}
}

// transfer is one download of a file.
type transfer struct {
	*Client
	part     Partial
	limit    int64  // bytes
	what     string // for messages
	progress func(text string)
	resumed  bool // whether an attempt continued a partial download
}

func (t *transfer) tryOnce(ctx context.Context) (sum string, came int64, err error) {
	part, err := t.part.open()
	if err != nil {
		return "", 0, t.toStoreFault(err)
	}
	defer func() { err = errors.Join(err, t.closePart(part)) }()
	if part.formatSum() == t.part.SHA256 {
		return part.formatSum(), 0, nil
	}
	response, start, err := t.openAt(ctx, t.part.URL, t.limit, part.size, part.origin.ETag)
	if err != nil {
		return "", 0, err
	}
	defer response.Body.Close()
	before := part.size
	if start == 0 {
		before = 0
	}
	if err := t.receive(part, response, start); err != nil {
		if fault.KindOf(err) == fault.Internal && ctx.Err() == nil {
			err = t.toStoreFault(err)
		}
		return "", part.size - before, err
	}
	return part.formatSum(), part.size - before, nil
}

func (t *transfer) receive(part *partialFile, response *http.Response, start int64) error {
	body := bufio.NewReaderSize(response.Body, 1<<16)
	gauge := &progressMeter{clock: t.net.Clock, what: t.what, emit: t.progress}
	gauge.done.Store(start)
	if response.ContentLength > 0 {
		gauge.total = start + response.ContentLength
	}
	if start > 0 {
		t.resumed = true
		t.log(fmt.Sprintf("resuming the download of %s after %d bytes", t.what, start))
	} else if err := t.begin(part, response, body); err != nil {
		return err
	}
	_, err := io.Copy(io.MultiWriter(part, gauge), body)
	gauge.report()
	return err
}

// begin drops the partial archive, because the response has all of the file, unless the response is a web page.
func (t *transfer) begin(part *partialFile, response *http.Response, body *bufio.Reader) error {
	if head, _ := body.Peek(64); isWebPage(head) {
		return newWebPageError("download " + t.part.URL)
	}
	if err := part.reset(); err != nil {
		return err
	}
	part.origin.ETag = ""
	if tag := response.Header.Get("ETag"); strings.HasPrefix(tag, `"`) {
		part.origin.ETag = tag
	}
	return t.part.saveOrigin(part.origin)
}

func (t *transfer) closePart(part *partialFile) error {
	if err := part.file.Close(); err != nil || part.size > 0 {
		return err
	}
	return t.part.Remove()
}

func (t *transfer) toStoreFault(err error) error {
	return fault.New(fault.Internal, "store "+t.part.Path, err).WithHint("check the disk's space and the folder's permissions")
}
