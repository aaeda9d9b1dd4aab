package release

import "context"

// CheckPublished returns the exact version that was chosen, after checking that it can be downloaded: fault.NotFound if not. It
// reads only small files.
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
