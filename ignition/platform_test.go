package ignition_test

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"strings"
	"testing"
	"testing/iotest"

	"exoshift/ignition"
	"exoshift/internal/fault"
)

const (
	before = "options root=UUID=1 ignition.platform.id=openstack console=tty0\n"
	after  = "options root=UUID=1 ignition.platform.id=exoscale  console=tty0\n"
)

func TestPatchPlatform_AnySplit(t *testing.T) {
	for cut := range len(before) + 1 {
		image := io.MultiReader(strings.NewReader(before[:cut]), strings.NewReader(before[cut:]))
		if got := patched(t, ignition.PatchPlatform(image)); got != after {
			t.Errorf("cut at %d: %q", cut, got)
		}
	}
}

func TestPatchPlatform_OneByteReader(t *testing.T) {
	image := iotest.OneByteReader(strings.NewReader(before + before))
	patch := ignition.PatchPlatform(image)
	if got := patched(t, iotest.OneByteReader(patch)); got != after+after {
		t.Errorf("%q", got)
	}
	if patch.Replaced() != 2 {
		t.Errorf("%d places replaced, want 2", patch.Replaced())
	}
}

func TestPatchPlatform_WindowBoundary(t *testing.T) {
	const size = 600 << 10
	random := rand.NewChaCha8([32]byte{1})
	for _, border := range []int{0, 256 << 10, 512 << 10, size - len(before)} {
		for shift := -len(before) - 30; shift <= 30; shift += 7 {
			image := make([]byte, size)
			_, _ = random.Read(image)
			want := bytes.Clone(image)
			at := min(max(0, border+shift), size-len(before))
			copy(image[at:], before)
			copy(want[at:], after)
			if got := patched(t, ignition.PatchPlatform(bytes.NewReader(image))); got != string(want) {
				t.Fatalf("wrong at %d", at)
			}
		}
	}
}

func TestPatchPlatform_KeepsNearMatch(t *testing.T) {
	almost := "ignition.platform.id=openstac ignition.platform.id=metal ignition.platform.id=ignition.platform.id="
	got := patched(t, ignition.PatchPlatform(strings.NewReader(almost+before)))
	if got != almost+after {
		t.Errorf("%q", got)
	}
}

func TestPatchPlatform_MissingPlatform(t *testing.T) {
	for _, image := range []string{"", "short", strings.Repeat("ignition.platform.id=qemu ", 50_000)} {
		patch := ignition.PatchPlatform(strings.NewReader(image))
		got, err := io.ReadAll(patch)
		if !fault.Is(err, fault.Invalid) || fault.HintOf(err) == "" {
			t.Errorf("%.20q: error %v", image, err)
		}
		if string(got) != image {
			t.Errorf("%.20q: content changed to %.20q", image, got)
		}
	}
}

func TestPatchPlatform_PassesReadError(t *testing.T) {
	broken := errors.New("checksum mismatch")
	image := io.MultiReader(strings.NewReader(before), iotest.ErrReader(broken))
	got, err := io.ReadAll(ignition.PatchPlatform(image))
	if !errors.Is(err, broken) || string(got) != after {
		t.Errorf("%q, %v", got, err)
	}
}

func TestPatchPlatform_IOContract(t *testing.T) {
	content := strings.Repeat(before+"padding", 1000)
	want := strings.Repeat(after+"padding", 1000)
	if err := iotest.TestReader(ignition.PatchPlatform(strings.NewReader(content)), []byte(want)); err != nil {
		t.Error(err)
	}
}

func patched(t *testing.T, patch io.Reader) string {
	t.Helper()
	got, err := io.ReadAll(patch)
	if err != nil {
		t.Fatal(err)
	}
	return string(got)
}

func BenchmarkPatchPlatform(b *testing.B) {
	image := make([]byte, 64<<20)
	_, _ = rand.NewChaCha8([32]byte{1}).Read(image)
	copy(image[len(image)/2:], before)
	b.SetBytes(int64(len(image)))
	for b.Loop() {
		if _, err := io.Copy(io.Discard, ignition.PatchPlatform(bytes.NewReader(image))); err != nil {
			b.Fatal(err)
		}
	}
}
