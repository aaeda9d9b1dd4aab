package release

// CheckPrivate exports the method for tests.
func CheckPrivate(cache string) error { return cacheEntry{dir: cache}.checkPrivate(cache) }

// Limit sets lower limits for downloads and unpacking.
func (i *Installer) Limit(archive, program int64) *Installer {
	i.cache.limits = limits{archive: archive, program: program}
	return i
}
