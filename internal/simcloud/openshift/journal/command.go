package journal

import (
	"bytes"
	"fmt"
	"io"
	"path"

	"exoshift/internal/simcloud/machine"
)

// RecordsDir holds a record for each of these services, once it has been started. A simulated disk cannot be listed.
const RecordsDir = "/var/log/openshift/"

// ListRecordedServices returns the services that leave a record.
func ListRecordedServices() []string {
	return []string{"approve-csr", "bootkube", "node-image-overlay", "node-image-pull", "progress", "release-image"}
}

// execute supports one program: tail, of whole files.
func execute(m machine.Machine, out, complaints io.Writer, words []string) (status uint32) {
	if len(words) < 2 || words[0] != "tail" {
		_, _ = fmt.Fprintf(complaints, "bash: line 1: %s: command not found\n", words)
		return 127
	}
	named := false
	var printed bytes.Buffer
	for _, word := range words[1:] {
		switch word {
		case "-v":
			named = true
		case "-n", "+1":
		default:
			if !printFiles(m, &printed, word, named) {
				_, _ = fmt.Fprintf(complaints, "tail: cannot open '%s' for reading: No such file or directory\n", word)
				status = 1
			}
		}
	}
	_, _ = out.Write(printed.Bytes())
	return status
}

func printFiles(m machine.Machine, out *bytes.Buffer, pattern string, named bool) bool {
	found := false
	for _, service := range ListRecordedServices() {
		file := RecordsDir + service + ".json"
		content, exists := m.ReadFile(file)
		if matches, err := path.Match(pattern, file); !exists || !matches || err != nil {
			continue
		}
		if found {
			out.WriteByte('\n')
		}
		if found = true; named {
			fmt.Fprintf(out, "==> %s <==\n", file)
		}
		out.Write(content)
	}
	return found
}
