// Package catalog changes a tenant's configuration in place, has the cluster's catalog compiled, and fetches it.
package catalog

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"time"

	"github.com/aymanbagabas/go-udiff"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/text"
	"exoshift/provisioner/syn/catalog/edit"
	"exoshift/state"
)

const (
	// gitLimit bounds, on the wall clock, one session with a Git host.
	gitLimit = 5 * time.Minute
	// maxPushes is how often a commit is recreated because another one was pushed first.
	maxPushes = 6
	maxDiff   = 64 << 10 // bytes
)

// Git accesses the repositories of Project Syn.
type Git struct {
	network network.Network
	access  Access
}

// NewGit returns a client of the repositories. It sends no requests.
func NewGit(n network.Network, access Access) *Git { return &Git{network: n, access: access} }

// Compare returns what edits would change in a file. It changes nothing.
func (g *Git) Compare(ctx context.Context, repo state.GitRepo, file string, edits []state.YAMLEdit) (state.Difference, error) {
	ctx, cancel := context.WithTimeout(ctx, gitLimit)
	defer cancel()
	change, err := g.prepare(ctx, repo, file, edits)
	return change.difference, err
}

type fileChange struct {
	base          *snapshot
	file          string
	before, after []byte
	difference    state.Difference
}

// prepare applies the edits to the newest commit, in memory.
func (g *Git) prepare(ctx context.Context, repo state.GitRepo, file string, edits []state.YAMLEdit) (fileChange, error) {
	if !isSafePath(file) {
		return fileChange{}, fault.Newf(fault.Internal, "edit a file of a repository", "%q is not a path in it", file)
	}
	base, err := g.fetchSnapshot(ctx, repo)
	if err != nil {
		return fileChange{}, err
	}
	c := fileChange{base: base, file: file}
	if c.before, err = base.read(file); err != nil {
		return fileChange{}, err
	}
	if edits, err = base.filterEdits(edits); err != nil {
		return fileChange{}, err
	}
	if c.after, err = edit.Apply(file, c.before, edits); err != nil {
		return fileChange{}, fmt.Errorf("%s: %w", base.repo, err)
	}
	c.difference = state.Difference{Repository: base.repo.String(), File: file, Commit: base.head.String()}
	if string(c.before) != string(c.after) {
		c.difference.Unified = truncateText(udiff.Unified("a/"+file, "b/"+file, string(c.before), string(c.after)), maxDiff)
		return c, base.checkBranch("change " + file + " of " + base.repo.String())
	}
	return c, nil
}

// Commit applies the edits to the newest commit and pushes that, again if another one was pushed first.
func (g *Git) Commit(ctx context.Context, repo state.GitRepo, file string, edits []state.YAMLEdit, message string) (state.Difference, error) {
	var first, last fileChange
	var raced raceError
	for attempt := range maxPushes {
		now, cancel := context.WithTimeout(ctx, gitLimit)
		next, err := g.tryCommit(now, repo, file, edits, message, first, last)
		cancel()
		switch {
		case !errors.As(err, &raced):
			return next.difference, err
		case ctx.Err() != nil:
			return state.Difference{}, context.Cause(ctx)
		}
		if last = next; attempt == 0 {
			first = next
		}
		if err := g.network.Clock.Sleep(ctx, time.Duration(attempt+1)*time.Second); err != nil {
			return state.Difference{}, err
		}
	}
	return state.Difference{}, raced.toFault(ctx, file, last.base.repo)
}

// tryCommit makes one attempt. first is what the first attempt found, and last what the last one tried; they may be empty.
func (g *Git) tryCommit(ctx context.Context, repo state.GitRepo, file string, edits []state.YAMLEdit, message string, first, last fileChange) (fileChange, error) {
	next, err := g.prepare(ctx, repo, file, edits)
	if err != nil {
		return fileChange{}, err
	}
	if last.hasCommit(next.base.head) { // the host's response was lost
		return last, nil
	}
	if first.base != nil {
		if err := edit.CheckUnchanged(file, first.before, next.before, edits); err != nil {
			return fileChange{}, err
		}
	}
	if next.difference.Unified == "" {
		return next, nil
	}
	commit, err := next.base.createCommit(file, next.after, g.buildSignature(next.base.repo), message)
	if err != nil {
		return fileChange{}, fault.New(fault.Internal, "make a commit", err)
	}
	next.difference.Commit = commit.String()
	return next, next.base.push(ctx, commit)
}

func (c fileChange) hasCommit(commit plumbing.Hash) bool {
	return c.base != nil && c.difference.Commit == commit.String()
}

const program = "exoshift"

func (g *Git) buildSignature(p repoURL) object.Signature {
	signature := object.Signature{Name: sanitizeIdentity(g.access.Name), Email: sanitizeIdentity(g.access.Email), When: g.network.Clock.Now()}
	if signature.Name == "" {
		signature.Name = program
	}
	if signature.Email == "" {
		signature.Email = program + "@" + p.host
	}
	return signature
}

// sanitizeIdentity removes characters that would end a name or an address in a commit.
func sanitizeIdentity(words string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if strings.ContainsRune("<>\n", r) {
			return -1
		}
		return r
	}, text.Sanitize(words)))
}

// Fetch replaces the files in dir by those of the newest commit, and returns the commit. dir has either all of the old files or
// all of the new ones.
func (g *Git) Fetch(ctx context.Context, repo state.GitRepo, dir string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, gitLimit)
	defer cancel()
	newest, err := g.fetchSnapshot(ctx, repo)
	if err != nil {
		return "", err
	}
	if err := newest.replace(dir); err != nil {
		var known *fault.Error
		if errors.As(err, &known) {
			return "", err
		}
		return "", fault.New(fault.Internal, "keep the files of "+newest.repo.String(), err).
			WithHint("check the permissions and the free space of %s", filepath.Dir(dir))
	}
	return newest.head.String(), nil
}
