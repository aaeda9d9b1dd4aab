package catalog

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"

	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/internal/text"
)

func toFault(ctx context.Context, op string, p repoURL, err error) error {
	var known *fault.Error
	var remote remoteError
	switch {
	case errors.As(err, &known):
		return err
	case ctx.Err() != nil:
		return toConnectFault(ctx, p, err)
	case fault.IsTooLarge(err):
		return fault.New(fault.Invalid, op, errTooMuch)
	case errors.Is(err, transport.ErrEmptyRemoteRepository):
		return fault.Newf(fault.NotFound, op, "it has no commit yet").WithHint("give it a first commit")
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return fault.Newf(fault.NotFound, op, "no such repository, or no access to it").
			WithHint("check that your account at %s has access to it, and the URL in Lieutenant", p.host)
	case errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed):
		return fault.Newf(fault.Denied, op, "%s rejects the token", p.host).
			WithHint("use a valid token of %s with the scopes api and write_repository, of an account with write access to this repository", p.host)
	case errors.As(err, &remote):
		return toRefusalFault(op, p, remote.message)
	}
	if status := parseHTTPStatus(err); status != 0 {
		return fault.Newf(fault.Transient, op, "%s answers %d %s", p.host, status, http.StatusText(status)).
			WithHint("the Git host is down or limits requests: run again later")
	}
	return toConnectFault(ctx, p, err)
}

// parseHTTPStatus returns the HTTP status of a host's error response; 0: there is none.
func parseHTTPStatus(err error) int {
	var wrapping *plumbing.UnexpectedError // which has no Unwrap
	var answer *githttp.Err
	if errors.As(err, &wrapping) && errors.As(wrapping.Err, &answer) {
		return answer.StatusCode()
	}
	return 0
}

func toConnectFault(ctx context.Context, p repoURL, err error) error {
	op := "reach " + p.String()
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, context.DeadlineExceeded):
		err = cause
	case cause != nil:
		return fmt.Errorf("%s: %w", op, cause)
	}
	brief := network.DescribeError(err)
	brief.Sentence = text.Sanitize(brief.Sentence, text.WithLimit(maxRemoteOutput))
	return fault.New(fault.Transient, op, brief).WithHint("check that this machine reaches %s", p.host)
}

func toPushError(ctx context.Context, op string, p repoURL, report *packp.ReportStatus, err error, remote string) error {
	var known *fault.Error
	var spoke remoteError
	switch {
	case err == nil && report == nil:
		return raceError{errors.New("the host returned no message")}
	case err == nil:
		return nil
	case errors.As(err, &known), ctx.Err() != nil, errors.Is(err, transport.ErrAuthenticationRequired),
		errors.Is(err, transport.ErrAuthorizationFailed), errors.Is(err, transport.ErrRepositoryNotFound):
		return toFault(ctx, op, p, err)
	case errors.As(err, &spoke) && report == nil:
		return toRefusalFault(op, p, spoke.message)
	case report == nil || isNonFastForward(err.Error()):
		return raceError{err}
	}
	if remote == "" {
		_, remote, _ = strings.Cut(err.Error(), ": ")
	}
	return toRefusalFault(op, p, remote)
}

// isNonFastForward reports whether a push was refused because the branch has a newer commit.
func isNonFastForward(refusal string) bool {
	for _, sign := range []string{
		"fetch first", "non-fast-forward", "stale info", "cannot lock ref", "failed to update ref", "incorrect old value", "reference already exists",
		"failed to lock", "reference has changed",
	} {
		if strings.Contains(refusal, sign) {
			return true
		}
	}
	return false
}

func toRefusalFault(op string, p repoURL, remote string) error {
	remote = joinLines(remote)
	denied := fault.Newf(fault.Denied, op, "%s refuses: %s", p.host, truncateText(remote, maxRemoteOutput))
	switch low := strings.ToLower(remote); {
	case strings.Contains(low, "protected branch"):
		return denied.WithHint("ask for permission to push to the default branch of %s, or have someone else make this change", p)
	case strings.Contains(low, "deploy key"), strings.Contains(low, "write access"):
		return denied.WithHint("use a key or a token of an account with write access to %s", p)
	}
	return denied.WithHint("ask the maintainers of %s to allow this change", p)
}
