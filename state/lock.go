package state

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"sync"
	"time"

	"exoshift/internal/fileread"

	"github.com/gofrs/flock"
)

// lockFile is locked by the operating system while a run uses the folder, so the lock of a dead process is free at
// once; holderFile says who holds it.
const (
	lockFile   = "lock"
	holderFile = "lock.json"
	beatEvery  = 5 * time.Second
)

// Holder is who holds a folder's lock.
type Holder struct {
	Host string    `json:"host"`
	PID  int       `json:"pid"`
	User string    `json:"user"`
	Beat time.Time `json:"beat"` // when the holder last said that it is alive
}

// HeldError tells that another run uses the folder.
type HeldError struct {
	Path   string
	Holder Holder
}

func (e *HeldError) Error() string {
	return fmt.Sprintf("%s is in use by %s@%s, pid %d, last beat %s ago; wait until it has ended, or stop it there",
		e.Path, e.Holder.User, e.Holder.Host, e.Holder.PID, time.Since(e.Holder.Beat).Round(time.Second))
}

// Lock takes the folder for this process and keeps telling so until unlock is called. It fails with a *HeldError if
// another process has it.
func (f Folder) Lock(ctx context.Context) (unlock func(), err error) {
	lock, taken, err := f.tryLock()
	if err != nil {
		return nil, fmt.Errorf("lock %s: %w", f.path, err)
	}
	if !taken {
		return nil, &HeldError{Path: f.path, Holder: f.holder()}
	}
	if err := f.beat(); err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(context.WithoutCancel(ctx)) // held until unlock
	var beating sync.WaitGroup
	beating.Go(func() { f.keepBeating(ctx) })
	return func() {
		stop()
		beating.Wait()
		_ = os.Remove(f.Path(holderFile))
		_ = lock.Unlock()
	}, nil
}

// tryLock does not open a pipe in the place of the lock: that would wait for its writer.
func (f Folder) tryLock() (lock *flock.Flock, taken bool, err error) {
	path := f.Path(lockFile)
	info, err := os.Stat(path)
	if err == nil {
		err = fileread.CheckRegular(path, info)
	}
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, false, err
	}
	lock = flock.New(path, flock.SetPermissions(0o600))
	taken, err = lock.TryLock()
	return lock, taken, err
}

// Busy tells whether a run holds the folder's lock.
func (f Folder) Busy() bool {
	lock, free, err := f.tryLock()
	if free {
		_ = lock.Unlock()
	}
	return err == nil && !free
}

func (f Folder) keepBeating(ctx context.Context) {
	ticker := time.NewTicker(beatEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			_ = f.beat() // a missed beat only makes the holder look older
		}
	}
}

func (f Folder) beat() error {
	content, err := json.Marshal(me())
	if err != nil {
		return fmt.Errorf("lock %s: %w", f.path, err)
	}
	return f.Write(holderFile, content)
}

func me() Holder {
	holder := Holder{PID: os.Getpid(), User: "unknown", Host: "unknown", Beat: time.Now()}
	if u, err := user.Current(); err == nil {
		holder.User = u.Username
	}
	if host, err := os.Hostname(); err == nil {
		holder.Host = host
	}
	return holder
}

// holder returns what the file says; an unreadable one names nobody.
func (f Folder) holder() Holder {
	holder := Holder{User: "unknown", Host: "unknown"}
	if content, err := f.Read(holderFile); err == nil {
		_ = json.Unmarshal(content, &holder)
	}
	return holder
}
