package shell

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"strconv"
	"strings"
)

func (h *Host) runCat(args []string, std streams) int {
	content, code := h.readFiles("cat", args, std)
	_, _ = std.stdout.Write(content)
	return code
}

func (h *Host) readFiles(command string, paths []string, std streams) (content []byte, code int) {
	if len(paths) == 0 || paths[0] == "-" {
		content, err := std.readInput()
		if err != nil {
			return nil, std.fail(failed, "%s: %v", command, err)
		}
		return content, 0
	}
	for _, path := range paths {
		part, _, found := h.Files.read(path)
		if !found {
			code = std.fail(failed, "%s: %s: No such file or directory", command, path)
		}
		content = append(content, part...)
	}
	return content, code
}

func (h *Host) runChmod(args []string, std streams) int {
	if len(args) < 2 {
		return std.fail(failed, "chmod: missing operand")
	}
	mode, err := strconv.ParseUint(args[0], 8, 12)
	if args[0] == "+x" {
		mode, err = 0o755, nil
	}
	if err != nil {
		return std.fail(failed, "chmod: invalid mode: %q", args[0])
	}
	for _, path := range args[1:] {
		if !h.Files.setMode(path, fs.FileMode(mode)) {
			return std.fail(failed, "chmod: cannot access '%s': No such file or directory", path)
		}
	}
	return 0
}

func (h *Host) runMkdir(args []string, std streams) int {
	parents := len(args) > 0 && args[0] == "-p"
	if parents {
		args = args[1:]
	}
	for _, path := range args {
		if !h.Files.makeFolder(path) && !parents {
			return std.fail(failed, "mkdir: cannot create directory '%s'", path)
		}
	}
	return 0
}

// runMktemp generates unused names: 1, 2, 3...
func (h *Host) runMktemp(args []string, std streams) int {
	folder := len(args) > 0 && args[0] == "-d"
	if folder {
		args = args[1:]
	}
	template := "/tmp/tmp.XXXXXXXXXX"
	if len(args) > 0 {
		template = args[0]
	}
	stem := strings.TrimRight(template, "X")
	if len(template)-len(stem) < 3 {
		return std.fail(failed, "mktemp: too few X's in template '%s'", template)
	}
	h.Files.mu.Lock()
	h.Files.made++
	name := fmt.Sprintf("%s%0*d", stem, len(template)-len(stem), h.Files.made)
	h.Files.mu.Unlock()
	if folder && !h.Files.makeFolder(name) || !folder && h.Files.write(name, nil) != nil {
		return std.fail(failed, "mktemp: failed to create '%s': No such file or directory", name)
	}
	_, _ = fmt.Fprintln(std.stdout, name)
	return 0
}

func (h *Host) runRm(args []string, std streams) int {
	whole, quiet, code := false, false, 0
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") {
			whole, quiet = whole || strings.Contains(arg, "r"), quiet || strings.Contains(arg, "f")
			continue
		}
		if !h.Files.remove(arg, whole) && !quiet {
			code = std.fail(failed, "rm: cannot remove '%s': No such file or directory", arg)
		}
	}
	return code
}

// runSHA256Sum verifies a list (-c) or makes one.
func (h *Host) runSHA256Sum(args []string, std streams) int {
	if len(args) == 0 || args[0] != "-c" {
		content, code := h.readFiles("sha256sum", args, std)
		_, _ = fmt.Fprintf(std.stdout, "%x  %s\n", sha256.Sum256(content), strings.Join(args, " "))
		return code
	}
	list, code := h.readFiles("sha256sum", args[1:], std)
	checked := 0
	for line := range strings.Lines(string(list)) {
		sum, path, _ := strings.Cut(strings.TrimSpace(line), "  ")
		content, _, found := h.Files.read(path)
		got := sha256.Sum256(content)
		verdict := "OK"
		if !found || hex.EncodeToString(got[:]) != sum {
			verdict, code = "FAILED", failed
		}
		checked++
		_, _ = fmt.Fprintf(std.stdout, "%s: %s\n", path, verdict)
	}
	if checked == 0 || code != 0 {
		return std.fail(failed, "sha256sum: WARNING: a computed checksum did NOT match, or there was none")
	}
	return 0
}

// runGzip supports decompression only.
func (h *Host) runGzip(args []string, std streams) int {
	if len(args) == 0 || !strings.HasPrefix(args[0], "-") || !strings.Contains(args[0], "d") || !strings.Contains(args[0], "c") && len(args) > 1 {
		return std.fail(failed, "gzip: want -dc and a file")
	}
	return h.unpack(args[1:], std)
}

func (h *Host) runGunzip(args []string, std streams) int {
	if len(args) > 0 && args[0] == "-c" {
		args = args[1:]
	}
	return h.unpack(args, std)
}

func (h *Host) unpack(paths []string, std streams) int {
	packed, code := h.readFiles("gzip", paths, std)
	if code != 0 {
		return code
	}
	reader, err := gzip.NewReader(bytes.NewReader(packed))
	if err == nil {
		_, err = io.Copy(std.stdout, io.LimitReader(reader, maxInput))
	}
	if err != nil {
		return std.fail(failed, "gzip: %v", err)
	}
	return 0
}
