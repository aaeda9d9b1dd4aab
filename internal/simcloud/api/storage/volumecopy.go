package api

import (
	"net/http"
	"time"
)

// volumeCopy is a snapshot of a block storage volume. That it outlives the volume is our reading.
type volumeCopy struct {
	row
	transition
	Name       string
	Labels     map[string]string
	Volume     string
	VolumeSize int64 // GiB
}

type wireVolumeCopy struct {
	ID         string            `json:"id"`
	Name       string            `json:"name"`
	Size       int64             `json:"size"`
	VolumeSize int64             `json:"volume-size"`
	CreatedAt  time.Time         `json:"created-at"`
	State      string            `json:"state"`
	Labels     map[string]string `json:"labels"`
	Volume     ref               `json:"block-storage-volume"`
}

const (
	created = "created"
	// maxCopies is the limit of a volume.
	maxCopies = 20
)

func (a *API) registerVolumeCopyRoutes(register func(string, handler)) {
	register("GET /block-storage-snapshot", a.listVolumeCopies)
	register("GET /block-storage-snapshot/{id}", func(c *call) (any, error) {
		copied, err := a.tables.volumeCopies.get(c.zone, c.id())
		return copied.view(), err
	})
	register("PUT /block-storage-snapshot/{id}", a.updateVolumeCopy)
	register("DELETE /block-storage-snapshot/{id}", a.deleteVolumeCopy)
}

func (v volumeCopy) view() wireVolumeCopy {
	return wireVolumeCopy{
		ID: v.ID, Name: v.Name, Size: v.VolumeSize, VolumeSize: v.VolumeSize, CreatedAt: v.Created.Truncate(time.Second),
		State: v.State, Labels: v.Labels, Volume: ref{v.Volume},
	}
}

func (a *API) listVolumeCopies(c *call) (any, error) {
	list := []wireVolumeCopy{}
	for _, copied := range a.tables.volumeCopies.list(c.zone) {
		list = append(list, copied.view())
	}
	return map[string]any{"block-storage-snapshots": list}, nil
}

func (a *API) findVolumeCopies(volume string) []volumeCopy {
	return a.tables.volumeCopies.filter(func(v volumeCopy) bool { return v.Volume == volume })
}

// copyVolume refuses a volume with a pending change; it may be attached.
func (a *API) copyVolume(c *call) (any, error) {
	v, err := a.tables.volumes.get(c.zone, c.id())
	switch {
	case err != nil:
		return nil, err
	case v.Next != "":
		return nil, newAPIError(http.StatusConflict, "Block storage volume %s is %s", v.ID, v.State)
	case len(a.findVolumeCopies(v.ID)) >= maxCopies:
		return nil, newAPIError(http.StatusForbidden, "Block storage volume %s has %d snapshots already", v.ID, maxCopies)
	}
	body := volumeRequest{Name: v.Name + "-" + a.now().Format("20060102150405"), Labels: map[string]string{}}
	if err := check(c.decodeOptional(&body), checkLength("name", body.Name, 1, 255)); err != nil {
		return nil, err
	}
	head, err := a.newZonedRow(c)
	if err != nil {
		return nil, err
	}
	copied := volumeCopy{row: head, Name: body.Name, Labels: body.Labels, Volume: v.ID, VolumeSize: v.Size}
	answer, err := a.startVolumeCopyTransition(copied, creating, created)
	if err != nil {
		return nil, err
	}
	a.setTransition(a.tables.volumes.noun, v.row, &v.transition, snapshotting, v.State, computeDuration(head.ID))
	return answer, a.tables.volumes.put(v)
}

func (a *API) startVolumeCopyTransition(copied volumeCopy, by, to string) (any, error) {
	delay := computeDuration(copied.ID)
	a.setTransition(a.tables.volumeCopies.noun, copied.row, &copied.transition, by, to, delay)
	if err := a.tables.volumeCopies.put(copied); err != nil {
		return nil, err
	}
	reference := newReference("block-storage-snapshot", copied.ID)
	return a.begin(copied.Zone, delay, operation{Wire: wireOperation{Reference: reference}})
}

func (a *API) updateVolumeCopy(c *call) (any, error) {
	copied, err := a.tables.volumeCopies.get(c.zone, c.id())
	if err != nil {
		return nil, err
	}
	body := volumeRequest{Name: copied.Name}
	if err := check(c.decode(&body), checkLength("name", body.Name, 1, 255)); err != nil {
		return nil, err
	}
	copied.Name = body.Name
	if body.Labels != nil {
		copied.Labels = body.Labels
	}
	if err := a.tables.volumeCopies.put(copied); err != nil {
		return nil, err
	}
	return a.startOperation(copied.row, "block-storage-snapshot")
}

func (a *API) deleteVolumeCopy(c *call) (any, error) {
	copied, err := a.tables.volumeCopies.get(c.zone, c.id())
	if err == nil && copied.State != created {
		err = newAPIError(http.StatusConflict, "Block storage snapshot %s is %s", copied.Name, copied.State)
	}
	if err != nil {
		return nil, err
	}
	return a.startVolumeCopyTransition(copied, destroying, destroyed)
}
