package ignition

import (
	"bytes"
	"errors"
	"io"
	"slices"

	"exoshift/internal/fault"
)

// The kernel argument that selects the source of Ignition's user-data, as the OpenStack image has it and as Exoscale
// needs it. Both are of one length, so nothing moves inside the file system or the qcow2 around it; ext4 has checksums of
// its metadata, and none of file contents.
const (
	openStack = "ignition.platform.id=openstack"
	exoscale  = "ignition.platform.id=exoscale "
)

const patching = "patch boot image"

// The unit of reading an image; bytes.
const chunk = 256 << 10

// PlatformPatch is the reader of a patched image.
type PlatformPatch struct {
	image       io.Reader
	format      format // nil until detected from the first bytes
	window      []byte
	next, ready int // window[next:ready] is patched and not yet returned by Read
	replaced    int
	err         error // end of the image; io.EOF on success
}

type format interface {
	// patch replaces the platform in the next bytes of the image. It returns how many of them are final, which may be
	// none unless the image has ended, and the number of replacements.
	patch(next []byte, ended bool) (final, replaced int, err error)
	// lookahead is the number of bytes that patch may need at once.
	lookahead() int
}

// PatchPlatform returns a reader of a qcow2 or raw image of RHCOS for OpenStack, in which the platform is Exoscale and
// every other byte of the disk is the same. Compressed clusters of a qcow2 that hold the platform are recompressed.
//
// Instead of io.EOF, it fails with fault.Invalid if there was nothing to replace: machines made of such an image would
// never find their user-data. It fails, too, if a qcow2 uses a feature that hides content, such as encryption. Errors of
// the image's own reader are passed on as they are.
func PatchPlatform(image io.Reader) *PlatformPatch {
	return &PlatformPatch{image: image, window: make([]byte, 0, chunk+len(openStack))}
}

// Replaced returns the number of replacements so far.
func (p *PlatformPatch) Replaced() int { return p.replaced }

// Read implements io.Reader.
func (p *PlatformPatch) Read(into []byte) (int, error) {
	if len(into) == 0 {
		return 0, nil
	}
	for p.next == p.ready && p.err == nil {
		p.fill()
	}
	if p.next == p.ready {
		return 0, p.err
	}
	n := copy(into, p.window[p.next:p.ready])
	p.next += n
	return n, nil
}

// Bytes that are not final are kept for the next call.
func (p *PlatformPatch) fill() {
	held := copy(p.window, p.window[p.ready:])
	n, err := p.image.Read(p.window[held:cap(p.window)])
	p.window = p.window[:held+n]
	p.next, p.ready = 0, 0
	if problem := p.patchWindow(err != nil); problem != nil && (err == nil || errors.Is(err, io.EOF)) {
		p.err = problem
		return
	}
	if err != nil {
		p.ready, p.err = len(p.window), p.checkReplaced(err)
	}
}

func (p *PlatformPatch) patchWindow(ended bool) error {
	if p.format == nil {
		if err := p.detectFormat(ended); err != nil || p.format == nil {
			return err
		}
	}
	final, replaced, err := p.format.patch(p.window, ended)
	p.ready, p.replaced = final, p.replaced+replaced
	return err
}

func (p *PlatformPatch) detectFormat(ended bool) error {
	switch {
	case len(p.window) < qcow2HeaderSize && !ended:
		return nil
	case !bytes.HasPrefix(p.window, []byte(qcow2Magic)):
		p.format = raw{}
		return nil
	}
	image, err := newQcow2(p.window)
	if err != nil {
		return err
	}
	p.format = image
	p.window = slices.Grow(p.window, image.lookahead()+chunk)
	return nil
}

func (p *PlatformPatch) checkReplaced(err error) error {
	if !errors.Is(err, io.EOF) || p.replaced > 0 {
		return err
	}
	return fault.Newf(fault.Invalid, patching, "the image does not contain %q", openStack).
		WithHint("use the OpenStack image of exactly this release")
}

// An image that is the disk byte by byte, or such a part of another image.
type raw struct{}

func (raw) lookahead() int { return len(openStack) }

// patch holds the last bytes back until the image ends, as a match may begin there.
func (raw) patch(next []byte, ended bool) (final, replaced int, err error) {
	replaced = replacePlatform(next)
	if ended {
		return len(next), replaced, nil
	}
	return max(0, len(next)-len(openStack)+1), replaced, nil
}

func replacePlatform(content []byte) (replaced int) {
	for {
		at := bytes.Index(content, []byte(openStack))
		if at < 0 {
			return replaced
		}
		copy(content[at:], exoscale)
		content = content[at+len(exoscale):]
		replaced++
	}
}
