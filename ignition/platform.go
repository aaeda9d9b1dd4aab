package ignition

import (
	"bytes"
	"errors"
	"io"

	"exoshift/internal/fault"
)

// The kernel argument that tells Ignition where to look for user-data, as the OpenStack image has it and as Exoscale
// needs it. Both are of one length, so nothing moves inside the file system or the qcow2 around it. That no other
// change is needed is inferred from what is known of ext4 and qcow2: an image whose boot partition is compressed, or
// where the argument straddles two clusters of the image, holds no match and is refused.
const (
	openStack = "ignition.platform.id=openstack"
	exoscale  = "ignition.platform.id=exoscale "
)

// chunk is how much of an image is looked at in one go; bytes.
const chunk = 256 << 10

// PlatformPatch is the reader of a patched image.
type PlatformPatch struct {
	image       io.Reader
	window      []byte
	next, ready int // window[next:ready] is searched through and not yet handed out
	replaced    int
	err         error // what ended the image; io.EOF when all is well
}

// PatchPlatform returns a reader of a raw or uncompressed qcow2 image of RHCOS for OpenStack, in which the platform is
// Exoscale. Where io.EOF is due, it fails with fault.Invalid if there was nothing to replace: machines made of such an
// image would never find their user-data. Errors of the image's own reader are passed on as they are.
func PatchPlatform(image io.Reader) *PlatformPatch {
	return &PlatformPatch{image: image, window: make([]byte, 0, chunk+len(openStack))}
}

// Replaced tells in how many places the platform was replaced so far.
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

// fill reads on and replaces what it finds. The last bytes of the window stay back until the image ends, as a match
// may begin there.
func (p *PlatformPatch) fill() {
	held := copy(p.window, p.window[p.ready:])
	n, err := p.image.Read(p.window[held:cap(p.window)])
	p.window = p.window[:held+n]
	p.replace()
	p.next, p.ready = 0, max(0, len(p.window)-len(openStack)+1)
	if err != nil {
		p.ready, p.err = len(p.window), p.verdict(err)
	}
}

func (p *PlatformPatch) replace() {
	for rest := p.window; ; {
		at := bytes.Index(rest, []byte(openStack))
		if at < 0 {
			return
		}
		copy(rest[at:], exoscale)
		rest = rest[at+len(exoscale):]
		p.replaced++
	}
}

func (p *PlatformPatch) verdict(err error) error {
	if !errors.Is(err, io.EOF) || p.replaced > 0 {
		return err
	}
	return fault.Newf(fault.Invalid, "patch boot image", "the image does not contain %q", openStack).
		WithHint("use the OpenStack image of exactly this release, as an uncompressed qcow2")
}
