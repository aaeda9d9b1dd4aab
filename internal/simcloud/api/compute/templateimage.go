package compute

import (
	"bytes"
	"context"
	"crypto/md5" //nolint:gosec // the API asks for MD5
	"encoding/hex"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"time"

	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

type templateRequest struct {
	wireTemplate
	Consistent      bool    `json:"application-consistent-snapshot-enabled"`
	KeyEnabled      *bool   `json:"ssh-key-enabled"`
	PasswordEnabled *bool   `json:"password-enabled"`
	DefaultUser     *string `json:"default-user"`
}

// create fetches the image in the background; its errors are the operation's.
func (s *Templates) create(req *rest.Request) (any, error) {
	body := templateRequest{wireTemplate: wireTemplate{BootMode: "legacy"}}
	if err := req.Decode(&body); err != nil {
		return nil, err
	}
	if req.Zone == "" {
		return nil, rest.NotFound("zone", req.Host)
	}
	if err := rest.FirstError(checkTemplate(body), s.store.Quotas.Check("template", 1)); err != nil {
		return nil, err
	}
	head, err := s.store.NewRow(req.Zone)
	if err != nil {
		return nil, err
	}
	t := template{Row: head, Wire: body.wireTemplate}
	t.Wire.ID, t.Wire.CreatedAt, t.Wire.Visibility = head.ID, head.Created.Truncate(time.Second), "private"
	if body.DefaultUser != nil {
		t.Wire.DefaultUser = *body.DefaultUser
	}
	t.Wire.KeyEnabled, t.Wire.PasswordEnabled = *body.KeyEnabled, *body.PasswordEnabled
	delay := resource.SpreadDuration(t.Wire.Name, 220*time.Second, 260*time.Second)
	t.ReadyAt = head.Created.Add(delay)
	if err := s.table.Put(t); err != nil {
		return nil, err
	}
	s.fetch(t)
	wire := resource.WireOperation{Reference: resource.NewReference("template", t.ID)}
	return s.store.Begin(t.Zone, delay, resource.Operation{Wire: wire, Template: t.ID})
}

func checkTemplate(body templateRequest) error {
	if body.KeyEnabled == nil || body.PasswordEnabled == nil {
		return rest.Invalidf("ssh-key-enabled and password-enabled are required")
	}
	source, err := url.Parse(body.URL)
	if err != nil || source.Scheme != "http" && source.Scheme != "https" {
		return rest.Invalidf("url must be an HTTP URL")
	}
	return rest.FirstError(
		rest.CheckLength("name", body.Name, 1, 255),
		rest.CheckLength("checksum", body.Checksum, 1, 255),
		rest.CheckOptional("default-user", body.DefaultUser, 1, 255),
		rest.CheckDescription(&body.Description),
		rest.CheckOneOf("boot-mode", body.BootMode, "legacy", "uefi"),
	)
}

// fetch reads a template's image in the background, as Exoscale does; the result is visible when the operation ends.
func (s *Templates) fetch(t template) {
	s.store.Go(func(ctx context.Context) {
		found, fault := s.checkImage(ctx, t.Wire.URL, t.Wire.Checksum)
		if ctx.Err() != nil {
			return // closed meanwhile: the next process fetches again
		}
		s.store.Lock()
		defer s.store.Unlock()
		t.Fetched, t.Platform, t.OSBuild = true, found.platform, found.build
		if t.Wire.Size == 0 {
			t.Wire.Size = found.size
		}
		if fault != nil {
			t.Reason, t.Failure = fault.reason, fault.message
		}
		if s.table.Put(t) == nil {
			s.store.RetryWaiting()
		}
	})
}

// fetchPending fetches the images that an earlier process did not get.
func (s *Templates) fetchPending() {
	for _, t := range s.table.All() {
		if !t.Fetched {
			s.fetch(t)
		}
	}
}

// outcome returns the result of a registration; a template whose registration failed is forgotten.
func (s *Templates) outcome(id string) (resource.Outcome, error) {
	t, ok := s.table.Lookup(id)
	if ok && !t.Fetched {
		return resource.Outcome{Pending: true}, nil
	}
	if t.Failure == "" {
		return resource.Outcome{}, nil
	}
	return resource.Outcome{Reason: t.Reason, Failure: t.Failure}, s.table.Delete(id)
}

// imageError is the reason of a failed operation.
type imageError struct{ reason, message string }

type image struct {
	platform string
	build    string
	size     int64
}

func (s *Templates) checkImage(ctx context.Context, source, checksum string) (image, *imageError) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, source, nil)
	if err != nil {
		return image{}, &imageError{"incorrect", err.Error()}
	}
	response, err := s.http.Do(request)
	if err != nil {
		return image{}, &imageError{"unavailable", "The image could not be downloaded: " + stripQuery(err, source)}
	}
	defer response.Body.Close()
	if response.StatusCode != http.StatusOK {
		return image{}, &imageError{"unavailable", "The image could not be downloaded: " + response.Status}
	}
	hash := md5.New() //nolint:gosec // the API asks for MD5
	scan := newScanner()
	size, err := io.Copy(io.MultiWriter(hash, scan), response.Body)
	sum := hex.EncodeToString(hash.Sum(nil))
	switch {
	case err != nil:
		return image{}, &imageError{"unavailable", "The image could not be downloaded: " + stripQuery(err, source)}
	case !strings.EqualFold(sum, checksum):
		return image{}, &imageError{"incorrect", fmt.Sprintf("Checksum mismatch: expected %s, got %s", checksum, sum)}
	case !bytes.Equal(scan.head, []byte("QFI\xfb")):
		return image{}, &imageError{"incorrect", "The image is not in QCOW2 format"}
	}
	return image{platform: scan.platform.result(), build: scan.build.result(), size: size}, nil
}

// stripQuery removes the signature of a signed link from error messages.
func stripQuery(err error, source string) string {
	plain, _, _ := strings.Cut(source, "?")
	return strings.ReplaceAll(err.Error(), source, plain)
}
