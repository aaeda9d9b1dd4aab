package api

import "net/http"

func (a *API) attachVolume(c *call) (any, error) {
	v, err := a.requireVolumeState(c, detached)
	if err != nil {
		return nil, err
	}
	i, err := a.findAttachedInstance(c)
	if err != nil {
		return nil, err
	}
	if err := a.checkAttachable(i); err != nil {
		return nil, err
	}
	v.Instance = i.ID
	return a.startVolumeTransition(v, attaching, attached)
}

// checkAttachable refuses instances that are too small for volumes, have the maximum of volumes, or are being destroyed.
func (a *API) checkAttachable(i instance) error {
	kind, err := a.findInstanceType(i.Type)
	switch limit := a.limits[attachmentQuota]; {
	case err != nil:
		return err
	case i.State == destroying:
		return newAPIError(http.StatusConflict, "Instance %s is being destroyed", i.Name)
	case kind.Size == "micro" || kind.Size == "tiny":
		return newInvalidError("an instance of type %s can not have block storage volumes", kind.name())
	case len(a.findVolumes(i.ID)) >= limit:
		return newAPIError(http.StatusForbidden, "Quota exceeded: an instance may have %d of resource %s", limit, attachmentQuota)
	}
	return nil
}

// detachVolume: the error for a volume that is not attached ends with a text that clients of the live service match.
func (a *API) detachVolume(c *call) (any, error) {
	v, err := a.tables.volumes.get(c.zone, c.id())
	switch {
	case err != nil:
		return nil, err
	case v.Instance == "":
		return nil, newAPIError(http.StatusBadRequest, "Block storage volume %s: Volume not attached", v.ID)
	case v.State != attached:
		return nil, newAPIError(http.StatusConflict, "Block storage volume %s is %s, not attached", v.ID, v.State)
	}
	return a.startDetach(v)
}

// startDetach hides the volume from the instance at once.
func (a *API) startDetach(v volume) (any, error) {
	v.Instance = ""
	return a.startVolumeTransition(v, detaching, detached)
}

// resizeVolume returns the volume instead of an operation.
func (a *API) resizeVolume(c *call) (any, error) {
	v, err := a.tables.volumes.get(c.zone, c.id())
	if err != nil {
		return nil, err
	}
	var body volumeRequest
	if err := check(c.decode(&body), a.checkResizable(v), a.checkGrowth(v, body.Size)); err != nil {
		return nil, err
	}
	v.Size = body.Size
	return a.viewVolume(v), a.tables.volumes.put(v)
}

func (a *API) checkResizable(v volume) error {
	if v.State == detached {
		return nil
	}
	i, known := a.tables.instances.table.Get(v.Instance)
	if v.State == attached && known && i.State == stopped {
		return nil
	}
	return newAPIError(http.StatusConflict, "Block storage volume %s must be detached, or its instance stopped", v.ID)
}

func (a *API) checkGrowth(v volume, size int64) error {
	return check(
		checkRange("size", size, v.Size+1, int64(a.limits[volumeSizeQuota])),
		a.checkQuota("block-storage", int(size-v.Size)),
	)
}

func (a *API) findVolumes(instance string) []ref {
	list := []ref{}
	for _, v := range a.tables.volumes.listAll() {
		if v.Instance == instance {
			list = append(list, ref{v.ID})
		}
	}
	return list
}

func (a *API) detachVolumes(instance string) error {
	for _, v := range a.tables.volumes.listAll() {
		if v.Instance != instance {
			continue
		}
		v.Instance = ""
		v.transition = transition{State: detached}
		if err := a.tables.volumes.put(v); err != nil {
			return err
		}
	}
	return nil
}
