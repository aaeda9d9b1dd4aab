package shell

import (
	"bytes"
	"slices"
	"strconv"
	"strings"
)

// runHead prints the first bytes (-c).
func (c fileCommands) runHead(args []string, std streams) int {
	return c.runPart("head", args, std, func(text []byte, most int) []byte { return text[:min(most, len(text))] })
}

// runTail prints the last bytes (-c) or lines (-n).
func (c fileCommands) runTail(args []string, std streams) int {
	if len(args) > 1 && args[0] == "-n" {
		return c.runPart("tail", append([]string{"-c"}, args[1:]...), std, cutLastLines)
	}
	return c.runPart("tail", args, std, func(text []byte, most int) []byte { return text[max(0, len(text)-most):] })
}

func cutLastLines(text []byte, most int) []byte {
	lines := slices.Collect(bytes.Lines(text))
	return bytes.Join(lines[max(0, len(lines)-most):], nil)
}

func (c fileCommands) runPart(command string, args []string, std streams, cut func(text []byte, most int) []byte) int {
	if len(args) < 2 || args[0] != "-c" {
		return std.fail(failed, "%s: want -c and a number", command)
	}
	most, err := strconv.Atoi(args[1])
	if err != nil || most < 0 {
		return std.fail(failed, "%s: invalid number of bytes: '%s'", command, args[1])
	}
	text, code := c.readFiles(command, args[2:], std)
	_, _ = std.stdout.Write(cut(text, most))
	return code
}

func (c fileCommands) runTr(args []string, std streams) int {
	escapes := strings.NewReplacer(`\n`, "\n", `\t`, "\t")
	if len(args) != 2 {
		return std.fail(failed, "tr: want two characters")
	}
	text, code := c.readFiles("tr", nil, std)
	_, _ = std.stdout.Write([]byte(strings.ReplaceAll(string(text), escapes.Replace(args[0]), escapes.Replace(args[1]))))
	return code
}
