package storage

import (
	"net/http"
	"time"

	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

// snapshot is a snapshot of a block storage volume. That it outlives the volume is our reading.
type snapshot struct {
	resource.Row
	resource.Transition
	Name       string
	Labels     map[string]string
	Volume     string
	VolumeSize int64 // GiB
}

type wireSnapshot struct {
	ID         string            `json:"id"`
	Name       string            `json:"name"`
	Size       int64             `json:"size"`
	VolumeSize int64             `json:"volume-size"`
	CreatedAt  time.Time         `json:"created-at"`
	State      string            `json:"state"`
	Labels     map[string]string `json:"labels,omitempty"`
	Volume     resource.Ref      `json:"block-storage-volume"`
}

const (
	created = "created"
	// maxSnapshots is the limit of a volume.
	maxSnapshots = 20
)

func (v snapshot) view() wireSnapshot {
	return wireSnapshot{
		ID: v.ID, Name: v.Name, Size: v.VolumeSize, VolumeSize: v.VolumeSize, CreatedAt: v.Created.Truncate(time.Second),
		State: v.State, Labels: v.Labels, Volume: resource.Ref{ID: v.Volume},
	}
}

func (s *Volumes) listSnapshots(req *rest.Request) (any, error) {
	list := []wireSnapshot{}
	for _, made := range s.snapshots.List(req.Zone) {
		list = append(list, made.view())
	}
	return map[string]any{"block-storage-snapshots": list}, nil
}

func (s *Volumes) findSnapshots(volume string) []snapshot {
	return s.snapshots.Filter(func(v snapshot) bool { return v.Volume == volume })
}

// createSnapshot refuses a volume with a pending change; it may be attached.
func (s *Volumes) createSnapshot(req *rest.Request) (any, error) {
	v, err := s.table.Get(req.Zone, req.ID())
	switch {
	case err != nil:
		return nil, err
	case v.Next != "":
		return nil, rest.Errorf(http.StatusConflict, "Block storage volume %s is %s", v.ID, v.State)
	case len(s.findSnapshots(v.ID)) >= maxSnapshots:
		return nil, rest.Errorf(http.StatusForbidden, "Block storage volume %s has %d snapshots already", v.ID, maxSnapshots)
	}
	body := volumeRequest{Name: v.Name + "-" + s.store.Now().Format("20060102150405"), Labels: map[string]string{}}
	if err := rest.FirstError(req.DecodeOptional(&body), rest.CheckLength("name", body.Name, 1, 255)); err != nil {
		return nil, err
	}
	head, err := s.store.NewZonedRow(req)
	if err != nil {
		return nil, err
	}
	made := snapshot{Row: head, Name: body.Name, Labels: body.Labels, Volume: v.ID, VolumeSize: v.Size}
	answer, err := s.snapshots.Start(made, resource.Creating, created, resource.Duration(made.ID))
	if err != nil {
		return nil, err
	}
	s.table.SetTransition(&v, resource.Snapshotting, v.State, resource.Duration(head.ID))
	return answer, s.table.Put(v)
}

func (s *Volumes) updateSnapshot(req *rest.Request) (any, error) {
	made, err := s.snapshots.Get(req.Zone, req.ID())
	if err != nil {
		return nil, err
	}
	body := volumeRequest{Name: made.Name}
	if err := rest.FirstError(req.Decode(&body), rest.CheckLength("name", body.Name, 1, 255)); err != nil {
		return nil, err
	}
	made.Name = body.Name
	if body.Labels != nil {
		made.Labels = body.Labels
	}
	return s.snapshots.Save(made)
}

func (s *Volumes) deleteSnapshot(req *rest.Request) (any, error) {
	made, err := s.snapshots.Get(req.Zone, req.ID())
	if err == nil && made.State != created {
		err = rest.Errorf(http.StatusConflict, "Block storage snapshot %s is %s", made.Name, made.State)
	}
	if err != nil {
		return nil, err
	}
	return s.snapshots.Start(made, resource.Destroying, resource.Destroyed, resource.Duration(made.ID))
}
