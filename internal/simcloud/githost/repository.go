package githost

import (
	"errors"
	"fmt"
	"maps"
	"path"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/go-git/go-git/v5/plumbing"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/githost/commodore"
	"exoshift/internal/simcloud/store"
)

const defaultBranch = commodore.DefaultBranch

var (
	errNoRepository = errors.New("the project you were looking for could not be found or you don't have permission to view it")
	errArchived     = errors.New("you can't push code to an archived project")
	errStale        = errors.New("failed to update ref")
)

// newProtocolError has the exact wording of the simulated program.
func newProtocolError(format string, args ...any) error { return fmt.Errorf(format, args...) }

// repository is a project with its references; its objects are in a table of their own.
type repository struct {
	ID       int
	Path     string            // group/name, without .git
	Refs     map[string]string // hashes by full name
	Archived bool
	Created  time.Time
	Active   time.Time
}

// Repositories are the projects of the host.
type Repositories struct {
	clock   network.Clock
	mu      sync.Mutex // guards read-modify-write of references and numbers
	table   *store.Table[repository]
	objects *store.Table[object]
	// pushed is called after a new commit on the default branch.
	pushed func(project string, commit plumbing.Hash) error
}

// headRef is the full name of the default branch, which exists after the first push.
func (repository) headRef() string { return string(plumbing.NewBranchReferenceName(defaultBranch)) }

func (r repository) findTip() (plumbing.Hash, bool) {
	hash, ok := r.Refs[r.headRef()]
	return plumbing.NewHash(hash), ok
}

// resolve finds the commit of a branch, a tag or a hash; "" is the default branch.
func (r repository) resolve(name string) (plumbing.Hash, bool) {
	if name == "" || name == "HEAD" {
		return r.findTip()
	}
	for _, prefix := range []string{"refs/heads/", "refs/tags/"} {
		if hash, ok := r.Refs[prefix+name]; ok {
			return plumbing.NewHash(hash), true
		}
	}
	return plumbing.NewHash(name), plumbing.IsHash(name)
}

var projectPath = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9_.-]*(/[A-Za-z0-9_][A-Za-z0-9_.-]*)+$`)

// normalizePath trims slashes and .git.
func normalizePath(name string) string {
	return strings.ToLower(strings.TrimSuffix(strings.Trim(name, "/"), ".git"))
}

// Create creates an empty repository, unless it exists.
func (s *Repositories) Create(name string) error {
	name = normalizePath(name)
	if !projectPath.MatchString(name) {
		return fmt.Errorf("create the repository %q: it is no path of a project", name)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, ok := s.table.Get(name); ok {
		return nil
	}
	now := s.clock.Now()
	return s.table.Put(name, repository{ID: 100 + len(s.table.List()), Path: name, Created: now, Active: now})
}

// Archive makes a repository read-only.
func (s *Repositories) Archive(name string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.find(name)
	if !ok {
		return fmt.Errorf("archive %s: %w", name, errNoRepository)
	}
	found.Archived = true
	return s.table.Put(found.Path, found)
}

func (s *Repositories) find(name string) (repository, bool) {
	return s.table.Get(normalizePath(name))
}

// update is a change of one reference. The zero hash stands for none.
type update struct {
	name          string
	before, after plumbing.Hash
}

// move applies an update if the reference still has the old hash.
func (s *Repositories) move(name string, change update) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	found, ok := s.find(name)
	switch {
	case !ok:
		return errNoRepository
	case found.Archived:
		return errArchived
	case plumbing.NewHash(found.Refs[change.name]) != change.before:
		return errStale
	}
	found.Refs = maps.Clone(found.Refs)
	if found.Refs == nil {
		found.Refs = map[string]string{}
	}
	found.Refs[change.name] = change.after.String()
	if change.after.IsZero() {
		delete(found.Refs, change.name)
	}
	found.Active = s.clock.Now()
	return s.table.Put(found.Path, found)
}

// clusterID returns the ID of the cluster if the repository is a catalog.
func (r repository) clusterID() string { return path.Base(r.Path) }

// findProject finds a repository by its number or its path.
func (s *Repositories) findProject(name string) (repository, bool) {
	if number, err := strconv.Atoi(name); err == nil {
		for _, found := range s.table.List() {
			if found.ID == number {
				return found, true
			}
		}
	}
	return s.find(name)
}

func (s *Repositories) openStorage(r repository) storage { return storage{s.objects, r.ID} }

// moveAll applies the updates of a push, and returns their errors by reference.
func (s *Repositories) moveAll(r repository, updates []update) map[string]error {
	results := map[string]error{}
	for _, change := range updates {
		err := s.move(r.Path, change)
		if err == nil && change.name == r.headRef() {
			err = s.pushed(r.Path, change.after)
		}
		results[change.name] = err
	}
	return results
}
