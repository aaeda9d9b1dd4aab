package deflate_test

import (
	"bytes"
	"compress/flate"
	"io"
	"math/rand/v2"
	"strings"
	"testing"

	"exoshift/ignition/deflate"
)

const entry = "title Red Hat Enterprise Linux CoreOS 9.6 (Plow)\nversion 1\noptions root=UUID=1 ignition.platform.id=exoscale " +
	" console=tty0 $ignition_firstboot\nlinux /ostree/rhcos-1f2e/vmlinuz-5.14.0\ninitrd /ostree/rhcos-1f2e/initramfs-5.14.0.img\n"

// samples are data of all kinds, some longer than a segment.
func samples() map[string][]byte {
	random := rand.NewChaCha8([32]byte{7})
	noise := make([]byte, 70_000)
	_, _ = random.Read(noise)
	var text strings.Builder
	words := strings.Fields(entry)
	for source := rand.New(random); text.Len() < 140_000; {
		text.WriteString(words[source.IntN(len(words))] + " ")
	}
	return map[string][]byte{
		"nothing":         {},
		"a byte":          {7},
		"two bytes":       {7, 7},
		"an entry":        []byte(entry),
		"zeros":           make([]byte, 64<<10),
		"many zeros":      make([]byte, 130_000),
		"entry and zeros": append([]byte(entry), make([]byte, 60_000)...),
		"noise":           noise,
		"text":            []byte(text.String()),
		"noise and text":  append(noise[:9000:9000], text.String()[:56_000]...),
		"text and noise":  append([]byte(text.String()[:5000]), noise[:3000]...),
		"all bytes once":  everyByte(),
	}
}

func everyByte() (all []byte) {
	for b := range 256 {
		all = append(all, byte(b))
	}
	return all
}

func TestPack_RoundTrip(t *testing.T) {
	for name, data := range samples() {
		for _, enough := range []int{len(data), 0} {
			if enough == 0 && len(data) > 10_000 {
				continue // the complete search is slow
			}
			source := bytes.NewReader(append(deflate.Pack(data, enough), "what follows"...))
			got, err := io.ReadAll(flate.NewReader(source))
			if err != nil || !bytes.Equal(got, data) {
				t.Errorf("%s: %d of %d bytes, %v", name, len(got), len(data), err)
			}
			if rest, _ := io.ReadAll(source); string(rest) != "what follows" {
				t.Errorf("%s: %d bytes are left", name, len(rest))
			}
		}
	}
}

// TestPack_ShorterThanFlate compares with compress/flate where that has no benefit from its larger window.
func TestPack_ShorterThanFlate(t *testing.T) {
	for name, data := range samples() {
		data = data[:min(len(data), deflate.Window)]
		var other bytes.Buffer
		w, err := flate.NewWriter(&other, flate.BestCompression)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(data); err != nil {
			t.Fatal(err)
		}
		if err := w.Close(); err != nil {
			t.Fatal(err)
		}
		if got := len(deflate.Pack(data, 0)); got > other.Len() {
			t.Errorf("%s: %d bytes, another encoder needs %d", name, got, other.Len())
		}
	}
}

// TestPack_SplitsUnlikeBlocks compares with the parts compressed separately.
func TestPack_SplitsUnlikeBlocks(t *testing.T) {
	all := samples()
	text, noise := all["text"][:6<<10], all["noise"][:6<<10]
	apart := len(deflate.Pack(text, 0)) + len(deflate.Pack(noise, 0))
	if got := len(deflate.Pack(append(text[:len(text):len(text)], noise...), 0)); got > apart+40 {
		t.Errorf("%d bytes together, %d apart", got, apart)
	}
}

func TestPack_MatchesWithinWindow(t *testing.T) {
	noise := make([]byte, deflate.Window+1)
	_, _ = rand.NewChaCha8([32]byte{7}).Read(noise)
	near, far := noise[:deflate.Window], noise
	if got := len(deflate.Pack(append(near[:len(near):len(near)], near...), 0)); got > len(near)+200 {
		t.Errorf("%d bytes: a repetition within the window is not found", got)
	}
	if got := len(deflate.Pack(append(far[:len(far):len(far)], far...), 0)); got < 2*len(far) {
		t.Errorf("%d bytes: a match reaches too far", got)
	}
}

func TestPack_StopsAtTarget(t *testing.T) {
	data := samples()["text and noise"]
	quick, best := deflate.Pack(data, len(data)), deflate.Pack(data, 0)
	if len(quick) <= len(best) || len(quick) > len(data) {
		t.Errorf("%d bytes were enough of %d, and %d the best", len(quick), len(data), len(best))
	}
}
