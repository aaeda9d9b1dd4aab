package githost

import (
	"context"
	"time"

	"github.com/go-git/go-git/v5/plumbing"
)

// pipeline is one compilation of a tenant's configuration.
type pipeline struct {
	ID      int
	Project string
	SHA     string
	Created time.Time
}

// pushed starts what a push to the default branch starts.
func (h *Host) pushed(string, plumbing.Hash) error { return nil }

func (h *Host) settle(context.Context) {}
