package api

// maxDiskSize is the limit of the official description, in GiB.
const maxDiskSize = 51200

// rootDiskLimit returns the largest root disk of a type in GiB, as documented for the common families.
func (t wireType) rootDiskLimit() int64 {
	switch t.Family {
	case "standard", "cpu", "memory":
	default:
		return maxDiskSize // those of other families are not known
	}
	switch t.Size {
	case "micro":
		return 200
	case "tiny", "small", "medium", "large":
		return 400
	case "extra-large", "huge", "mega":
		return 800
	case "titan", "jumbo":
		return 1600
	}
	return maxDiskSize // newer sizes: not known
}

// checkDisk refuses a root disk larger than the type's limit or smaller than the template.
func (a *API) checkDisk(zone, typeID, templateID string, size int64) error {
	kind, err := a.findInstanceType(typeID)
	if err != nil {
		return err
	}
	image, err := a.findTemplate(zone, templateID)
	if err != nil {
		return err
	}
	if size<<30 < image.Wire.Size {
		return newInvalidError("disk-size must be at least the size of the template, %d GiB", (image.Wire.Size+1<<30-1)>>30)
	}
	return checkRange("disk-size", size, 10, kind.rootDiskLimit())
}

func (a *API) resetInstance(c *call) (any, error) {
	return a.updateStopped(c, func(i *instance, body instanceRequest) error {
		if body.Template.ID != "" {
			i.Template = body.Template.ID
		}
		if body.DiskSize != 0 {
			i.DiskSize = body.DiskSize
		}
		return a.checkDisk(c.zone, i.Type, i.Template, i.DiskSize)
	})
}

func (a *API) resizeDisk(c *call) (any, error) {
	return a.updateStopped(c, func(i *instance, body instanceRequest) error {
		if body.DiskSize <= i.DiskSize {
			return newInvalidError("disk-size must be greater than %d: a disk can not shrink", i.DiskSize)
		}
		i.DiskSize = body.DiskSize
		kind, err := a.findInstanceType(i.Type)
		return check(err, checkRange("disk-size", i.DiskSize, 10, kind.rootDiskLimit()))
	})
}
