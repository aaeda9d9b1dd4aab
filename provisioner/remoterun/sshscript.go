package remoterun

import (
	"fmt"
	"strings"
)

// Exit codes of the script on a host, besides the program's own.
const (
	exitNoRoom  = 70
	exitChanged = 71
	// Those of timeout itself: the program cannot be started, or a command is missing.
	exitNotRun   = 126
	exitNotFound = 127
)

// buildScript returns a command line for the shell of a host. The shell reads the program from its stdin, then the program's
// input, each of a known size. One process reads both in order, and then waits for the end of stdin: it comes only when the
// client is gone, and then the shell kills the program, too. The temporary folder is deleted whatever happens.
func buildScript(packed payload, input int) string {
	script := fmt.Sprintf(`umask 077; d=$(mktemp -d) || exit %d; p=; `+
		`trap 'rm -rf "$d"' EXIT; trap '[ -z "$p" ] || kill "$p" 2>/dev/null; exit 129' HUP INT TERM PIPE; exec 3<&0; `+
		`head -c %d <&3 | gzip -dc >"$d/program" || exit %d; `+
		`echo "%s  $d/program" | sha256sum -c - >/dev/null || exit %d; chmod 0700 "$d/program"; `+
		`mkfifo "$d/in" || exit %d; `+
		`{ head -c %d <&3 >"$d/in"; cat <&3; [ ! -d "$d" ] || kill $$; } >/dev/null 2>&1 & `+
		`timeout -k 10 300 "$d/program" %s <"$d/in" & p=$!; wait "$p"; exit $?`,
		exitNoRoom, len(packed.content), exitNoRoom, packed.sum, exitChanged, exitNoRoom, input, quoteArgs(packed.args))
	return "exec sh -c " + quote(script)
}

func quoteArgs(args []string) string {
	words := make([]string, len(args))
	for i, arg := range args {
		words[i] = quote(arg)
	}
	return strings.Join(words, " ")
}

func quote(word string) string { return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'" }
