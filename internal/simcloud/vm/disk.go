package vm

import (
	"fmt"

	"exoshift/internal/simcloud/store"
)

type disks struct {
	files   *store.Table[file]
	powered *store.Table[power]
}

type file struct {
	Instance, Path string
	Content        []byte
}

// power records that an instance is running and has booted.
type power struct{ Instance string }

func openDisks(db *store.DB) (disks, error) {
	files, err := store.Load[file](db, "vm/file")
	if err != nil {
		return disks{}, err
	}
	up, err := store.Load[power](db, "vm/power")
	return disks{files: files, powered: up}, err
}

// keep wipes the disks of instances that are not in the map, and marks those that are off.
func (d disks) keep(on map[string]bool) error {
	for _, p := range d.powered.List() {
		if !on[p.Instance] {
			if err := d.powered.Delete(p.Instance); err != nil {
				return err
			}
		}
	}
	for _, f := range d.files.List() {
		if _, exists := on[f.Instance]; !exists {
			if err := d.files.Delete(formatFileKey(f.Instance, f.Path)); err != nil {
				return err
			}
		}
	}
	return nil
}

func (d disks) openDisk(instance string) disk { return disk{disks: d, instance: instance} }

type disk struct {
	disks
	instance string
}

func (d disk) read(path string) ([]byte, bool) {
	f, ok := d.files.Get(formatFileKey(d.instance, path))
	return f.Content, ok
}

func (d disk) write(path string, content []byte) error {
	if err := d.files.Put(formatFileKey(d.instance, path), file{Instance: d.instance, Path: path, Content: content}); err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	return nil
}

// isBooted reports whether the machine has booted since it was started.
func (d disk) isBooted() bool {
	_, ok := d.powered.Get(d.instance)
	return ok
}

func (d disk) setUp() error { return d.powered.Put(d.instance, power{d.instance}) }

func formatFileKey(instance, path string) string { return instance + ":" + path }
