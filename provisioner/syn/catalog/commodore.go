package catalog

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"exoshift/internal/fault"
	"exoshift/state"
)

const (
	stopTimeout = 10 * time.Second
	maxLine     = 64 << 10 // bytes
)

// Commodore is the catalog compiler commodore on this machine.
type Commodore struct {
	Program string // path; "": there is none
	API     string // URL of Lieutenant
	// Token returns commodore's token for Lieutenant.
	Token func(ctx context.Context) (string, error)
	// Environment is what is passed to it, as "NAME=value": PATH, HOME, SSH_AUTH_SOCK, and the variables of a proxy.
	Environment []string
	// Release is the minor version of OpenShift, e.g. "4.21": a cluster that has not reported its own facts is compiled for this
	// one. "": such a cluster cannot be compiled.
	Release string
}

func (c Commodore) compile(ctx context.Context, cluster state.SynCluster, remote func(string)) error {
	dir, err := os.MkdirTemp("", program+"-compile-*")
	if err != nil {
		return fault.New(fault.Internal, compileOp, err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	token, err := c.getToken(ctx)
	if err != nil {
		return err
	}
	late, cancel := context.WithTimeout(ctx, compileLimit)
	defer cancel()
	command := exec.CommandContext(late, c.Program, c.buildArgs(cluster)...)
	command.Dir, command.Env = dir, c.buildEnvironment(token)
	command.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	command.Cancel = func() error { return syscall.Kill(-command.Process.Pid, syscall.SIGTERM) }
	command.WaitDelay = stopTimeout
	text, err := runCommand(command, token, remote)
	switch {
	case err == nil:
		return nil
	case context.Cause(ctx) != nil:
		return fmt.Errorf("%s: %w", compileOp, context.Cause(ctx))
	case late.Err() != nil:
		return fault.Newf(fault.Timeout, compileOp, "commodore has not ended within %s", compileLimit)
	}
	var failed *exec.ExitError
	if !errors.As(err, &failed) {
		return fault.New(fault.Invalid, compileOp, err).WithHint("check that commodore works: %s --version", c.Program)
	}
	return newCompileError(extractReason(text), "correct the configuration, or run commodore yourself for details: commodore catalog compile "+cluster.ID)
}

// buildArgs contain no secret: every user of this machine can read them.
func (c Commodore) buildArgs(cluster state.SynCluster) []string {
	arguments := []string{"catalog", "compile", "--push"}
	var minor int
	if _, err := fmt.Sscanf(c.Release, "4.%d", &minor); err == nil {
		for _, fact := range []string{
			"kubernetesVersion.major=1", fmt.Sprintf("kubernetesVersion.minor=%d", minor+13),
			"openshiftVersion.Major=4", fmt.Sprintf("openshiftVersion.Minor=%d", minor),
		} {
			arguments = append(arguments, "--dynamic-fact", fact)
		}
	}
	return append(arguments, "--", cluster.ID)
}

func (c Commodore) getToken(ctx context.Context) (string, error) {
	if c.Token == nil {
		return "", nil
	}
	return c.Token(ctx)
}

func (c Commodore) buildEnvironment(token string) []string {
	environment := append(slices.Clone(c.Environment), "COMMODORE_API_URL="+c.API, "PYTHONUNBUFFERED=1", "GIT_TERMINAL_PROMPT=0")
	if token != "" {
		environment = append(environment, "COMMODORE_API_TOKEN="+token)
	}
	return environment
}

// runCommand passes on the command's lines, and returns the last ones. Processes that the command started are killed with it.
func runCommand(command *exec.Cmd, secret string, remote func(string)) ([]byte, error) {
	reader, writer := io.Pipe()
	command.Stdout, command.Stderr = writer, writer
	if err := command.Start(); err != nil {
		return nil, err
	}
	defer func() { _ = syscall.Kill(-command.Process.Pid, syscall.SIGKILL) }()
	end := make(chan []byte)
	go func() { end <- forwardLines(reader, secret, remote) }()
	err := command.Wait()
	_ = writer.Close()
	if errors.Is(err, exec.ErrWaitDelay) { // it succeeded, and left a child process running
		err = nil
	}
	return <-end, err
}

// forwardLines masks the secret, and splits lines that are too long.
func forwardLines(from io.Reader, secret string, remote func(string)) (end []byte) {
	lines := bufio.NewReaderSize(&maskingReader{from: from, secret: []byte(secret)}, maxLine)
	for {
		line, err := lines.ReadSlice('\n')
		if err != nil && !errors.Is(err, bufio.ErrBufferFull) && len(line) == 0 {
			return end
		}
		if text := strings.TrimSpace(extractReason(line)); text != "" {
			remote(truncateText(text, maxRemoteOutput))
		}
		if end = append(end, line...); len(end) > 2*keptTrace {
			end = append(end[:0], end[len(end)-keptTrace:]...)
		}
	}
}
