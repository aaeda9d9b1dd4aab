package release

import "context"

// Published returns the exact version that was chosen, once it is known that it can be downloaded: fault.NotFound if
// not. Only small files are read for it.
func (i *Installer) Published(ctx context.Context) (version string, err error) {
	version, err = i.resolve(ctx, "")
	if err != nil {
		return "", err
	}
	published, err := i.publication(version)
	if err != nil {
		return "", err
	}
	_, err = i.read(ctx, published.directory+checksumName)
	return version, err
}
