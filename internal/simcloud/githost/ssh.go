package githost

import (
	"context"
	"errors"

	"golang.org/x/crypto/ssh"
)

// admit lets keys of engineers and of clusters in.
func (h *Host) admit(conn ssh.ConnMetadata, public ssh.PublicKey) (*ssh.Permissions, error) {
	text := keyText(public)
	_, known := h.keys.Get(text)
	_, deploys := h.deploys(text)
	if conn.User() != "git" || !known && !deploys {
		return nil, errors.New("permission denied")
	}
	return &ssh.Permissions{Extensions: map[string]string{"key": text}}, nil
}

func (h *Host) serve(context.Context, *ssh.ServerConn, <-chan ssh.NewChannel) {}
