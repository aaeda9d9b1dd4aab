package release

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

type transfer struct {
	*Installer
	part     partialDownload
	what     string // for messages
	progress func(text string)
	resumed  bool // whether an attempt continued a partial download
}

// complete downloads the rest of the archive and verifies the whole. An archive with the wrong checksum is deleted; if a part of
// it was from an earlier download, all of it is downloaded once more.
func (t *transfer) complete(ctx context.Context) error {
	for again := false; ; again = true {
		var got string
		err := t.retry(ctx, func() (came int64, err error) {
			got, came, err = t.tryOnce(ctx)
			return came, err
		})
		if fault.IsTooLarge(err) {
			return errors.Join(err, t.part.remove())
		}
		if err != nil || got == t.part.want.sum {
			return err
		}
		if err := t.part.remove(); err != nil {
			return fault.New(fault.Internal, "delete "+t.part.path, err)
		}
		if again || !t.resumed {
			return newChecksumError("download "+t.part.want.url, got, t.part.want.sum)
		}
		t.log("the parts of " + t.part.want.url + " do not fit together; downloading it from the start")
	}
}

func (t *transfer) tryOnce(ctx context.Context) (sum string, came int64, err error) {
	part, err := t.part.open()
	if err != nil {
		return "", 0, t.toStoreFault(err)
	}
	defer func() { err = errors.Join(err, t.closePart(part)) }()
	if part.formatSum() == t.part.want.sum {
		return part.formatSum(), 0, nil
	}
	response, start, err := t.openAt(ctx, t.part.want.url, t.limits.archive, part.size, part.origin.ETag)
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
	gauge := &progressMeter{clock: t.net.Clock, what: t.what, done: start, emit: t.progress}
	if response.ContentLength > 0 {
		gauge.total = start + response.ContentLength
	}
	if start > 0 {
		t.resumed = true
		t.log(fmt.Sprintf("going on with the download of %s after %d bytes", t.what, start))
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
		return newWebPageError("download " + t.part.want.url)
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
	return t.part.remove()
}

func (t *transfer) toStoreFault(err error) error {
	return fault.New(fault.Internal, "store "+t.part.path, err).WithHint("check the disk's space and the folder's permissions")
}

// openAt requests at most that many bytes from an offset on, if the file still has that tag. It returns where the response
// starts: at the offset, or at zero.
func (i *Installer) openAt(ctx context.Context, url string, most, offset int64, tag string) (response *http.Response, start int64, err error) {
	if offset > 0 {
		header := http.Header{"Range": {fmt.Sprintf("bytes=%d-", offset)}}
		if tag != "" {
			header.Set("If-Range", tag)
		}
		response, err = i.request(ctx, url, most-offset, header)
		if err != nil {
			return nil, 0, err
		}
		if start, usable := parseStart(response, offset); usable {
			return response, start, closeOnError(response, url)
		}
		response.Body.Close()
	}
	response, err = i.open(ctx, url, most)
	return response, 0, err
}

// parseStart returns where the response to a range request starts. It is unusable if the server cannot start there.
func parseStart(response *http.Response, offset int64) (start int64, usable bool) {
	switch response.StatusCode {
	case http.StatusPartialContent:
		return offset, strings.HasPrefix(response.Header.Get("Content-Range"), fmt.Sprintf("bytes %d-", offset))
	case http.StatusRequestedRangeNotSatisfiable:
		return 0, false
	}
	return 0, true
}
