package shell

import (
	"strconv"
	"strings"
)

// head prints the first bytes (-c).
func (h *Host) head(args []string, std streams) int {
	return h.part("head", args, std, func(text []byte, most int) []byte { return text[:min(most, len(text))] })
}

// tail prints the last bytes (-c).
func (h *Host) tail(args []string, std streams) int {
	return h.part("tail", args, std, func(text []byte, most int) []byte { return text[max(0, len(text)-most):] })
}

func (h *Host) part(command string, args []string, std streams, cut func(text []byte, most int) []byte) int {
	if len(args) < 2 || args[0] != "-c" {
		return std.complain(failed, "%s: want -c and a number", command)
	}
	most, err := strconv.Atoi(args[1])
	if err != nil || most < 0 {
		return std.complain(failed, "%s: invalid number of bytes: '%s'", command, args[1])
	}
	text, code := h.given(command, args[2:], std)
	_, _ = std.out.Write(cut(text, most))
	return code
}

// tr replaces one character.
func (h *Host) tr(args []string, std streams) int {
	escapes := strings.NewReplacer(`\n`, "\n", `\t`, "\t")
	if len(args) != 2 {
		return std.complain(failed, "tr: want two characters")
	}
	text, code := h.given("tr", nil, std)
	_, _ = std.out.Write([]byte(strings.ReplaceAll(string(text), escapes.Replace(args[0]), escapes.Replace(args[1]))))
	return code
}
