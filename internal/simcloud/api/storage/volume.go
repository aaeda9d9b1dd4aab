// Package storage is the block storage of the Exoscale API of a simulated zone, and what the API tells of the object storage.
package storage

import (
	"net/http"
	"time"

	"exoshift/internal/simcloud/api/instance"
	"exoshift/internal/simcloud/api/resource"
	"exoshift/internal/simcloud/api/rest"
)

// volume is a block storage volume. It outlives the instance that it is attached to.
type volume struct {
	resource.Row
	resource.Transition
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
	Labels    map[string]string `json:"labels,omitempty"`
	Instance  *resource.Ref     `json:"instance,omitempty"`
	Snapshots []resource.Ref    `json:"block-storage-snapshots"`
	BlockSize int64             `json:"blocksize"`
	Encrypted bool              `json:"encrypted"`
}

// The states of a volume.
const (
	detached  = "detached"
	attaching = "attaching"
	attached  = "attached"
	detaching = "detaching"
)

const (
	// minVolumeSize replaces anything smaller, as in the live service.
	minVolumeSize = 10
	// attachmentQuota applies per instance.
	attachmentQuota = "block-storage-volume-attachments"
	volumeSizeQuota = "block-storage-max-size"
)

// Volumes are the block storage volumes of all zones with their snapshots.
type Volumes struct {
	store     *resource.Store
	tables    *instance.Tables
	table     *resource.StatefulTable[volume, *volume]
	snapshots *resource.StatefulTable[snapshot, *snapshot]
}

// NewVolumes opens the volumes and their snapshots.
func NewVolumes(store *resource.Store, tables *instance.Tables) *Volumes {
	s := &Volumes{
		store: store, tables: tables,
		table:     resource.OpenStateful[volume](store, "block-storage"),
		snapshots: resource.OpenStateful[snapshot](store, "block-storage-snapshot"),
	}
	store.Quotas.Count("block-storage-volume", s.table.Len)
	store.Quotas.Count("block-storage", s.countSize)
	return s
}

// RegisterRoutes adds the routes of volumes and their snapshots.
func (s *Volumes) RegisterRoutes(register rest.Register) {
	register("GET /block-storage", s.list)
	register("POST /block-storage", s.create)
	register("GET /block-storage/{id}", func(req *rest.Request) (any, error) {
		v, err := s.table.Get(req.Zone, req.ID())
		return s.view(v), err
	})
	register("PUT /block-storage/{id}", s.update)
	register("DELETE /block-storage/{id}", s.delete)
	register("PUT /block-storage/{id}/:attach", s.attach)
	register("PUT /block-storage/{id}/:detach", s.detach)
	register("PUT /block-storage/{id}/:resize-volume", s.resize)
	register("POST /block-storage/{id}/:create-snapshot", s.createSnapshot)
	register("GET /block-storage-snapshot", s.listSnapshots)
	register("GET /block-storage-snapshot/{id}", func(req *rest.Request) (any, error) {
		found, err := s.snapshots.Get(req.Zone, req.ID())
		return found.view(), err
	})
	register("PUT /block-storage-snapshot/{id}", s.updateSnapshot)
	register("DELETE /block-storage-snapshot/{id}", s.deleteSnapshot)
}

func (s *Volumes) view(v volume) wireVolume {
	view := wireVolume{
		ID: v.ID, Name: v.Name, Size: v.Size, State: v.State, CreatedAt: v.Created.Truncate(time.Second), Labels: v.Labels,
		Instance: resource.OptionalRef(v.Instance), Snapshots: []resource.Ref{}, BlockSize: 4096, Encrypted: true,
	}
	for _, copied := range s.findSnapshots(v.ID) {
		view.Snapshots = append(view.Snapshots, resource.Ref{ID: copied.ID})
	}
	return view
}

// RefuseRequests registers routes that refuse every request, as in a zone without block storage. The beginning of the text is
// what a client of Exoscale's looks for, the rest is not recorded.
func RefuseRequests(register rest.Register) rest.Register {
	return func(pattern string, _ rest.Handler) {
		register(pattern, func(*rest.Request) (any, error) {
			return nil, rest.Errorf(http.StatusBadRequest, "Availability of the block storage volumes is limited to other zones")
		})
	}
}

func (s *Volumes) list(req *rest.Request) (any, error) {
	list, attachedTo := []wireVolume{}, req.Query("instance-id")
	for _, v := range s.table.List(req.Zone) {
		if attachedTo == "" || attachedTo == v.Instance {
			list = append(list, s.view(v))
		}
	}
	return map[string]any{"block-storage-volumes": list}, nil
}

// countSize returns the usage of the quota, in GiB.
func (s *Volumes) countSize() int {
	sum := 0
	for _, v := range s.table.All() {
		sum += int(v.Size)
	}
	return sum
}

type volumeRequest struct {
	Name     string            `json:"name"`
	Size     int64             `json:"size"`
	Labels   map[string]string `json:"labels,omitempty"`
	Snapshot *resource.Ref     `json:"block-storage-snapshot"`
}

func (s *Volumes) create(req *rest.Request) (any, error) {
	body := volumeRequest{Labels: map[string]string{}}
	if err := rest.FirstError(req.Decode(&body), rest.CheckLength("name", body.Name, 0, 255), s.setSize(req.Zone, &body)); err != nil {
		return nil, err
	}
	err := rest.FirstError(s.store.Quotas.Check("block-storage-volume", 1), s.store.Quotas.Check("block-storage", int(body.Size)))
	if err != nil {
		return nil, err
	}
	head, err := s.store.NewZonedRow(req)
	if err != nil {
		return nil, err
	}
	v := volume{Row: head, Name: body.Name, Size: body.Size, Labels: body.Labels}
	return s.table.Start(v, resource.Creating, detached, resource.Duration(v.ID))
}

// setSize sets the default size, that of the snapshot, and raises it to the minimum.
func (s *Volumes) setSize(zone string, body *volumeRequest) error {
	least := int64(1)
	if body.Snapshot != nil {
		source, err := s.snapshots.Get(zone, body.Snapshot.ID)
		if err != nil {
			return err
		}
		least = source.VolumeSize
		if body.Size == 0 {
			body.Size = least
		}
	}
	err := rest.CheckRange("size", body.Size, least, int64(s.store.Quotas.Limit(volumeSizeQuota)))
	body.Size = max(body.Size, minVolumeSize)
	return err
}

func (s *Volumes) update(req *rest.Request) (any, error) {
	v, err := s.table.Get(req.Zone, req.ID())
	if err != nil {
		return nil, err
	}
	body := volumeRequest{Name: v.Name}
	if err := rest.FirstError(req.Decode(&body), rest.CheckLength("name", body.Name, 0, 255)); err != nil {
		return nil, err
	}
	v.Name = body.Name
	if body.Labels != nil {
		v.Labels = body.Labels
	}
	return s.table.Save(v)
}

func (s *Volumes) delete(req *rest.Request) (any, error) {
	v, err := s.requireState(req, detached)
	if err != nil {
		return nil, err
	}
	return s.table.Start(v, resource.Deleting, resource.Destroyed, resource.Duration(v.ID))
}

func (s *Volumes) requireState(req *rest.Request, state string) (volume, error) {
	v, err := s.table.Get(req.Zone, req.ID())
	if err == nil && v.State != state {
		err = rest.Errorf(http.StatusConflict, "Block storage volume %s is %s, not %s", v.ID, v.State, state)
	}
	return v, err
}

func (s *Volumes) attach(req *rest.Request) (any, error) {
	v, err := s.requireState(req, detached)
	if err != nil {
		return nil, err
	}
	i, err := s.tables.FindNamed(req)
	if err != nil {
		return nil, err
	}
	if err := s.checkAttachable(i); err != nil {
		return nil, err
	}
	v.Instance = i.ID
	return s.table.Start(v, attaching, attached, resource.Duration(v.ID))
}

// checkAttachable refuses instances that are too small for volumes, have the maximum of volumes, or are being destroyed.
func (s *Volumes) checkAttachable(i instance.Instance) error {
	kind, err := s.tables.FindType(i.Type)
	switch limit := s.store.Quotas.Limit(attachmentQuota); {
	case err != nil:
		return err
	case i.State == resource.Destroying:
		return rest.Errorf(http.StatusConflict, "Instance %s is being destroyed", i.Name)
	case kind.Size == "micro" || kind.Size == "tiny":
		return rest.Invalidf("an instance of type %s can not have block storage volumes", kind.Name())
	case len(s.Attached(i.ID)) >= limit:
		return rest.Errorf(http.StatusForbidden, "Quota exceeded: an instance may have %d of resource %s", limit, attachmentQuota)
	}
	return nil
}

// detach: the error for a volume that is not attached ends with a text that clients of the live service match.
func (s *Volumes) detach(req *rest.Request) (any, error) {
	v, err := s.table.Get(req.Zone, req.ID())
	switch {
	case err != nil:
		return nil, err
	case v.Instance == "":
		return nil, rest.Errorf(http.StatusBadRequest, "Block storage volume %s: Volume not attached", v.ID)
	case v.State != attached:
		return nil, rest.Errorf(http.StatusConflict, "Block storage volume %s is %s, not attached", v.ID, v.State)
	}
	return s.startDetach(v)
}

// startDetach hides the volume from the instance at once.
func (s *Volumes) startDetach(v volume) (any, error) {
	v.Instance = ""
	return s.table.Start(v, detaching, detached, resource.Duration(v.ID))
}

// resize returns the volume instead of an operation.
func (s *Volumes) resize(req *rest.Request) (any, error) {
	v, err := s.table.Get(req.Zone, req.ID())
	if err != nil {
		return nil, err
	}
	var body volumeRequest
	if err := rest.FirstError(req.Decode(&body), s.checkResizable(v), s.checkGrowth(v, body.Size)); err != nil {
		return nil, err
	}
	v.Size = body.Size
	return s.view(v), s.table.Put(v)
}

func (s *Volumes) checkResizable(v volume) error {
	if v.State == detached {
		return nil
	}
	i, known := s.tables.Instances.Lookup(v.Instance)
	if v.State == attached && known && i.State == resource.Stopped {
		return nil
	}
	return rest.Errorf(http.StatusConflict, "Block storage volume %s must be detached, or its instance stopped", v.ID)
}

func (s *Volumes) checkGrowth(v volume, size int64) error {
	return rest.FirstError(
		rest.CheckRange("size", size, v.Size+1, int64(s.store.Quotas.Limit(volumeSizeQuota))),
		s.store.Quotas.Check("block-storage", int(size-v.Size)),
	)
}

// Attached returns the volumes of an instance.
func (s *Volumes) Attached(instanceID string) []resource.Ref {
	list := []resource.Ref{}
	for _, v := range s.table.All() {
		if v.Instance == instanceID {
			list = append(list, resource.Ref{ID: v.ID})
		}
	}
	return list
}

// Detach detaches all volumes of an instance that is deleted.
func (s *Volumes) Detach(instanceID string) error {
	for _, v := range s.table.All() {
		if v.Instance != instanceID {
			continue
		}
		v.Instance = ""
		v.Transition = resource.Transition{State: detached}
		if err := s.table.Put(v); err != nil {
			return err
		}
	}
	return nil
}
