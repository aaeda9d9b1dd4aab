package githost

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	gitobject "github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
)

// Push rules, in GitLab's words.
var (
	errForced  = newProtocolError("GitLab: You are not allowed to force push code to a protected branch on this project.")
	errDeleted = newProtocolError("GitLab: The default branch of a project cannot be deleted.")
	errHidden  = newProtocolError("GitLab: You can only push branches and tags.")
	errFrozen  = newProtocolError("GitLab: You can't push code to an archived project.")
)

var refName = regexp.MustCompile(`^refs/(heads|tags)/[A-Za-z0-9_][A-Za-z0-9_./+=@-]*$`)

const commandLimit = 100

type push struct {
	updates []update
	capable map[string]bool
}

// receive serves git-receive-pack after the references were advertised.
func (s *gitServer) receive(w *wire, r repository) error {
	asked, err := w.push()
	if err != nil || len(asked.updates) == 0 {
		return err
	}
	objects := quarantine{s.repositories.openStorage(r), nil}
	var failed error
	for _, change := range asked.updates {
		if !change.after.IsZero() {
			objects, failed = s.repositories.openStorage(r).unpack(w.raw)
			break
		}
	}
	if failed != nil {
		return w.report(asked, failed, nil)
	}
	for _, change := range asked.updates {
		if err := checkRules(objects, r, change); err != nil {
			return w.report(asked, nil, rejectPush(asked, err))
		}
	}
	if err := objects.storeObjects(); err != nil {
		return err
	}
	return w.report(asked, nil, s.repositories.moveAll(r, asked.updates))
}

func (w *wire) push() (push, error) {
	var asked push
	for {
		line, err := w.next()
		if errors.Is(err, io.EOF) && len(asked.updates) == 0 {
			return asked, nil
		}
		if err != nil || line == "" {
			return asked, err
		}
		if strings.HasPrefix(line, "shallow ") {
			continue // the deleted reference does not exist
		}
		line, capabilities, first := strings.Cut(line, "\x00")
		if first {
			asked.capable = parseCapabilities(capabilities)
		}
		fields := strings.Fields(line)
		if len(fields) != 3 || !plumbing.IsHash(fields[0]) || !plumbing.IsHash(fields[1]) || len(asked.updates) == commandLimit {
			return asked, fmt.Errorf("protocol error: expected old/new/ref, got %q", line)
		}
		asked.updates = append(asked.updates, update{fields[2], plumbing.NewHash(fields[0]), plumbing.NewHash(fields[1])})
	}
}

func checkRules(objects quarantine, r repository, change update) error {
	switch {
	case r.Archived:
		return errFrozen
	case !refName.MatchString(change.name) || strings.Contains(change.name, "..") || strings.HasSuffix(change.name, ".lock"):
		return errHidden
	case change.after.IsZero() && change.name == r.headRef():
		return errDeleted
	case change.after.IsZero():
		return nil
	case objects.HasEncodedObject(change.after) != nil:
		return errMissing
	case change.name != r.headRef() || change.before.IsZero():
		return nil
	}
	return objects.forward(change)
}

// forward refuses an update that is not a fast-forward.
func (q quarantine) forward(change update) error {
	before, err := gitobject.GetCommit(q, change.before)
	if err != nil {
		return errStale
	}
	after, err := gitobject.GetCommit(q, change.after)
	if err != nil {
		return errMissing
	}
	if is, err := before.IsAncestor(after); err != nil || !is {
		return errForced
	}
	return nil
}

// rejectPush returns the result of a push that a rule refuses: every reference fails.
func rejectPush(asked push, why error) map[string]error {
	results := map[string]error{"": why}
	for _, change := range asked.updates {
		results[change.name] = errors.New("pre-receive hook declined")
	}
	return results
}

// report sends the report-status. The result of "" is the host's message on the side band.
func (w *wire) report(asked push, unpack error, results map[string]error) error {
	capable := asked.capable["side-band-64k"]
	failure := results[""]
	var text bytes.Buffer
	lines := pktline.NewEncoder(&text)
	_ = lines.EncodeString("unpack ok\n") // into memory
	if unpack != nil {
		text.Reset()
		failure = unpack
		_ = lines.EncodeString("unpack index-pack abnormal exit\n")
	}
	for _, change := range asked.updates {
		line := "ok " + change.name
		if err := results[change.name]; err != nil {
			line = "ng " + change.name + " " + err.Error()
		}
		if unpack != nil {
			line = "ng " + change.name + " unpacker error"
		}
		_ = lines.EncodeString(line + "\n")
	}
	_ = lines.Flush()
	if failure != nil && capable {
		if _, err := w.newBandWriter(sideband.ProgressMessage, true).Write([]byte(failure.Error() + "\n")); err != nil {
			return err
		}
	}
	if !asked.capable["report-status"] {
		return nil
	}
	if _, err := w.newBandWriter(sideband.PackData, capable).Write(text.Bytes()); err != nil || !capable {
		return err
	}
	return w.answer.Flush()
}
