package githost

import (
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/packfile"
	gitobject "github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
)

type request struct {
	wants, shallow, common []plumbing.Hash
	depth                  int // 0: the whole history
	capable                map[string]bool
}

// upload serves git-upload-pack after the references were advertised.
func (w *wire) upload(objects storage, r repository) error {
	asked, err := w.request()
	if err != nil || len(asked.wants) == 0 {
		return err
	}
	for _, hash := range asked.wants {
		if !slices.Contains(slices.Collect(maps.Values(r.Refs)), hash.String()) {
			return errors.Join(w.answer.EncodeString("ERR upload-pack: not our ref "+hash.String()), errNoRepository)
		}
	}
	edge, err := w.sendShallow(objects, asked)
	if err != nil {
		return err
	}
	done, err := w.negotiate(objects, &asked)
	if err != nil || !done {
		return err
	}
	return w.send(objects, asked, edge)
}

func (w *wire) request() (request, error) {
	var asked request
	for {
		line, err := w.next()
		if errors.Is(err, io.EOF) && len(asked.wants) == 0 {
			return asked, nil // the client wanted the references only
		}
		if err != nil || line == "" {
			return asked, err
		}
		word, rest, _ := strings.Cut(line, " ")
		switch word {
		case "want":
			hash, capabilities, _ := strings.Cut(rest, " ")
			if asked.capable == nil {
				asked.capable = parseCapabilities(capabilities)
			}
			asked.wants = append(asked.wants, plumbing.NewHash(hash))
		case "shallow":
			asked.shallow = append(asked.shallow, plumbing.NewHash(rest))
		case "deepen":
			if asked.depth, err = strconv.Atoi(rest); err != nil || asked.depth < 0 {
				return asked, fmt.Errorf("invalid deepen: %q", rest)
			}
		default:
			return asked, fmt.Errorf("protocol error, expected to get object ID, not %q", word)
		}
	}
}

// sendShallow sends the new boundaries of the client's history, and returns them.
func (w *wire) sendShallow(objects storage, asked request) (hashes, error) {
	before := hashes{}
	for _, hash := range asked.shallow {
		before[hash] = true
	}
	if asked.depth == 0 {
		return before, nil
	}
	edge, err := findEdge(objects, asked.wants, asked.depth)
	if err != nil {
		return nil, err
	}
	for hash := range edge {
		if !before[hash] {
			if err := w.answer.Encodef("shallow %s\n", hash); err != nil {
				return nil, err
			}
		}
	}
	for hash := range before {
		if !edge[hash] {
			if err := w.answer.Encodef("unshallow %s\n", hash); err != nil {
				return nil, err
			}
		}
	}
	return edge, w.answer.Flush()
}

// negotiate reads the client's "have" lines until "done". Without state a request may end before that.
func (w *wire) negotiate(objects storage, asked *request) (done bool, err error) {
	for {
		line, err := w.next()
		if errors.Is(err, io.EOF) {
			return false, nil
		}
		if err != nil {
			return false, err
		}
		hash, isHave := strings.CutPrefix(line, "have ")
		switch {
		case isHave && objects.HasEncodedObject(plumbing.NewHash(hash)) == nil:
			asked.common = append(asked.common, plumbing.NewHash(hash))
			if len(asked.common) == 1 {
				err = w.answer.Encodef("ACK %s\n", hash)
			}
		case isHave:
		case len(asked.common) == 0:
			err = w.answer.EncodeString("NAK\n")
		}
		if err != nil || line == "done" || line == "" && w.stateless {
			return line == "done", err
		}
	}
}

func (w *wire) send(objects storage, asked request, edge hashes) error {
	before := hashes{}
	for _, hash := range asked.shallow {
		before[hash] = true
	}
	has := walk{objects: objects, seen: hashes{}}
	if err := has.visitAll(asked.common, before); err != nil {
		return err
	}
	lacks := walk{objects: objects, seen: has.seen}
	if err := lacks.visitAll(append(asked.wants, findUncovered(objects, before, edge)...), edge); err != nil {
		return err
	}
	banded := asked.capable["side-band-64k"]
	if _, err := packfile.NewEncoder(w.newBandWriter(sideband.PackData, banded), objects, false).Encode(lacks.found, 0); err != nil {
		return err
	}
	if !banded {
		return nil
	}
	return w.answer.Flush()
}

// findUncovered returns the parents of former boundaries of a client's history.
func findUncovered(objects storage, before, edge hashes) []plumbing.Hash {
	var parents []plumbing.Hash
	for hash := range before {
		if commit, err := gitobject.GetCommit(objects, hash); err == nil && !edge[hash] {
			parents = append(parents, commit.ParentHashes...)
		}
	}
	return parents
}
