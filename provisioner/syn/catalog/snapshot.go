package catalog

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/filemode"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"github.com/go-git/go-git/v5/storage/memory"

	"exoshift/internal/fault"
	"exoshift/internal/text"
	"exoshift/state"
)

const (
	maxPack = 64 << 20 // bytes of a repository's newest commit, packed
	maxFile = 16 << 20 // bytes of a file
)

// snapshot is the newest commit of a repository, without its history.
type snapshot struct {
	repo      repoURL
	transport transport.Transport
	auth      transport.AuthMethod
	branch    plumbing.ReferenceName // "" for a tag
	head      plumbing.Hash
	objects   *memory.Storage
}

func (g *Git) fetchSnapshot(ctx context.Context, repo state.GitRepo) (*snapshot, error) {
	p, err := parseRepoURL(repo.URL, g.access.Token != "")
	if err != nil {
		return nil, err
	}
	s := &snapshot{repo: p, transport: newHTTPSTransport(g.network), auth: g.access.newAuth(), objects: memory.NewStorage()}
	if p.scheme == overSSH {
		s.transport = sshTransport{git: g, repo: p, hostKeys: repo.HostKeys}
	}
	err = s.fetch(ctx, repo.Revision)
	switch {
	case errors.Is(err, transport.ErrAuthenticationRequired) && g.access.Token == "":
		return nil, fault.Newf(fault.Denied, "fetch "+p.String(), "%s requires a token, and none is set", p.host).
			WithHint("create a token at %s with the scopes api and write_repository, and set it as syn.gitToken", p.host)
	case err != nil:
		return nil, toFault(ctx, "fetch "+p.String(), p, err)
	}
	return s, nil
}

func (s *snapshot) fetch(ctx context.Context, revision string) error {
	session, err := s.transport.NewUploadPackSession(s.repo.toEndpoint(), s.auth)
	if err != nil {
		return err
	}
	defer func() { _ = session.Close() }()
	refs, err := session.AdvertisedReferencesContext(ctx)
	if err != nil {
		return err
	}
	wanted, err := s.resolveRevision(refs, revision)
	if err != nil {
		return err
	}
	request := packp.NewUploadPackRequestFromCapabilities(refs.Capabilities)
	request.Wants = []plumbing.Hash{wanted}
	if refs.Capabilities.Supports(capability.Shallow) {
		request.Depth = packp.DepthCommits(1)
		if err := request.Capabilities.Set(capability.Shallow); err != nil {
			return err
		}
	}
	response, err := session.UploadPack(ctx, request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Close() }()
	if err := unpack(s.objects, openPack(response, request.Capabilities)); err != nil {
		return err
	}
	return s.peel(wanted)
}

// openPack demultiplexes the pack from a response that may contain other messages.
func openPack(response io.Reader, capabilities *capability.List) io.Reader {
	switch {
	case capabilities.Supports(capability.Sideband64k):
		return sideband.NewDemuxer(sideband.Sideband64k, response)
	case capabilities.Supports(capability.Sideband):
		return sideband.NewDemuxer(sideband.Sideband, response)
	}
	return response
}

// resolveRevision finds a branch or tag, and what it points to.
func (s *snapshot) resolveRevision(refs *packp.AdvRefs, revision string) (plumbing.Hash, error) {
	if revision == "" {
		return s.resolveDefault(refs)
	}
	branch := plumbing.NewBranchReferenceName(revision)
	if hash, found := refs.References[branch.String()]; found {
		s.branch = branch
		return hash, nil
	}
	if hash, found := refs.References[plumbing.NewTagReferenceName(revision).String()]; found {
		return hash, nil
	}
	return plumbing.ZeroHash, fault.Newf(fault.NotFound, "fetch "+s.repo.String(), "it has no branch or tag %q", text.Sanitize(revision, text.WithLimit(100))).
		WithHint("correct the revision in Lieutenant")
}

func (s *snapshot) resolveDefault(refs *packp.AdvRefs) (plumbing.Hash, error) {
	for _, target := range refs.Capabilities.Get(capability.SymRef) {
		if name, found := strings.CutPrefix(target, "HEAD:"); found {
			if hash, exists := refs.References[name]; exists {
				s.branch = plumbing.ReferenceName(name)
				return hash, nil
			}
		}
	}
	for _, name := range []string{"refs/heads/main", "refs/heads/master"} {
		hash, exists := refs.References[name]
		if exists && (refs.Head == nil || *refs.Head == hash) {
			s.branch = plumbing.ReferenceName(name)
			return hash, nil
		}
	}
	return plumbing.ZeroHash, transport.ErrEmptyRemoteRepository
}

func (s *snapshot) peel(hash plumbing.Hash) error {
	for range 5 {
		tag, err := object.GetTag(s.objects, hash)
		if errors.Is(err, plumbing.ErrObjectNotFound) {
			break
		}
		if err != nil {
			return err
		}
		hash = tag.Target
	}
	if _, err := object.GetCommit(s.objects, hash); err != nil {
		return fmt.Errorf("commit %s: %w", hash, err)
	}
	s.head = hash
	return nil
}

func (s *snapshot) loadTree() (*object.Tree, error) {
	commit, err := object.GetCommit(s.objects, s.head)
	if err != nil {
		return nil, err
	}
	return commit.Tree()
}

// read returns nil if the file does not exist.
func (s *snapshot) read(file string) ([]byte, error) {
	op := "read " + file + " of " + s.repo.String()
	tree, err := s.loadTree()
	if err != nil {
		return nil, fault.New(fault.Transient, op, err)
	}
	entry, err := tree.FindEntry(file)
	switch {
	case errors.Is(err, object.ErrEntryNotFound), errors.Is(err, object.ErrDirectoryNotFound):
		return nil, nil
	case err != nil:
		return nil, fault.New(fault.Transient, op, err)
	case entry.Mode != filemode.Regular && entry.Mode != filemode.Executable && entry.Mode != filemode.Deprecated:
		return nil, fault.Newf(fault.Conflict, op, "it is not a regular file").WithHint("replace it with a file, or move it away")
	}
	content, err := readBlob(s.objects, entry.Hash)
	if err != nil {
		return nil, fault.New(fault.Invalid, op, err)
	}
	return content, nil
}

func readBlob(objects *memory.Storage, hash plumbing.Hash) ([]byte, error) {
	found, err := object.GetBlob(objects, hash)
	if err != nil {
		return nil, err
	}
	if found.Size > maxFile {
		return nil, fmt.Errorf("it has %d MB, more than the limit of %d MB", found.Size>>20, maxFile>>20)
	}
	reader, err := found.Reader()
	if err != nil {
		return nil, err
	}
	defer func() { _ = reader.Close() }()
	return io.ReadAll(reader)
}

func (s *snapshot) filterEdits(edits []state.YAMLEdit) ([]state.YAMLEdit, error) {
	var counting []state.YAMLEdit
	for _, one := range edits {
		counts := len(one.Files) == 0
		for _, name := range one.Files {
			content, err := s.read(name)
			if err != nil {
				return nil, err
			}
			counts = counts || content != nil
		}
		if counts {
			counting = append(counting, one)
		}
	}
	return counting, nil
}

// checkBranch refuses to change a tag.
func (s *snapshot) checkBranch(op string) error {
	if s.branch != "" {
		return nil
	}
	return fault.Newf(fault.Invalid, op, "its revision is a tag, and tags do not change").
		WithHint("set the revision of the configuration in Lieutenant to a branch")
}
