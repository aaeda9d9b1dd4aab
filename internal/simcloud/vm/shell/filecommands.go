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

// fileCommands are the programs that read and change files.
type fileCommands struct{ *Files }

func (c fileCommands) runCat(args []string, std streams) int {
	content, code := c.readFiles("cat", args, std)
	_, _ = std.stdout.Write(content)
	return code
}

func (c fileCommands) readFiles(command string, paths []string, std streams) (content []byte, code int) {
	if len(paths) == 0 || paths[0] == "-" {
		content, err := std.readInput()
		if err != nil {
			return nil, std.fail(failed, "%s: %v", command, err)
		}
		return content, 0
	}
	for _, path := range paths {
		part, _, found := c.read(path)
		if !found {
			code = std.fail(failed, "%s: %s: No such file or directory", command, path)
		}
		content = append(content, part...)
	}
	return content, code
}

func (c fileCommands) runChmod(args []string, std streams) int {
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
		if !c.setMode(path, fs.FileMode(mode)) {
			return std.fail(failed, "chmod: cannot access '%s': No such file or directory", path)
		}
	}
	return 0
}

func (c fileCommands) runMkdir(args []string, std streams) int {
	parents := len(args) > 0 && args[0] == "-p"
	if parents {
		args = args[1:]
	}
	for _, path := range args {
		if !c.makeFolder(path) && !parents {
			return std.fail(failed, "mkdir: cannot create directory '%s'", path)
		}
	}
	return 0
}

// runMktemp generates unused names: 1, 2, 3...
func (c fileCommands) runMktemp(args []string, std streams) int {
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
	c.mu.Lock()
	c.made++
	name := fmt.Sprintf("%s%0*d", stem, len(template)-len(stem), c.made)
	c.mu.Unlock()
	if folder && !c.makeFolder(name) || !folder && c.write(name, nil) != nil {
		return std.fail(failed, "mktemp: failed to create '%s': No such file or directory", name)
	}
	_, _ = fmt.Fprintln(std.stdout, name)
	return 0
}

func (c fileCommands) runRm(args []string, std streams) int {
	whole, quiet, code := false, false, 0
	for _, arg := range args {
		if strings.HasPrefix(arg, "-") {
			whole, quiet = whole || strings.Contains(arg, "r"), quiet || strings.Contains(arg, "f")
			continue
		}
		if !c.remove(arg, whole) && !quiet {
			code = std.fail(failed, "rm: cannot remove '%s': No such file or directory", arg)
		}
	}
	return code
}

// runSHA256Sum verifies a list (-c) or makes one.
func (c fileCommands) runSHA256Sum(args []string, std streams) int {
	if len(args) == 0 || args[0] != "-c" {
		content, code := c.readFiles("sha256sum", args, std)
		_, _ = fmt.Fprintf(std.stdout, "%x  %s\n", sha256.Sum256(content), strings.Join(args, " "))
		return code
	}
	list, code := c.readFiles("sha256sum", args[1:], std)
	checked := 0
	for line := range strings.Lines(string(list)) {
		sum, path, _ := strings.Cut(strings.TrimSpace(line), "  ")
		content, _, found := c.read(path)
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
func (c fileCommands) runGzip(args []string, std streams) int {
	if len(args) == 0 || !strings.HasPrefix(args[0], "-") || !strings.Contains(args[0], "d") || !strings.Contains(args[0], "c") && len(args) > 1 {
		return std.fail(failed, "gzip: want -dc and a file")
	}
	return c.unpack(args[1:], std)
}

func (c fileCommands) runGunzip(args []string, std streams) int {
	if len(args) > 0 && args[0] == "-c" {
		args = args[1:]
	}
	return c.unpack(args, std)
}

func (c fileCommands) unpack(paths []string, std streams) int {
	packed, code := c.readFiles("gzip", paths, std)
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
