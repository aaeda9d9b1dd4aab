package ignition_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"exoshift/ignition"
	"exoshift/internal/fault"
)

// sampleImage is an image of many clusters of all kinds, and the disk in it. Several hold the platform.
func sampleImage(t testing.TB, random *rand.Rand, bits int) (image, disk []byte) {
	t.Helper()
	const clusters = 300
	size := 1 << bits
	disk = make([]byte, clusters*size)
	w := newQcow2Writer(bits, len(disk))
	for number := range clusters {
		content := disk[number*size : (number+1)*size]
		if random.IntN(3) == 0 {
			continue // never written
		}
		fillCluster(random, content)
		if random.IntN(3) == 0 {
			w.plain(number, content)
		} else {
			w.packed(t, number, content)
		}
	}
	return w.image, disk
}

// fillCluster fills a part of a cluster with text or noise, and one of sixteen with the platform.
func fillCluster(random *rand.Rand, content []byte) {
	const words = "linux initrd title options version rhcos metal console root rw quiet 5.14.0 /ostree/boot.1 "
	switch n := random.IntN(len(content)); random.IntN(3) {
	case 0:
		for i := range content[:n] {
			content[i] = byte(random.Uint32())
		}
	case 1:
		from := random.IntN(len(words))
		copy(content[:n], strings.Repeat(words[from:]+words, n/len(words)+1))
	}
	if random.IntN(16) == 0 {
		copy(content[random.IntN(len(content)-len(before)):], before)
	}
}

func replaced(content []byte) []byte {
	return bytes.ReplaceAll(content, []byte("id=openstack"), []byte("id=exoscale "))
}

func TestPatchPlatform_Qcow2Plain(t *testing.T) {
	random := rand.New(rand.NewChaCha8([32]byte{2}))
	for round := range 12 {
		image, disk := sampleImage(t, random, 9+round%4)
		want, whole := replaced(disk), ignition.PatchPlatform(bytes.NewReader(image))
		got := []byte(patched(t, whole))
		if places := bytes.Count(disk, []byte("id=openstack")); whole.Replaced() != places {
			t.Errorf("round %d: %d of %d places", round, whole.Replaced(), places)
		}
		if len(got) != len(image) || !bytes.Equal(guest(t, got), want) {
			t.Fatalf("round %d: the disk is not what it should be", round)
		}
		cut := ignition.PatchPlatform(&randomReader{random, bytes.NewReader(image)})
		if again := patched(t, &randomReader{random, cut}); again != string(got) {
			t.Fatalf("round %d: the result depends on how the stream is cut", round)
		}
	}
}

// randomReader returns a few bytes or many.
type randomReader struct {
	random *rand.Rand
	from   io.Reader
}

func (r *randomReader) Read(p []byte) (int, error) {
	return r.from.Read(p[:1+r.random.IntN(min(len(p), 1<<r.random.IntN(18)))])
}

func compressedImage(t testing.TB) []byte {
	t.Helper()
	const bits = 12
	w := newQcow2Writer(bits, 8<<bits)
	content := make([]byte, 1<<bits)
	copy(content, "no platform at all")
	w.packed(t, 0, content)
	copy(content, before)
	w.packed(t, 1, content)
	w.plain(2, bytes.Repeat([]byte("plain "), 100))
	return w.image
}

func TestPatchPlatform_Qcow2Compressed(t *testing.T) {
	image := compressedImage(t)
	want := replaced(guest(t, image))
	got := patched(t, iotest.OneByteReader(ignition.PatchPlatform(iotest.OneByteReader(bytes.NewReader(image)))))
	if !bytes.Equal(guest(t, []byte(got)), want) {
		t.Error("the disk is not what it should be")
	}
}

func TestPatchPlatform_Qcow2Version2(t *testing.T) {
	image := compressedImage(t)
	binary.BigEndian.PutUint32(image[4:], 2)
	clear(image[72:112])
	want := replaced(guest(t, image))
	if got := patched(t, ignition.PatchPlatform(bytes.NewReader(image))); !bytes.Equal(guest(t, []byte(got)), want) {
		t.Error("the disk is not what it should be")
	}
}

// TestPatchPlatform_Qcow2ClusterBeforeTable has a compressed cluster in the rest of another table's cluster.
func TestPatchPlatform_Qcow2ClusterBeforeTable(t *testing.T) {
	const bits = 9
	w := newQcow2Writer(bits, 200<<bits)
	content := make([]byte, 1<<bits)
	w.packed(t, 3, content)
	copy(content, before)
	w.plain(4, bytes.Repeat([]byte("plain "), 20))
	w.packed(t, 70, content)
	w.packed(t, 71, content)
	entry := w.entry(70)
	if at := int(binary.BigEndian.Uint64(w.image[entry:]) & (1<<61 - 1)); at > entry {
		t.Fatalf("the cluster at %d comes after its table", at)
	}
	want := replaced(guest(t, w.image))
	if got := patched(t, ignition.PatchPlatform(bytes.NewReader(w.image))); !bytes.Equal(guest(t, []byte(got)), want) {
		t.Error("the disk is not what it should be")
	}
}

func TestPatchPlatform_RefusesHiddenContent(t *testing.T) {
	const cluster, first, second, data = 4096, 1 * 4096, 3 * 4096, 4 * 4096 // offsets in the image
	put := binary.BigEndian.PutUint64
	for name, test := range map[string]struct {
		change func(image []byte) []byte
		want   string
	}{
		"a version to come": {at(7, 4), "version 4"},
		"a backing file":    {at(15, 200), "another file"},
		"encryption":        {at(35, 2), "encrypted"},
		"corrupt":           {at(79, 2), "corrupt"},
		"external data":     {at(79, 4), "another file"},
		"zstd":              {at(79, 8), "zstd"},
		"subclusters":       {at(79, 16), "subclusters"},
		"unknown feature":   {at(78, 1), "unknown"},
		"huge clusters":     {at(23, 40), "2^40"},
		"no table":          {at(39, 0), "first table"},
		"a cluster damaged": {at(data, 0xff), "compressed cluster"},
		"cut":               {func(image []byte) []byte { return image[:data] }, "ends at byte 16384"},
		"cut in a table":    {func(image []byte) []byte { return image[:second+9] }, "within a table"},
		"cut in its header": {func(image []byte) []byte { return image[:80] }, "header"},
		"a late list of tables": {func(image []byte) []byte {
			put(image[40:], uint64(len(image)))
			return append(image, image[first:first+cluster]...)
		}, "after what it lists"},
		"a late table": {func(image []byte) []byte {
			put(image[first:], uint64(len(image)))
			return append(image, image[second:second+cluster]...)
		}, "after what it lists"},
		"a cluster in another": {func(image []byte) []byte {
			put(image[second+16:], data+1|1<<62)
			return image
		}, "overlap"},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := io.ReadAll(ignition.PatchPlatform(bytes.NewReader(test.change(compressedImage(t)))))
			if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), test.want) || fault.HintOf(err) == "" {
				t.Errorf("%d bytes, error %v", len(got), err)
			}
		})
	}
}

func at(place int, value byte) func([]byte) []byte {
	return func(image []byte) []byte {
		image[place] = value
		return image
	}
}

// TestPatchPlatform_EndsWithCompressedCluster is about images that are not padded to a sector or a cluster.
func TestPatchPlatform_EndsWithCompressedCluster(t *testing.T) {
	const bits = 12
	w := newQcow2Writer(bits, 8<<bits)
	content := make([]byte, 1<<bits)
	copy(content, before)
	w.packed(t, 0, content)
	image := w.image[:w.free]
	want := replaced(guest(t, image))
	for _, reader := range []io.Reader{bytes.NewReader(image), iotest.DataErrReader(bytes.NewReader(image))} {
		if got := patched(t, ignition.PatchPlatform(reader)); !bytes.Equal(guest(t, []byte(got)), want) {
			t.Error("the disk is not what it should be")
		}
	}
}

func TestPatchPlatform_RefusesOversizedCluster(t *testing.T) {
	const bits = 12
	w := newQcow2Writer(bits, 8<<bits)
	w.packed(t, 0, append([]byte(before), make([]byte, 2<<bits)...))
	got, err := io.ReadAll(ignition.PatchPlatform(bytes.NewReader(w.image)))
	if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "more than a cluster") {
		t.Errorf("%d bytes, error %v", len(got), err)
	}
}

// TestPatchPlatform_RefusesMisfit has a cluster of hardly anything but the platform, whose patched content compresses worse.
func TestPatchPlatform_RefusesMisfit(t *testing.T) {
	const bits = 9
	w := newQcow2Writer(bits, 8<<bits)
	content := make([]byte, 1<<bits)
	copy(content, "gnition.platform.id=openstack ignition.platform.id=openstack")
	w.packed(t, 0, content)
	got, err := io.ReadAll(ignition.PatchPlatform(bytes.NewReader(w.image)))
	if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), "available space") {
		t.Errorf("%d bytes, error %v", len(got), err)
	}
}

func TestPatchPlatform_Qcow2LatePlainTable(t *testing.T) {
	const bits = 9
	w := newQcow2Writer(bits, 200<<bits)
	w.plain(0, []byte(before))
	w.plain(1, []byte(before))
	table := w.entry(0)
	late := w.allocate(1)
	copy(w.image[late:], w.image[table:table+1<<bits])
	w.put64(w.tables(), late|-1<<63)
	if got := patched(t, ignition.PatchPlatform(bytes.NewReader(w.image))); strings.Count(got, after) != 2 {
		t.Error("the platform was not replaced")
	}
}

func TestPatchPlatform_Qcow2ReadError(t *testing.T) {
	broken := errors.New("checksum mismatch")
	image := io.MultiReader(bytes.NewReader(compressedImage(t)[:4*4096+20]), iotest.ErrReader(broken))
	if _, err := io.ReadAll(ignition.PatchPlatform(image)); !errors.Is(err, broken) {
		t.Error(err)
	}
}

// FuzzPatchPlatform changes a byte of an image and truncates it: the reader ends, with at most the original length.
func FuzzPatchPlatform(f *testing.F) {
	image, _ := sampleImage(f, rand.New(rand.NewChaCha8([32]byte{6})), 9)
	f.Add(40, byte(1), len(image))
	f.Add(4*512+16, byte(0x40), len(image))
	f.Add(20, byte(21), len(image))
	f.Add(100, byte(0), len(image)/2+3)
	f.Fuzz(func(t *testing.T, at int, value byte, size int) {
		damaged := bytes.Clone(image[:max(0, min(size, len(image)))])
		if at >= 0 && at < len(damaged) {
			damaged[at] ^= value
		}
		got, err := io.ReadAll(ignition.PatchPlatform(bytes.NewReader(damaged)))
		if len(got) > len(damaged) || err == nil && len(got) < len(damaged) {
			t.Errorf("%d of %d bytes, error %v", len(got), len(damaged), err)
		}
	})
}
