package api

import (
	"net/http"
	"time"
)

// volume is a block storage volume. It outlives the instance that it is attached to.
type volume struct {
	row
	transition
	Name     string
	Size     int64 // GiB
	Labels   map[string]string
	Instance string // attached, or being attached
}

type wireVolume struct {
	ID        string            `json:"id"`
	Name      string            `json:"name,omitempty"`
	Size      int64             `json:"size"`
	State     string            `json:"state"`
	CreatedAt time.Time         `json:"created-at"`
	Labels    map[string]string `json:"labels"`
	Instance  *ref              `json:"instance,omitempty"`
	Copies    []ref             `json:"block-storage-snapshots"`
	BlockSize int64             `json:"blocksize"`
	Encrypted bool              `json:"encrypted"`
}

// The states of a volume.
const (
	detached     = "detached"
	attaching    = "attaching"
	attached     = "attached"
	detaching    = "detaching"
	snapshotting = "snapshotting"
)

const (
	// minVolumeSize replaces anything smaller, as in the live service.
	minVolumeSize = 10
	// attachmentQuota applies per instance.
	attachmentQuota = "block-storage-volume-attachments"
	volumeSizeQuota = "block-storage-max-size"
)

func (a *API) registerVolumeRoutes(register func(string, handler)) {
	register("GET /block-storage", a.listVolumes)
	register("POST /block-storage", a.createVolume)
	register("GET /block-storage/{id}", func(c *call) (any, error) {
		v, err := a.tables.volumes.get(c.zone, c.id())
		return a.viewVolume(v), err
	})
	register("PUT /block-storage/{id}", a.updateVolume)
	register("DELETE /block-storage/{id}", a.deleteVolume)
	register("PUT /block-storage/{id}/:attach", a.attachVolume)
	register("PUT /block-storage/{id}/:detach", a.detachVolume)
	register("PUT /block-storage/{id}/:resize-volume", a.resizeVolume)
	register("POST /block-storage/{id}/:create-snapshot", a.copyVolume)
}

func (a *API) viewVolume(v volume) wireVolume {
	view := wireVolume{
		ID: v.ID, Name: v.Name, Size: v.Size, State: v.State, CreatedAt: v.Created.Truncate(time.Second), Labels: v.Labels,
		Instance: newOptionalRef(v.Instance), Copies: []ref{}, BlockSize: 4096, Encrypted: true,
	}
	for _, copied := range a.findVolumeCopies(v.ID) {
		view.Copies = append(view.Copies, ref{copied.ID})
	}
	return view
}

func (a *API) listVolumes(c *call) (any, error) {
	list, instance := []wireVolume{}, c.query("instance-id")
	for _, v := range a.tables.volumes.list(c.zone) {
		if instance == "" || instance == v.Instance {
			list = append(list, a.viewVolume(v))
		}
	}
	return map[string]any{"block-storage-volumes": list}, nil
}

// countVolumeSize returns the usage of the quota, in GiB.
func (a *API) countVolumeSize() int {
	sum := 0
	for _, v := range a.tables.volumes.listAll() {
		sum += int(v.Size)
	}
	return sum
}

type volumeRequest struct {
	Name   string            `json:"name"`
	Size   int64             `json:"size"`
	Labels map[string]string `json:"labels"`
	Copy   *ref              `json:"block-storage-snapshot"`
}

func (a *API) createVolume(c *call) (any, error) {
	body := volumeRequest{Labels: map[string]string{}}
	if err := check(c.decode(&body), checkLength("name", body.Name, 0, 255), a.sizeVolume(c.zone, &body)); err != nil {
		return nil, err
	}
	err := check(a.checkQuota("block-storage-volume", 1), a.checkQuota("block-storage", int(body.Size)))
	if err != nil {
		return nil, err
	}
	head, err := a.newZonedRow(c)
	if err != nil {
		return nil, err
	}
	return a.startVolumeTransition(volume{row: head, Name: body.Name, Size: body.Size, Labels: body.Labels}, creating, detached)
}

// sizeVolume sets the default size, that of the snapshot, and raises it to the minimum.
func (a *API) sizeVolume(zone string, body *volumeRequest) error {
	least := int64(1)
	if body.Copy != nil {
		source, err := a.tables.volumeCopies.get(zone, body.Copy.ID)
		if err != nil {
			return err
		}
		least = source.VolumeSize
		if body.Size == 0 {
			body.Size = least
		}
	}
	err := checkRange("size", body.Size, least, int64(a.limits[volumeSizeQuota]))
	body.Size = max(body.Size, minVolumeSize)
	return err
}

func (a *API) startVolumeTransition(v volume, by, to string) (any, error) {
	delay := computeDuration(v.ID)
	a.setTransition(a.tables.volumes.noun, v.row, &v.transition, by, to, delay)
	if err := a.tables.volumes.put(v); err != nil {
		return nil, err
	}
	return a.begin(v.Zone, delay, operation{Wire: wireOperation{Reference: newReference("block-storage", v.ID)}})
}

func (a *API) updateVolume(c *call) (any, error) {
	v, err := a.tables.volumes.get(c.zone, c.id())
	if err != nil {
		return nil, err
	}
	body := volumeRequest{Name: v.Name}
	if err := check(c.decode(&body), checkLength("name", body.Name, 0, 255)); err != nil {
		return nil, err
	}
	v.Name = body.Name
	if body.Labels != nil {
		v.Labels = body.Labels
	}
	if err := a.tables.volumes.put(v); err != nil {
		return nil, err
	}
	return a.startOperation(v.row, "block-storage")
}

func (a *API) deleteVolume(c *call) (any, error) {
	v, err := a.requireVolumeState(c, detached)
	if err != nil {
		return nil, err
	}
	return a.startVolumeTransition(v, deleting, destroyed)
}

func (a *API) requireVolumeState(c *call, state string) (volume, error) {
	v, err := a.tables.volumes.get(c.zone, c.id())
	if err == nil && v.State != state {
		err = newAPIError(http.StatusConflict, "Block storage volume %s is %s, not %s", v.ID, v.State, state)
	}
	return v, err
}
