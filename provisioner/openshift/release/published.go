package release

import "context"

// CheckPublished returns the exact version that was chosen, once it is known that it can be downloaded: fault.NotFound if
// not. Only small files are read for it.
func (i *Installer) CheckPublished(ctx context.Context) (version string, err error) {
	version, err = i.resolve(ctx, "")
	if err != nil {
		return "", err
	}
	published, err := i.findPublication(version)
	if err != nil {
		return "", err
	}
	_, err = i.read(ctx, published.directory+checksumName)
	return version, err
}
