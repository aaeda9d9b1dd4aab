package release

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"exoshift/internal/fault"
)

// checkPrivate refuses an entry of the cache that another user could change between its verification and its execution: one who
// owns or may write one of the folders from the cache down to it, or its program.
func (e cacheEntry) checkPrivate(cache string) error {
	for path := e.program(); ; path = filepath.Dir(path) {
		info, err := os.Stat(path)
		if err == nil {
			err = checkOwner(path, info)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return fault.New(fault.Conflict, "use the cache in "+cache, err).
				WithHint("remove %s, or name another folder with XDG_CACHE_HOME: programs that others can change are not run", path)
		}
		if path == filepath.Clean(cache) || path == filepath.Dir(path) {
			return nil
		}
	}
}

func checkOwner(path string, info fs.FileInfo) error {
	if owner, known := info.Sys().(*syscall.Stat_t); known && int(owner.Uid) != os.Geteuid() {
		return fmt.Errorf("%s belongs to the user %d, and exoshift runs as the user %d", path, owner.Uid, os.Geteuid())
	}
	if mode := info.Mode().Perm(); mode&0o022 != 0 {
		return fmt.Errorf("%s can be written by group or others (mode %04o)", path, mode)
	}
	return nil
}
