package objects_test

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // the storage identifies parts by their MD5
	"encoding/hex"
	"net/http"
	"strings"
	"testing"
	"time"

	"exoshift/internal/fault"
	"exoshift/provisioner/objects"
)

const minPart = 5 << 20

// putPart uploads a part by its link, as somebody without credentials.
func (w *world) putPart(ctx context.Context, link string, content []byte) objects.Part {
	w.t.Helper()
	client := w.net.NewClient()
	defer client.CloseIdleConnections()
	request, err := http.NewRequestWithContext(ctx, http.MethodPut, link, bytes.NewReader(content))
	w.check(err)
	response, err := client.Do(request)
	w.check(err)
	w.check(response.Body.Close())
	sum := md5.Sum(content) //nolint:gosec // see the imports
	if response.StatusCode != http.StatusOK || strings.Trim(response.Header.Get("ETag"), `"`) != hex.EncodeToString(sum[:]) {
		w.t.Fatalf("%s, ETag %s", response.Status, response.Header.Get("ETag"))
	}
	return objects.Part{ETag: hex.EncodeToString(sum[:]), Size: int64(len(content))}
}

func TestUploadByLinks_JoinsParts(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.bucket(ctx)
		w.abandonUpload(ctx, "c-bootstrap", "image.qcow2")
		content := bytes.Repeat([]byte("0123456789abcdef"), minPart/16+100)
		w.check(w.UploadByLinks(ctx, "c-bootstrap", "image.qcow2", 3, time.Hour, func(ctx context.Context, links objects.PartLinks) ([]objects.Part, error) {
			if len(links) != 3 || strings.Contains(strings.Join(links, " "), secret) {
				w.t.Fatalf("the links are %q", links)
			}
			// The order in which parts are sent does not matter.
			second := w.putPart(ctx, links[1], content[minPart:])
			return []objects.Part{w.putPart(ctx, links[0], content[:minPart]), second}, nil
		}))
		link, err := w.SignGetURL(ctx, "c-bootstrap", "image.qcow2", time.Hour)
		w.check(err)
		if !bytes.Equal(w.read(link), content) {
			w.t.Error("the content differs")
		}
		if entries := strings.Join(w.journal.entries, "\n"); !strings.Contains(entries, "intend object c-bootstrap/image.qcow2\ncreated object c-bootstrap/image.qcow2") {
			w.t.Errorf("the journal has\n%s", entries)
		}
		if aborted := w.count("DELETE /c-bootstrap/image.qcow2?uploadId="); aborted != 1 {
			w.t.Errorf("aborted %d uploads, want that of the killed run", aborted)
		}
	})
}

func TestUploadByLinks_FailureLeavesNothing(t *testing.T) {
	lost := fault.Newf(fault.Transient, "copy the image", "the machine is gone")
	for name, c := range map[string]struct {
		upload func(ctx context.Context, w *world, links objects.PartLinks) ([]objects.Part, error)
		kind   fault.Kind
		says   string
	}{
		"failed upload": {func(ctx context.Context, w *world, links objects.PartLinks) ([]objects.Part, error) {
			w.putPart(ctx, links[0], make([]byte, minPart))
			return nil, lost
		}, fault.Transient, "the machine is gone"},
		"the checksum": {func(ctx context.Context, w *world, links objects.PartLinks) ([]objects.Part, error) {
			part := w.putPart(ctx, links[0], make([]byte, minPart))
			return []objects.Part{{ETag: strings.Repeat("0", 32), Size: part.Size}}, nil
		}, fault.Invalid, "InvalidPart"},
		"unsent part": {func(context.Context, *world, objects.PartLinks) ([]objects.Part, error) {
			return []objects.Part{{ETag: strings.Repeat("0", 32), Size: 1}}, nil
		}, fault.Invalid, "InvalidPart"},
	} {
		t.Run(name, func(t *testing.T) {
			inWorld(t, func(ctx context.Context, w *world) {
				w.bucket(ctx)
				err := w.UploadByLinks(ctx, "c-bootstrap", "image.qcow2", 2, time.Hour, func(ctx context.Context, links objects.PartLinks) ([]objects.Part, error) {
					return c.upload(ctx, w, links)
				})
				w.wantFault(err, c.kind, "c-bootstrap/image.qcow2", c.says)
				if _, err := w.GetObject(ctx, "c-bootstrap", "image.qcow2", 1); !fault.Is(err, fault.NotFound) {
					w.t.Errorf("the object is there: %v", err)
				}
				if aborted := w.count("DELETE /c-bootstrap/image.qcow2?uploadId="); aborted != 1 {
					w.t.Errorf("aborted %d uploads", aborted)
				}
			})
		})
	}
}

func TestUploadByLinks_WrongSizeIsConflict(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.bucket(ctx)
		err := w.UploadByLinks(ctx, "c-bootstrap", "image.qcow2", 1, time.Hour, func(ctx context.Context, links objects.PartLinks) ([]objects.Part, error) {
			part := w.putPart(ctx, links[0], make([]byte, 100))
			part.Size++
			return []objects.Part{part}, nil
		})
		w.wantFault(err, fault.Conflict, "100 bytes", "101")
	})
}

func TestUpload_CountsWhatWasSent(t *testing.T) {
	inWorld(t, func(ctx context.Context, w *world) {
		w.bucket(ctx)
		sent := make(chan int, 1<<16)
		w.check(w.Upload(ctx, "c-bootstrap", "image.qcow2", countless{bytes.NewReader(make([]byte, 20<<20))}, func(bytes int) { sent <- bytes }))
		close(sent)
		total := 0
		for bytes := range sent {
			total += bytes
		}
		if total != 20<<20 {
			w.t.Errorf("%d bytes were counted", total)
		}
	})
}
