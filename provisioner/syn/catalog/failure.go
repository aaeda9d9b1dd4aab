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
)

// failure says why a conversation with a Git host failed.
func failure(ctx context.Context, op string, p place, err error) error {
	var known *fault.Error
	var said spoken
	switch {
	case errors.As(err, &known):
		return err
	case ctx.Err() != nil:
		return unreached(ctx, p, err)
	case fault.IsTooLarge(err):
		return fault.New(fault.Invalid, op, errTooMuch)
	case errors.Is(err, transport.ErrEmptyRemoteRepository):
		return fault.Newf(fault.NotFound, op, "it has no commit yet").WithHint("give it a first commit")
	case errors.Is(err, transport.ErrRepositoryNotFound):
		return fault.Newf(fault.NotFound, op, "there is no such repository, or it is hidden from us").
			WithHint("check that your account at %s may see it, and the address in Lieutenant", p.host)
	case errors.Is(err, transport.ErrAuthenticationRequired), errors.Is(err, transport.ErrAuthorizationFailed):
		return fault.Newf(fault.Denied, op, "%s does not accept the token", p.host).
			WithHint("give a token of %s that has not ended and has the scopes api and write_repository, from an account that may change this repository", p.host)
	case errors.As(err, &said):
		return refusal(op, p, said.said)
	}
	if status := answered(err); status != 0 {
		return fault.Newf(fault.Transient, op, "%s answers %d %s", p.host, status, http.StatusText(status)).
			WithHint("the Git host is out of order, or limits how often it is asked: run again in a while")
	}
	return unreached(ctx, p, err)
}

// answered returns the HTTP status by which a host refuses to talk at all; 0: there is none.
func answered(err error) int {
	var wrapping *plumbing.UnexpectedError // which does not unwrap
	var answer *githttp.Err
	if errors.As(err, &wrapping) && errors.As(wrapping.Err, &answer) {
		return answer.StatusCode()
	}
	return 0
}

// unreached says that a host was not reached, or that the connection broke.
func unreached(ctx context.Context, p place, err error) error {
	op := "reach " + p.String()
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, context.DeadlineExceeded):
		err = cause
	case cause != nil:
		return fmt.Errorf("%s: %w", op, cause)
	}
	brief := network.Explain(err)
	brief.Sentence = shorten(printable(brief.Sentence), mostRemark)
	return fault.New(fault.Transient, op, brief).WithHint("check that this machine reaches %s", p.host)
}

// verdict says what became of a push.
func verdict(ctx context.Context, op string, p place, report *packp.ReportStatus, err error, said string) error {
	var known *fault.Error
	var spoke spoken
	switch {
	case err == nil && report == nil:
		return outrun{errors.New("the host said nothing")}
	case err == nil:
		return nil
	case errors.As(err, &known), ctx.Err() != nil, errors.Is(err, transport.ErrAuthenticationRequired),
		errors.Is(err, transport.ErrAuthorizationFailed), errors.Is(err, transport.ErrRepositoryNotFound):
		return failure(ctx, op, p, err)
	case errors.As(err, &spoke) && report == nil:
		return refusal(op, p, spoke.said)
	case report == nil || fast(err.Error()):
		return outrun{err}
	}
	if said == "" {
		_, said, _ = strings.Cut(err.Error(), ": ")
	}
	return refusal(op, p, said)
}

// fast tells whether a push was refused because the branch has another commit by now.
func fast(refusal string) bool {
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

// refusal tells what a host said when it refused to give or to take something.
func refusal(op string, p place, said string) error {
	said = sentence(said)
	denied := fault.Newf(fault.Denied, op, "%s refuses: %s", p.host, shorten(said, mostRemark))
	switch low := strings.ToLower(said); {
	case strings.Contains(low, "protected branch"):
		return denied.WithHint("have somebody let you push to the default branch of %s, or have them make this change", p)
	case strings.Contains(low, "deploy key"), strings.Contains(low, "write access"):
		return denied.WithHint("use a key or a token of an account that may change %s", p)
	}
	return denied.WithHint("ask those who keep %s to allow this change", p)
}
