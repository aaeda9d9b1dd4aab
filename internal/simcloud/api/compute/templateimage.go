package api

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
)

type templateRequest struct {
	wireTemplate
	Consistent      bool    `json:"application-consistent-snapshot-enabled"`
	KeyEnabled      *bool   `json:"ssh-key-enabled"`
	PasswordEnabled *bool   `json:"password-enabled"`
	DefaultUser     *string `json:"default-user"`
}

// registerTemplate fetches the image in the background; its errors are the operation's.
func (a *API) registerTemplate(c *call) (any, error) {
	body := templateRequest{wireTemplate: wireTemplate{BootMode: "legacy"}}
	if err := c.decode(&body); err != nil {
		return nil, err
	}
	if c.zone == "" {
		return nil, newNotFound("zone", c.request.Host)
	}
	if err := check(checkTemplate(body), a.checkQuota("template", 1)); err != nil {
		return nil, err
	}
	head, err := a.newRow(c.zone)
	if err != nil {
		return nil, err
	}
	t := template{row: head, Wire: body.wireTemplate}
	t.Wire.ID, t.Wire.CreatedAt, t.Wire.Visibility = head.ID, head.Created.Truncate(time.Second), "private"
	if body.DefaultUser != nil {
		t.Wire.DefaultUser = *body.DefaultUser
	}
	t.Wire.KeyEnabled, t.Wire.PasswordEnabled = *body.KeyEnabled, *body.PasswordEnabled
	delay := spreadDuration(t.Wire.Name, 220*time.Second, 260*time.Second)
	t.ReadyAt = head.Created.Add(delay)
	if err := a.tables.templates.put(t); err != nil {
		return nil, err
	}
	a.fetch(t)
	wire := wireOperation{Reference: newReference("template", t.ID)}
	return a.begin(t.Zone, delay, operation{Wire: wire, Template: t.ID})
}

func checkTemplate(body templateRequest) error {
	if body.KeyEnabled == nil || body.PasswordEnabled == nil {
		return newInvalidError("ssh-key-enabled and password-enabled are required")
	}
	source, err := url.Parse(body.URL)
	if err != nil || source.Scheme != "http" && source.Scheme != "https" {
		return newInvalidError("url must be an HTTP URL")
	}
	return check(
		checkLength("name", body.Name, 1, 255),
		checkLength("checksum", body.Checksum, 1, 255),
		checkGiven("default-user", body.DefaultUser, 1, 255),
		checkDescription(&body.Description),
		checkOneOf("boot-mode", body.BootMode, "legacy", "uefi"),
	)
}

// fetch reads a template's image in the background, as Exoscale does; the result is visible when the operation ends.
func (a *API) fetch(t template) {
	a.background(func(ctx context.Context) {
		found, fault := a.checkImage(ctx, t.Wire.URL, t.Wire.Checksum)
		if ctx.Err() != nil {
			return // closed meanwhile: the next process fetches again
		}
		a.mu.Lock()
		defer a.mu.Unlock()
		t.Fetched, t.Platform, t.OSBuild = true, found.platform, found.build
		if t.Wire.Size == 0 {
			t.Wire.Size = found.size
		}
		if fault != nil {
			t.Reason, t.Failure = fault.reason, fault.message
		}
		if a.tables.templates.put(t) == nil {
			a.resumeOperations()
		}
	})
}

// imageError is the reason of a failed operation.
type imageError struct{ reason, message string }

type image struct {
	platform string
	build    string
	size     int64
}

func (a *API) checkImage(ctx context.Context, source, checksum string) (image, *imageError) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, source, nil)
	if err != nil {
		return image{}, &imageError{"incorrect", err.Error()}
	}
	response, err := a.config.HTTP.Do(request)
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
