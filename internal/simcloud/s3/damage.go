package s3

import "io"

// damagedContent is the content of an object with another byte at one place.
type damagedContent struct {
	io.ReadSeekCloser
	at, next int64
}

// Read implements io.Reader.
func (d *damagedContent) Read(p []byte) (int, error) {
	n, err := d.ReadSeekCloser.Read(p)
	if at := d.at - d.next; at >= 0 && at < int64(n) {
		p[at] ^= 1
	}
	d.next += int64(n)
	return n, err
}

// Seek implements io.Seeker.
func (d *damagedContent) Seek(offset int64, whence int) (int64, error) {
	next, err := d.ReadSeekCloser.Seek(offset, whence)
	d.next = next
	return next, err
}
