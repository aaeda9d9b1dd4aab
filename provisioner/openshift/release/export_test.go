package release

// CheckPrivate is what is asked of a cache's folder.
func CheckPrivate(cache string) error { return cacheEntry{dir: cache}.checkPrivate(cache) }

// Limit bounds downloads and what they unpack to more tightly than usual.
func (i *Installer) Limit(archive, program, image, unpackedImage int64) *Installer {
	i.limits = limits{archive: archive, program: program, image: image, unpackedImage: unpackedImage}
	return i
}
