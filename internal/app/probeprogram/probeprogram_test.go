package probeprogram

import (
	"bytes"
	"compress/gzip"
	"debug/elf"
	"io"
	"testing"
)

// largest is what may be uploaded, in bytes.
const largest = 8 << 20

func TestRead_SmallProgramForLinux(t *testing.T) {
	packed, embedded := Read()
	if !embedded {
		t.Skip("make probe puts it there")
	}
	if len(packed) > largest {
		t.Errorf("it has %d bytes", len(packed))
	}
	unzipped, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	content, err := io.ReadAll(unzipped)
	if err != nil {
		t.Fatal(err)
	}
	program, err := elf.NewFile(bytes.NewReader(content))
	if err != nil || program.Machine != elf.EM_X86_64 {
		t.Errorf("%v, %v", program, err)
	}
}
