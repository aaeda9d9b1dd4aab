package state

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/user"
	"time"

	"exoshift/internal/fileread"

	"github.com/gofrs/flock"
)

// The folder and lockFile are locked by the operating system while a run uses the folder, so the lock of a dead process
// is free at once; holderFile names the holder.
const (
	lockFile   = "lock"
	holderFile = "lock.json"
	beatEvery  = 5 * time.Second
)

// Holder is the process that holds a folder's lock.
type Holder struct {
	Host      string    `json:"host"`
	PID       int       `json:"pid"`
	User      string    `json:"user"`
	Heartbeat time.Time `json:"beat"` // time of the holder's last heartbeat
}

// LockedError reports that another run uses the folder.
type LockedError struct {
	Path   string
	Holder Holder
}

func (e *LockedError) Error() string {
	if e.Holder.Heartbeat.IsZero() {
		return fmt.Sprintf("%s is in use by another process, and %s, which names it, cannot be read; wait until it has ended, or stop it", e.Path, holderFile)
	}
	return fmt.Sprintf("%s is in use by %s@%s, pid %d, last heartbeat %s ago; wait until that run has ended, or stop it",
		e.Path, e.Holder.User, e.Holder.Host, e.Holder.PID, time.Since(e.Holder.Heartbeat).Round(time.Second))
}

// tryLock locks the folder itself, which cannot be replaced while it is in use, and the file in it. Some network file
// systems cannot lock folders; there the lock of the file has to suffice, as in earlier versions.
func tryLock(f Folder) (release func(), taken bool, err error) {
	folder := flock.New(f.path, flock.SetFlag(os.O_RDONLY))
	taken, err = folder.TryLock()
	if err == nil && !taken {
		return nil, false, nil
	}
	file, taken, err := tryLockFile(f)
	if err != nil || !taken {
		_ = folder.Close()
		return nil, taken, err
	}
	return func() { _ = errors.Join(file.Close(), folder.Close()) }, true, nil
}

// tryLockFile checks that the locked file is still the one at the path: it may have been replaced meanwhile.
func tryLockFile(f Folder) (*flock.Flock, bool, error) {
	path := f.Path(lockFile)
	for {
		// A named pipe in place of the lock file is not opened: that would block until it has a writer.
		if err := fileread.CheckPath(path); err != nil {
			return nil, false, err
		}
		file := flock.New(path, flock.SetPermissions(0o600))
		if taken, err := file.TryLock(); err != nil || !taken {
			return nil, false, err
		}
		locked, err := file.Stat()
		if err == nil {
			var there os.FileInfo
			if there, err = os.Stat(path); err == nil && os.SameFile(locked, there) {
				return file, true, nil
			}
		}
		if err = errors.Join(ignoreMissing(err), file.Close()); err != nil {
			return nil, false, err
		}
	}
}

func ignoreMissing(err error) error {
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	return err
}

func keepBeating(ctx context.Context, f Folder) {
	ticker := time.NewTicker(beatEvery)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
			_ = writeHeartbeat(f) // a missed heartbeat only makes the holder look older
		}
	}
}

func writeHeartbeat(f Folder) error {
	content, err := json.Marshal(newHolder())
	if err != nil {
		return fmt.Errorf("lock %s: %w", f.path, err)
	}
	return f.Write(holderFile, content)
}

func newHolder() Holder {
	holder := Holder{PID: os.Getpid(), User: "unknown", Host: "unknown", Heartbeat: time.Now()}
	if u, err := user.Current(); err == nil {
		holder.User = u.Username
	}
	if host, err := os.Hostname(); err == nil {
		holder.Host = host
	}
	return holder
}

func readHolder(f Folder) Holder {
	holder := Holder{User: "unknown", Host: "unknown"}
	if content, err := f.Read(holderFile); err == nil {
		_ = json.Unmarshal(content, &holder)
	}
	return holder
}
