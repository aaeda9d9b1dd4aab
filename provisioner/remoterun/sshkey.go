package remoterun

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"strings"

	"golang.org/x/crypto/ssh"

	"exoshift/internal/fault"
	"exoshift/internal/fileread"
)

// loadKeys reads private keys as ssh does: files that are missing, encrypted or readable for others are left out.
// unusable says why, for those that are there.
func loadKeys(files []string) (signers []ssh.Signer, unusable []string) {
	for _, path := range files {
		signer, err := loadKey(path)
		switch {
		case err == nil:
			signers = append(signers, signer)
		case !errors.Is(err, fs.ErrNotExist):
			unusable = append(unusable, fmt.Sprintf("%s %v", path, err))
		}
	}
	return signers, unusable
}

func loadKey(path string) (ssh.Signer, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return nil, errors.New("is accessible for others, so ssh does not use it either")
	}
	content, err := fileread.Text(path, fileread.Small)
	if err != nil {
		return nil, errors.New("cannot be read")
	}
	signer, err := ssh.ParsePrivateKey(content)
	var encrypted *ssh.PassphraseMissingError
	switch {
	case errors.As(err, &encrypted):
		return nil, errors.New("has a passphrase: add it to an SSH agent")
	case err != nil:
		return nil, errors.New("is not a private key")
	}
	return signer, nil
}

// selectSigners returns the signers whose public keys are those of files, or stand in a file beside them.
func selectSigners(signers []ssh.Signer, files []string) (selected []ssh.Signer) {
	wanted := map[string]bool{}
	for _, path := range files {
		for _, public := range []string{path, path + ".pub"} {
			content, err := fileread.Text(public, fileread.Small)
			if err != nil {
				continue
			}
			if key, _, _, _, err := ssh.ParseAuthorizedKey(content); err == nil {
				wanted[string(key.Marshal())] = true
			}
		}
	}
	for _, signer := range signers {
		if wanted[string(signer.PublicKey().Marshal())] {
			selected = append(selected, signer)
		}
	}
	return selected
}

func newNoKeyFault(unusable []string) error {
	cause := errors.New("there is neither an SSH agent nor a key in ~/.ssh")
	if len(unusable) > 0 {
		cause = fmt.Errorf("there is no SSH agent, and no key can be used: %s", strings.Join(unusable, "; "))
	}
	return fault.New(fault.Denied, "log in", cause).WithHint("start an agent and add your key: eval $(ssh-agent); ssh-add")
}
