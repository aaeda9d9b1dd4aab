package supportbundle

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/provisioner/install/network"
	"exoshift/state"
)

// scene is a cloud and a cluster with data to gather.
type scene struct {
	network.Cloud
	machines []state.Instance
	objects  []state.Object
	denied   error
	hang     bool
}

func (s scene) ListInstances(ctx context.Context, _ map[string]string) ([]state.Instance, error) {
	if s.hang {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	return s.machines, nil
}

func (s scene) ListObjects(ctx context.Context) ([]state.Object, error) {
	if s.hang {
		<-ctx.Done()
		return nil, context.Cause(ctx)
	}
	return s.objects, s.denied
}

func (s scene) ListMissingRules(context.Context, state.SecurityGroup) ([]state.Rule, error) {
	return nil, nil
}

// exhibition is a cluster with files to dump.
type exhibition struct {
	files map[string]int // size in bytes by name
	hang  bool
	crash bool
}

func (e exhibition) Dump(ctx context.Context, write func(string, []byte) error) error {
	if e.crash {
		panic("a defect of the client")
	}
	if e.hang {
		<-ctx.Done()
		return context.Cause(ctx)
	}
	for name, size := range e.files {
		if err := write(name, []byte(strings.Repeat(strings.Repeat("x", 99)+"\n", size/100))); err != nil {
			return err
		}
	}
	return nil
}

// impatient is a clock that never waits.
type impatient struct{}

func (impatient) Now() time.Time { return time.Now() }

func (impatient) Sleep(ctx context.Context, _ time.Duration) error { return ctx.Err() }

func failed(t *testing.T, cloud scene, cluster exhibition) Gatherer {
	t.Helper()
	folder, err := state.Create(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	spec := state.Default()
	spec.Cluster.ID = "c-1"
	return Gatherer{Spec: spec, Folder: folder, Clock: impatient{}, Cloud: cloud, Cluster: cluster, SecurityGroups: network.NewSecurityGroups(spec, cloud)}
}

// indexOf reads the index of the gathered data, and checks that its files exist.
func indexOf(t *testing.T, kept Gathered) bundleIndex {
	t.Helper()
	content, err := os.ReadFile(filepath.Join(kept.Path, "index.json"))
	if err != nil {
		t.Fatal(err)
	}
	var found bundleIndex
	if err := json.Unmarshal(content, &found); err != nil {
		t.Fatal(err)
	}
	for _, file := range found.Files {
		if info, err := os.Stat(filepath.Join(kept.Path, file.Name)); err != nil || info.Size() != int64(file.Bytes) || info.Mode() != 0o600 {
			t.Errorf("%s: %v, %v", file.Name, info, err)
		}
	}
	return found
}

func TestGather_OwnClusterOnly(t *testing.T) {
	cloud := scene{
		machines: []state.Instance{{Name: "master-0", UserData: []byte("a key")}},
		objects: []state.Object{
			{Kind: state.KindInstance, Name: "master-0", Labels: map[string]string{state.LabelCluster: "c-1"}},
			{Kind: state.KindSecurityGroup, Name: "c-1_control_plane", ID: "7"},
			{Kind: state.KindInstance, Name: "payroll", Labels: map[string]string{state.LabelCluster: "c-10"}},
		},
		denied: errors.New("may not list volumes"),
	}
	g := failed(t, cloud, exhibition{files: map[string]int{"nodes.jsonl": 1000}})
	journal, err := g.Folder.OpenJournal(time.Now)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(journal.RecordResult(state.KindSecurityGroup, "c-1_control_plane", "7", state.Created), journal.Close()); err != nil {
		t.Fatal(err)
	}
	host := &state.BootstrapHost{
		Services: []state.ServiceRecord{{Service: "bootkube", Failure: "cvo-bootstrap failed"}},
		Lines:    []state.JournalLine{{At: time.Unix(0, 0), Unit: "bootkube.service", Text: "waits"}},
	}
	kept, missing := g.Gather(t.Context(), Known{BootstrapHost: host}, errors.New("etcd gave up"))
	if missing == nil || !strings.Contains(missing.Error(), "may not list volumes") {
		t.Errorf("missing: %v", missing)
	}
	found := indexOf(t, kept)
	if found.Failure != "etcd gave up" || len(found.Missing) != 1 || len(found.Files) != kept.Files {
		t.Errorf("index: %+v", found)
	}
	all := contentBelow(t, kept.Path)
	for _, want := range []string{"master-0", "c-1_control_plane", "xxx", "cvo-bootstrap failed", "1970-01-01T00:00:00Z bootkube.service: waits\n"} {
		if !strings.Contains(all, want) {
			t.Errorf("%s is not there", want)
		}
	}
	for _, unwanted := range []string{"payroll", "a key", "YSBrZXk"} {
		if strings.Contains(all, unwanted) {
			t.Errorf("%s is there", unwanted)
		}
	}
}

func contentBelow(t *testing.T, dir string) string {
	t.Helper()
	var all strings.Builder
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		content, err := os.ReadFile(filepath.Join(dir, path))
		all.Write(content)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all.String()
}

func TestGather_EndsAfterMinute(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := failed(t, scene{hang: true}, exhibition{hang: true})
		began := time.Now()
		kept, missing := g.Gather(t.Context(), Known{}, errors.New("no answer"))
		if took := time.Since(began); took > gatherTime {
			t.Errorf("it took %s", took)
		}
		if !errors.Is(missing, context.DeadlineExceeded) || kept.Files < 2 {
			t.Errorf("%+v, %v", kept, missing)
		}
		indexOf(t, kept)
	})
}

func TestGather_EndsWithRun(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := failed(t, scene{hang: true}, exhibition{hang: true})
		ctx, stop := context.WithCancel(t.Context())
		time.AfterFunc(time.Second, stop)
		began := time.Now()
		if _, missing := g.Gather(ctx, Known{}, errors.New("x")); !errors.Is(missing, context.Canceled) || time.Since(began) > 2*time.Second {
			t.Errorf("after %s: %v", time.Since(began), missing)
		}
	})
}

func TestGather_LimitsSize(t *testing.T) {
	files := map[string]int{}
	for n := range 15 {
		files[fmt.Sprintf("large-%d", n)] = 3 << 20
	}
	g := failed(t, scene{}, exhibition{files: files})
	kept, _ := g.Gather(t.Context(), Known{}, errors.New("x"))
	found := indexOf(t, kept)
	if kept.Bytes > allLimit || kept.Bytes < allLimit-fileLimit {
		t.Errorf("%d bytes in all", kept.Bytes)
	}
	for _, file := range found.Files {
		if file.Bytes > fileLimit || strings.HasPrefix(file.Name, "cluster/") && file.Cut == 0 {
			t.Errorf("%+v", file)
		}
	}
	if !strings.HasSuffix(contentBelow(t, filepath.Join(kept.Path, "cluster")), "x\n") {
		t.Error("a line is cut in two")
	}
}

func TestGather_PanicKeepsRest(t *testing.T) {
	g := failed(t, scene{machines: []state.Instance{{Name: "master-0"}}}, exhibition{crash: true})
	kept, missing := g.Gather(t.Context(), Known{}, errors.New("x"))
	if missing == nil || !strings.Contains(contentBelow(t, kept.Path), "master-0") {
		t.Errorf("%+v, %v", kept, missing)
	}
}

func TestGather_KeepsNewest(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		g := failed(t, scene{}, exhibition{})
		if err := g.Folder.Write(filepath.Join(state.GatheredDir, "mine", "notes"), nil); err != nil {
			t.Fatal(err)
		}
		var made []string
		for range 8 {
			kept, _ := g.Gather(t.Context(), Known{}, errors.New("x"))
			made = append(made, kept.Path)
			time.Sleep(time.Hour)
		}
		kept, err := g.Folder.ListGathered()
		if err != nil || len(kept) != 5 || g.Folder.Path(kept[0]) != made[7] || g.Folder.Path(kept[4]) != made[3] {
			t.Errorf("%v, %v", kept, err)
		}
		if _, err := g.Folder.Read(filepath.Join(state.GatheredDir, "mine", "notes")); err != nil {
			t.Error(err)
		}
	})
}
