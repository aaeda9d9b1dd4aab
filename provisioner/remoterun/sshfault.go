package remoterun

import (
	"bytes"
	"context"
	"errors"
	"strings"

	"golang.org/x/crypto/ssh"

	"exoshift/internal/fault"
	"exoshift/internal/text"
)

func (h *Host) toLoginFault(ctx context.Context, op string, err error) error {
	var known *fault.Error
	switch {
	case errors.As(err, &known): // of the host key callback
		return known
	case ctx.Err() != nil:
		return fault.New(fault.KindOf(ctx.Err()), op, err).WithHint("check that an SSH server answers at %s", h.address)
	case strings.Contains(err.Error(), "unable to authenticate"): // the library has no type for this error
		return fault.New(fault.Denied, op, err).
			WithHint("check that the SSH agent has the key of %s (ssh-add -l), and few others: %s", h.user, h.formatCommand())
	}
	return fault.New(fault.Transient, op, err).WithHint("check whether this works: %s", h.formatCommand())
}

func (h *Host) toSessionFault(ctx context.Context, op string, err error) error {
	if ctx.Err() != nil {
		return fault.New(fault.KindOf(ctx.Err()), op, context.Cause(ctx))
	}
	return fault.New(fault.Transient, op, err).WithHint("check whether this works: %s uname -sm", h.formatCommand())
}

func (h *Host) toExitFault(ctx context.Context, op string, err error, complaint string) error {
	var exit *ssh.ExitError
	if ctx.Err() != nil || !errors.As(err, &exit) {
		return h.toSessionFault(ctx, op, err)
	}
	complaint = text.Sanitize(strings.ReplaceAll(strings.TrimSpace(complaint), "\n", " "))
	switch exit.ExitStatus() {
	case exitNoRoom:
		return fault.Newf(fault.Conflict, op, "it could not be stored there: %s", complaint).
			WithHint("free disk space in the folder for temporary files of %s", h.address)
	case exitChanged:
		return fault.Newf(fault.Conflict, op, "the program that arrived differs from the one sent, so it was not run: %s", complaint).
			WithHint("check that the host has gzip, sha256sum and free space in its folder for temporary files, then run it again")
	case exitNotRun, exitNotFound:
		return fault.Newf(fault.Conflict, op, "the host cannot execute it: %s", complaint).
			WithHint("its folder for temporary files may be mounted noexec: set TMPDIR for %s there", h.user)
	}
	return fault.Newf(fault.Internal, op, "it ended with %d: %s", exit.ExitStatus(), complaint).
		WithHint("run it again; if the problem persists, choose another host")
}

type limitedBuffer struct {
	bytes.Buffer
	left int
}

func (l *limitedBuffer) Write(b []byte) (int, error) {
	kept := min(len(b), l.left)
	l.left -= kept
	_, _ = l.Buffer.Write(b[:kept]) // never fails
	return len(b), nil
}
