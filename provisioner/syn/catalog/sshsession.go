package catalog

import (
	"context"
	"errors"
	"io"
	"strings"

	"al.essio.dev/pkg/shellescape"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"
	"golang.org/x/crypto/ssh"
)

type sshSession struct {
	transport sshTransport
	service   string

	client *ssh.Client
	stop   func() bool
	into   io.WriteCloser
	out    io.Reader
	stderr *remoteOutput
	ended  chan struct{} // closed once the remote program has ended, and all that it wrote was read
}

// AdvertisedReferences exists for the interface; AdvertisedReferencesContext is used instead.
func (s *sshSession) AdvertisedReferences() (*packp.AdvRefs, error) {
	return nil, errors.ErrUnsupported
}

// AdvertisedReferencesContext opens the session, which ends with ctx.
func (s *sshSession) AdvertisedReferencesContext(ctx context.Context) (*packp.AdvRefs, error) {
	if err := s.open(ctx); err != nil {
		return nil, err
	}
	refs := packp.NewAdvRefs()
	err := refs.Decode(s.out)
	receives := s.service == transport.ReceivePackServiceName
	switch {
	case errors.Is(err, packp.ErrEmptyAdvRefs) && receives:
	case errors.Is(err, packp.ErrEmptyAdvRefs), err == nil && refs.IsEmpty() && !receives:
		return nil, transport.ErrEmptyRemoteRepository
	case errors.Is(err, packp.ErrEmptyInput):
		<-s.ended // the reason comes by another stream
		return nil, s.wrapError(err)
	case err != nil:
		return nil, s.wrapError(err)
	}
	transport.FilterUnsupportedCapabilities(refs.Capabilities)
	return refs, nil
}

func (s *sshSession) open(ctx context.Context) (err error) {
	if s.client, err = s.transport.connect(ctx); err != nil {
		return err
	}
	s.stop = context.AfterFunc(ctx, func() { _ = s.client.Close() })
	session, err := s.client.NewSession()
	if err != nil {
		return s.wrapError(err)
	}
	s.stderr = &remoteOutput{}
	session.Stderr = s.stderr
	if s.into, err = session.StdinPipe(); err != nil {
		return err
	}
	out, err := session.StdoutPipe()
	if err != nil {
		return err
	}
	s.out = &limitedReader{from: out, left: maxPack}
	if err := session.Start(s.service + " " + shellescape.Quote(s.transport.repo.path)); err != nil {
		return s.wrapError(err)
	}
	s.ended = make(chan struct{})
	go func() { // ends with the connection, which the reader detects
		defer close(s.ended)
		_ = session.Wait()
	}()
	return nil
}

// UploadPack requests a pack and returns it.
func (s *sshSession) UploadPack(_ context.Context, request *packp.UploadPackRequest) (*packp.UploadPackResponse, error) {
	if err := request.UploadRequest.Encode(s.into); err != nil {
		return nil, s.wrapError(err)
	}
	if err := request.UploadHaves.Encode(s.into, true); err != nil {
		return nil, s.wrapError(err)
	}
	if err := pktline.NewEncoder(s.into).EncodeString("done\n"); err != nil {
		return nil, s.wrapError(err)
	}
	response := packp.NewUploadPackResponse(request)
	if err := response.Decode(io.NopCloser(s.out)); err != nil {
		return nil, s.wrapError(err)
	}
	return response, nil
}

// ReceivePack sends a pack and returns the host's report.
func (s *sshSession) ReceivePack(_ context.Context, request *packp.ReferenceUpdateRequest) (*packp.ReportStatus, error) {
	if err := request.Encode(s.into); err != nil {
		return nil, s.wrapError(err)
	}
	from := s.out
	if request.Capabilities.Supports(capability.Sideband64k) {
		demuxer := sideband.NewDemuxer(sideband.Sideband64k, s.out)
		demuxer.Progress = request.Progress
		from = demuxer
	}
	report := packp.NewReportStatus()
	if err := report.Decode(from); err != nil {
		return nil, s.wrapError(err)
	}
	return report, report.Error()
}

// Close ends the session.
func (s *sshSession) Close() error {
	if s.client == nil {
		return nil
	}
	if s.stop != nil {
		s.stop()
	}
	return s.client.Close()
}

// wrapError adds the host's stderr.
func (s *sshSession) wrapError(err error) error {
	remote := s.stderr.String()
	switch {
	case remote == "":
		return err
	case strings.Contains(remote, "does not appear to be a git repository"), strings.Contains(remote, "could not be found"):
		return transport.ErrRepositoryNotFound
	}
	return remoteError{plumbing.NewUnexpectedError(err), remote}
}
