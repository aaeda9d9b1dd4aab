package vault

import (
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"
)

// defaultVersions is the number of versions that are kept by default.
const defaultVersions = 10

// secret is all versions of a secret, and its metadata.
type secret struct {
	Path             string
	Versions         []version // the oldest first; may be empty
	Current          int       // number of the newest version; 0: none yet
	Created, Updated time.Time
	MaxVersions      int
	CASRequired      bool
	DeleteAfter      time.Duration
	Custom           map[string]string
}

type version struct {
	Number    int
	Created   time.Time
	Deleted   time.Time // deletion time, which may be undone; zero: never
	Destroyed bool
	Data      map[string]any
}

func (e version) isDeleted(now time.Time) bool {
	return e.Destroyed || !e.Deleted.IsZero() && !e.Deleted.After(now)
}

// clone returns a secret whose versions may be changed.
func (s secret) clone() secret {
	s.Versions = slices.Clone(s.Versions)
	return s
}

// findVersion returns one version; 0 is the newest.
func (s secret) findVersion(number int) (version, bool) {
	if number == 0 {
		number = s.Current
	}
	i := slices.IndexFunc(s.Versions, func(e version) bool { return e.Number == number })
	if i < 0 {
		return version{}, false
	}
	return s.Versions[i], true
}

func (s secret) getData(now time.Time) (map[string]any, bool) {
	newest, ok := s.findVersion(0)
	return newest.Data, ok && !newest.isDeleted(now)
}

// with returns the secret with one more version, and without excess old ones.
func (s secret) with(values map[string]any, now time.Time) secret {
	s = s.clone()
	if s.Created.IsZero() {
		s.Created = now
	}
	s.Updated = now
	s.Current++
	e := version{Number: s.Current, Created: now, Data: values}
	if s.DeleteAfter > 0 {
		e.Deleted = now.Add(s.DeleteAfter)
	}
	s.Versions = append(s.Versions, e)
	kept := s.MaxVersions
	if kept == 0 {
		kept = defaultVersions
	}
	s.Versions = s.Versions[max(0, len(s.Versions)-kept):]
	return s
}

// withVersions returns the secret with change applied to the versions of those numbers.
func (s secret) withVersions(numbers []int, now time.Time, change func(*version)) secret {
	s = s.clone()
	for i := range s.Versions {
		if slices.Contains(numbers, s.Versions[i].Number) {
			change(&s.Versions[i])
		}
	}
	s.Updated = now
	return s
}

func (s secret) withDeleted(numbers []int, now time.Time) secret {
	return s.withVersions(numbers, now, func(e *version) {
		if !e.isDeleted(now) {
			e.Deleted = now
		}
	})
}

// Put writes a new version of a secret, as an operator with all permissions would.
func (k *Secrets) Put(path string, values map[string]string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	held := map[string]any{}
	for key, value := range values {
		held[key] = value
	}
	s, _ := k.table.Get(path)
	s.Path = path
	return k.table.Put(path, s.with(held, k.now()))
}

// SoftDeleteBelow deletes the newest version of every secret at or below path, which can be undone.
func (k *Secrets) SoftDeleteBelow(path string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range k.listBelow(path) {
		if err := k.table.Put(s.Path, s.withDeleted([]int{s.Current}, k.now())); err != nil {
			return err
		}
	}
	return nil
}

// RemoveBelow removes every secret at or below path with its metadata: there is nothing to undelete.
func (k *Secrets) RemoveBelow(path string) error {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, s := range k.listBelow(path) {
		if err := k.table.Delete(s.Path); err != nil {
			return err
		}
	}
	return nil
}

// listBelow returns the secrets at or below path.
func (k *Secrets) listBelow(path string) []secret {
	return slices.DeleteFunc(k.table.List(), func(s secret) bool {
		return s.Path != path && !strings.HasPrefix(s.Path, strings.TrimSuffix(path, "/")+"/")
	})
}

// ReadSecret returns the strings of the newest version of a secret, unless it is deleted.
func (k *Secrets) ReadSecret(path string) (map[string]string, bool) {
	s, _ := k.table.Get(path)
	held, ok := s.getData(k.now())
	if !ok {
		return nil, false
	}
	values := map[string]string{}
	for key, value := range held {
		if text, is := value.(string); is {
			values[key] = text
		}
	}
	return values, true
}

// ListPaths returns the paths of all secrets whose newest version is not deleted, sorted.
func (k *Secrets) ListPaths() []string {
	var paths []string
	for _, s := range k.table.List() {
		if _, ok := s.getData(k.now()); ok {
			paths = append(paths, s.Path)
		}
	}
	return paths
}

// listKeys returns the direct children of a folder as Vault lists them: folders end in a slash.
func (k *Secrets) listKeys(folder string) []string {
	if folder != "" {
		folder = strings.TrimSuffix(folder, "/") + "/"
	}
	found := map[string]bool{}
	for _, s := range k.table.List() {
		rest, ok := strings.CutPrefix(s.Path, folder)
		if !ok {
			continue
		}
		if name, _, deeper := strings.Cut(rest, "/"); deeper {
			rest = name + "/"
		}
		found[rest] = true
	}
	return slices.Sorted(maps.Keys(found))
}

// formatTime returns "" for the zero time, as Vault does.
func formatTime(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.UTC().Format(time.RFC3339Nano)
}

func (s secret) renderMetadata(e version) map[string]any {
	return map[string]any{
		"created_time": formatTime(e.Created), "deletion_time": formatTime(e.Deleted), "destroyed": e.Destroyed,
		"version": e.Number, "custom_metadata": s.getCustomMetadata(),
	}
}

func (s secret) getCustomMetadata() any {
	if s.Custom == nil {
		return nil
	}
	return s.Custom
}

func (s secret) describe() map[string]any {
	versions, oldest := map[string]any{}, 0
	for _, e := range s.Versions {
		versions[strconv.Itoa(e.Number)] = map[string]any{
			"created_time": formatTime(e.Created), "deletion_time": formatTime(e.Deleted), "destroyed": e.Destroyed,
		}
	}
	if len(s.Versions) > 0 && s.Versions[0].Number > 1 {
		oldest = s.Versions[0].Number
	}
	return map[string]any{
		"cas_required": s.CASRequired, "created_time": formatTime(s.Created), "current_version": s.Current,
		"custom_metadata": s.getCustomMetadata(), "delete_version_after": s.DeleteAfter.String(), "max_versions": s.MaxVersions,
		"oldest_version": oldest, "updated_time": formatTime(s.Updated), "versions": versions,
	}
}
