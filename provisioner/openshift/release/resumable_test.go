package release_test

import (
	"io"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/fault"
	"exoshift/state"
)

func TestOpenImage_ResumesAfterInterrupt(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		content, packed := noisyImage(t, 3<<20)
		m.files["/a.qcow2.gz"] = &file{content: packed, tag: `"1"`, cuts: []int{1 << 20, 1, 1 << 20}}
		got, err := readImage(t.Context(), m, state.BootImage{URL: imageURL, SHA256: sum(packed)})
		if err != nil || got != string(content) {
			t.Errorf("%d of %d bytes, %v", len(got), len(content), err)
		}
		if requests := m.requests("/a.qcow2.gz"); requests != 4 {
			t.Errorf("%d requests", requests)
		}
	})
}

func TestOpenImage_RefusesChangedImage(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		_, packed := noisyImage(t, 2<<20)
		m.files["/a.qcow2.gz"] = &file{content: packed, tag: `"1"`, cuts: []int{1 << 20}, pause: 30 * time.Second}
		stream, err := m.downloads().OpenImage(t.Context(), state.BootImage{URL: imageURL, SHA256: sum(packed)}, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		m.mu.Lock()
		m.files["/a.qcow2.gz"] = &file{content: packed, tag: `"2"`}
		m.mu.Unlock()
		if _, err := io.Copy(io.Discard, stream); !fault.Is(err, fault.Transient) {
			t.Error(err)
		}
		if err := stream.Close(); err == nil {
			t.Error("it was taken for the right one")
		}
	})
}

func TestOpenImage_StalledDownloadFails(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		_, packed := noisyImage(t, 2<<20)
		m.files["/a.qcow2.gz"] = &file{content: packed, tag: `"1"`, cuts: []int{1 << 20, 0, 0, 0, 0, 0, 0, 0}}
		began := time.Now()
		_, err := readImage(t.Context(), m, state.BootImage{URL: imageURL, SHA256: sum(packed)})
		if !fault.Is(err, fault.Transient) || time.Since(began) > 5*time.Minute {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}

func TestOpenImage_CloseWhileStalled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		m := newMirror(t)
		_, packed := noisyImage(t, 2<<20)
		m.files["/a.qcow2.gz"] = &file{content: packed, tag: `"1"`, pause: 30 * time.Second}
		stream, err := m.downloads().OpenImage(t.Context(), state.BootImage{URL: imageURL, SHA256: sum(packed)}, func(string) {})
		if err != nil {
			t.Fatal(err)
		}
		synctest.Wait()
		began := time.Now()
		if err := stream.Close(); err == nil || time.Since(began) > time.Second {
			t.Errorf("after %s: %v", time.Since(began), err)
		}
	})
}
