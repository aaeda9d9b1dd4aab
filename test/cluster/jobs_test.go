package cluster

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"filippo.io/age"
	batchv1 "k8s.io/api/batch/v1"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/kubernetes"

	"exoshift/internal/network"
)

// jobsVariable says how many clusters are installed at once; make bench sets it to 20.
const jobsVariable = "EXOSHIFT_JOBS"

// jobsMemoryLimit is of all runs together, in bytes.
const jobsMemoryLimit = 3e9

// Waiting for something ends, on a machine that does other things, too, after jobsBase and jobsEach for each cluster.
const (
	jobsBase = 8 * time.Minute
	jobsEach = 2 * time.Minute
)

// TestJobs_InstallAtOnce installs clusters as Jobs, by the manifests as they are: two pods are killed and a node is lost meanwhile.
func TestJobs_InstallAtOnce(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes minutes")
	}
	count := 3
	if given, err := strconv.Atoi(os.Getenv(jobsVariable)); err == nil {
		count = given
	}
	root, of := unpack(t)
	prepare(t, root)
	p := start(t)
	w := jobsWorld{t: t, plane: p, count: count, dir: t.TempDir()}
	must(t, os.Chmod(w.dir, 0o755))
	w.typed, _ = p.objects(t)
	w.openZone(root, of)
	w.openState(root, of)
	w.apply()
	w.controllers()
	ctx, stop := context.WithCancel(t.Context())
	k := &kubelets{
		t: t, client: w.typed, namespace: "exoshift", root: root, shared: w.zoneDir, entry: of.Config.Config.Entrypoint, env: of.Config.Config.Env,
		dir: filepath.Join(w.dir, "pods"), nodes: []string{"node-0", "node-1", "node-2"}, pods: map[types.UID]*runningPod{},
	}
	w.addNodes(k.nodes)
	began, ended := time.Now(), make(chan struct{})
	go func() { defer close(ended); k.run(ctx) }()
	w.disturb(k)
	w.await(k)
	t.Logf("%d clusters within %s; the runs had %d MB together at most, the zone %d MB", count, time.Since(began).Round(time.Second), k.peak/1e6, w.zoneMemory()/1e6)
	stop()
	<-ended
	if k.peak > jobsMemoryLimit {
		t.Errorf("the runs had %d bytes at once, the limit is %.0f", k.peak, float64(jobsMemoryLimit))
	}
	w.checkFleet(root, of)
}

// prepare adds to the unpacked image what the openshift-install of a simulated zone needs, a shell, and what an engine makes: the
// points where volumes are mounted.
func prepare(t *testing.T, root string) {
	t.Helper()
	for _, dir := range []string{"zone", "run/exoshift", "etc/exoshift", "usr/bin", "usr/lib", "dev"} {
		must(t, os.MkdirAll(filepath.Join(root, dir), 0o755))
	}
	for name, to := range map[string]string{"bin": "usr/bin", "lib": "usr/lib", "lib64": "usr/lib64"} {
		must(t, os.Symlink(to, filepath.Join(root, name)))
	}
	must(t, copyShell(root))
	must(t, syscall.Mknod(filepath.Join(root, "dev/null"), syscall.S_IFCHR|0o666, 1<<8|3))
	must(t, os.Chmod(filepath.Join(root, "dev/null"), 0o666))
}

// copyShell copies the shell of this machine and the libraries that it is linked with.
func copyShell(root string) error {
	shell, err := filepath.EvalSymlinks("/bin/sh")
	if err != nil {
		return err
	}
	listed, err := exec.Command("ldd", shell).Output()
	if err != nil {
		return err
	}
	copies := map[string]string{shell: "usr/bin/sh"}
	for word := range strings.FieldsSeq(string(listed)) {
		if strings.HasPrefix(word, "/") {
			copies[word] = strings.TrimPrefix(word, "/")
			if !strings.HasPrefix(word, "/usr/") { // the directories are links in the container
				copies[word] = "usr" + word
			}
		}
	}
	for from, to := range copies {
		content, err := os.ReadFile(from)
		if err != nil {
			return err
		}
		path := filepath.Join(root, to)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, content, 0o755); err != nil {
			return err
		}
	}
	return nil
}

type jobsWorld struct {
	t       *testing.T
	plane   *plane
	typed   *kubernetes.Clientset
	count   int
	dir     string
	zoneDir string
	zone    *exec.Cmd
	jobs    *process          // the controllers
	env     map[string]string // of the zone's clients
	state   string
	key     string // age identity
}

func (w *jobsWorld) id(n int) string { return fmt.Sprintf("c-job-%02d", n+1) }

// openZone starts a standing zone in a container of the image: the openshift-install that it offers is the program at the same path.
func (w *jobsWorld) openZone(root string, of image) {
	t := w.t
	w.zoneDir = filepath.Join(w.dir, "zone")
	must(t, os.MkdirAll(w.zoneDir, 0o755))
	home, tmp := t.TempDir(), t.TempDir()
	c := container{root: root, mounts: map[string]string{w.zoneDir: "/zone", home: "/home/exoshift", tmp: "/tmp"}, env: of.Config.Config.Env, user: "0:0"}
	env := filepath.Join(w.zoneDir, "zone.env")
	w.zone = c.command("/usr/local/bin/exoshift", "simulate", "--dir", "/zone/kept", "--env", "/zone/zone.env", "--speed", "300",
		"--quota", "elastic-ip=100,iam-key=1000,bucket=1000,instance=2000,template=100")
	log, err := os.Create(filepath.Join(w.dir, "zone.log"))
	must(t, err)
	w.zone.Stdout, w.zone.Stderr = log, log
	must(t, w.zone.Start())
	ended := make(chan struct{})
	go func() { _ = w.zone.Wait(); close(ended) }()
	t.Cleanup(func() {
		_ = w.zone.Process.Signal(os.Interrupt)
		select {
		case <-ended:
		case <-time.After(time.Minute):
			_ = w.zone.Process.Signal(syscall.SIGQUIT)
			<-ended
			said, _ := os.ReadFile(log.Name())
			t.Errorf("the zone did not end when it was interrupted: %s", said[max(0, len(said)-60_000):])
		}
	})
	until(t, func() error {
		select {
		case <-ended:
			said, _ := os.ReadFile(log.Name())
			t.Fatalf("the zone ended: %s", said)
		default:
		}
		exports, err := os.ReadFile(env)
		w.env = map[string]string{}
		for line := range strings.Lines(string(exports)) {
			name, value, _ := strings.Cut(strings.TrimPrefix(strings.TrimSpace(line), "export "), "=")
			w.env[name] = strings.Trim(value, "'")
		}
		return err
	})
	must(t, exec.Command("chmod", "-R", "a+rX", w.zoneDir).Run())
}

func (w *jobsWorld) zoneMemory() int { return residentMemory(w.zone.Process.Pid) }

// openState sets shared state up in the zone's object storage.
func (w *jobsWorld) openState(root string, of image) {
	identity, err := age.GenerateX25519Identity()
	must(w.t, err)
	w.key, w.state = identity.String(), "s3://exoshift-fleet/prod?endpoint="+w.env["AWS_ENDPOINT_URL_S3"]
	if said, err := w.exoshift(root, of, "state", "init", w.state, "--recipient", identity.Recipient().String(), "--yes"); err != nil {
		w.t.Fatalf("%v: %s", err, said)
	}
}

// exoshift runs the program as a member of the team does.
func (w *jobsWorld) exoshift(root string, of image, arguments ...string) (string, error) {
	home, tmp := w.t.TempDir(), w.t.TempDir()
	must(w.t, os.WriteFile(filepath.Join(home, "identity"), []byte(w.key), 0o600))
	c := container{
		root: root, user: "0:0", mounts: map[string]string{w.zoneDir: "/zone", home: "/home/exoshift", tmp: "/tmp"},
		env: append(append([]string{}, of.Config.Config.Env...), "EXOSHIFT_AGE_IDENTITY=/home/exoshift/identity", "EXOSHIFT_STATE="+w.state),
	}
	if w.key == "" {
		c.env = c.env[:len(c.env)-2]
	}
	for name, value := range w.env {
		c.env = append(c.env, name+"="+value)
	}
	var said bytes.Buffer
	command := c.command(append([]string{"/usr/local/bin/exoshift"}, arguments...)...)
	command.Stdout, command.Stderr, command.WaitDelay = &said, &said, 10*time.Second
	must(w.t, command.Start())
	// It prints where it was if it does not end.
	limit := time.AfterFunc(jobsBase, func() { _ = command.Process.Signal(syscall.SIGQUIT) })
	defer limit.Stop()
	err := command.Wait()
	return said.String(), err
}

// apply makes the namespace, its secrets, and an overlay for each cluster.
func (w *jobsWorld) apply() {
	t := w.t
	if said, err := w.plane.kubectl(t, "apply", "-f", filepath.Join(deployment, "namespace.yaml")); err != nil {
		t.Fatalf("%v: %s", err, said)
	}
	for name, data := range map[string]map[string]string{"exoshift-credentials": w.env, "exoshift-identity": {"identity": w.key}} {
		secret := &corev1.Secret{ObjectMeta: metav1.ObjectMeta{Name: name}, StringData: data}
		_, err := w.typed.CoreV1().Secrets("exoshift").Create(t.Context(), secret, metav1.CreateOptions{})
		must(t, err)
	}
	overlays := filepath.Join(w.dir, "kubernetes")
	must(t, os.CopyFS(overlays, os.DirFS(deployment)))
	for n := range w.count {
		dir := filepath.Join(overlays, w.id(n))
		must(t, os.MkdirAll(dir, 0o755))
		for _, name := range []string{"kustomization.yaml", "answers.yaml"} {
			content, err := os.ReadFile(filepath.Join(overlays, "example", name))
			must(t, err)
			changed := strings.NewReplacer("c-demo-1", w.id(n), "s3://fleet/prod?endpoint=https://sos-ch-gva-2.exo.io", w.state).Replace(string(content))
			must(t, os.WriteFile(filepath.Join(dir, name), []byte(changed), 0o600))
		}
		if said, err := w.plane.kubectl(t, "apply", "-k", dir); err != nil {
			t.Fatalf("%v: %s", err, said)
		}
	}
}

// controllers starts those that Jobs need.
func (w *jobsWorld) controllers() {
	config := w.plane.file("manager.kubeconfig")
	w.jobs = launch(w.t, w.plane.file("jobs.log"), "kube-controller-manager", "--kubeconfig="+config, "--bind-address=127.0.0.1", "--secure-port=0", "--leader-elect=false",
		"--controllers=job-controller,cronjob-controller,pod-garbage-collector-controller,ttl-after-finished-controller")
}

func (w *jobsWorld) addNodes(names []string) {
	for _, name := range names {
		_, err := w.typed.CoreV1().Nodes().Create(w.t.Context(), &corev1.Node{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
		must(w.t, err)
	}
}

// disturb kills two pods and loses a node, each in the middle of installations.
func (w *jobsWorld) disturb(k *kubelets) {
	killed := map[*runningPod]bool{}
	w.wait(k, "two installations to change the zone", func() bool {
		for _, pod := range k.list("") {
			if len(killed) < 2 && !killed[pod] && pod.hasPrinted(`"action":"created"`) {
				w.t.Logf("pod %s is killed", pod.name)
				killed[pod] = true
				_ = pod.signal(syscall.SIGKILL)
			}
		}
		return len(killed) == 2
	})
	lost := ""
	w.wait(k, "a run to start nodes", func() bool {
		for _, pod := range k.list("") {
			if pod.hasPrinted(`"name":"worker-0"`) {
				lost = pod.node
			}
		}
		return lost != ""
	})
	w.t.Logf("%s is lost, with %d pods", lost, k.lose(lost))
	must(w.t, w.typed.CoreV1().Nodes().Delete(w.t.Context(), lost, metav1.DeleteOptions{}))
}

func (w *jobsWorld) wait(k *kubelets, what string, done func() bool) {
	w.t.Helper()
	limit := jobsBase + time.Duration(w.count)*jobsEach
	ctx, cancel := context.WithTimeout(w.t.Context(), limit)
	defer cancel()
	for !done() {
		if (network.Clock{}).Sleep(ctx, time.Second) != nil {
			w.logGoroutines(k)
			w.t.Fatalf("waited %s for %s", limit, what)
		}
		w.countComplete()
		for _, needed := range []*process{w.plane.etcd, w.plane.api, w.jobs} {
			select {
			case <-needed.ended:
				w.t.Fatalf("%s ended while the test waited for %s:\n%s", needed.command.Args[1], what, needed.tail())
			default:
			}
		}
	}
}

// logGoroutines ends the zone and the runs, and logs where each of them was.
func (w *jobsWorld) logGoroutines(k *kubelets) {
	w.t.Helper()
	logs := []string{filepath.Join(w.dir, "zone.log")}
	_ = w.zone.Process.Signal(syscall.SIGQUIT)
	for _, pod := range k.list("") {
		_ = pod.signal(syscall.SIGQUIT)
		logs = append(logs, pod.log)
	}
	_ = (network.Clock{}).Sleep(w.t.Context(), 5*time.Second)
	for _, name := range logs {
		content, err := os.ReadFile(name)
		w.t.Logf("%s, %v:\n%s", name, err, content[max(0, len(content)-60_000):])
	}
	pods, err := w.typed.CoreV1().Pods("exoshift").List(w.t.Context(), metav1.ListOptions{})
	if err != nil {
		w.t.Log(err)
		return
	}
	for _, pod := range pods.Items {
		w.t.Logf("pod %s on %q: %s, deleted %v", pod.Name, pod.Spec.NodeName, pod.Status.Phase, pod.DeletionTimestamp)
	}
}

// countComplete counts the Jobs that have succeeded. None may fail.
func (w *jobsWorld) countComplete() (complete int) {
	w.t.Helper()
	jobs, err := w.typed.BatchV1().Jobs("exoshift").List(w.t.Context(), metav1.ListOptions{})
	if err != nil {
		w.t.Logf("list the Jobs: %v", err)
		return 0
	}
	for _, job := range jobs.Items {
		for _, condition := range job.Status.Conditions {
			if condition.Type == batchv1.JobFailed && condition.Status == corev1.ConditionTrue {
				w.t.Fatalf("Job %s: %s: %s", job.Name, condition.Reason, condition.Message)
			}
			if condition.Type == batchv1.JobComplete && condition.Status == corev1.ConditionTrue {
				complete++
			}
		}
	}
	return complete
}

// await waits for the end of all Jobs, and requires that all have succeeded.
func (w *jobsWorld) await(k *kubelets) {
	w.wait(k, "the Jobs", func() bool { return w.countComplete() == w.count })
	failed := 0
	k.mu.Lock()
	for _, pod := range k.pods {
		if pod.lost || pod.command.ProcessState.ExitCode() != 0 {
			failed++
		}
	}
	k.mu.Unlock()
	if failed < 3 {
		w.t.Errorf("%d pods ended early: nothing was disturbed", failed)
	}
}

// checkFleet requires that every cluster is installed, healthy and without drift, and that nothing exists twice.
func (w *jobsWorld) checkFleet(root string, of image) {
	t := w.t
	said, err := w.exoshift(root, of, "fleet", "gate", "--selector", "stage=prod", "--refresh")
	if err != nil || !strings.Contains(said, fmt.Sprintf("All %d selected clusters are healthy", w.count)) {
		t.Errorf("the gate: %v: %s", err, said)
	}
	for n := range w.count {
		said, err := w.exoshift(root, of, "plan", w.id(n), "--expect-no-change", "--output", "json")
		if err != nil {
			t.Errorf("%s: %v: %s", w.id(n), err, said)
			continue
		}
		for line := range strings.Lines(said) {
			if strings.Contains(line, `"action":"surplus"`) {
				t.Errorf("%s: it exists twice, or is left over: %s", w.id(n), line)
			}
		}
	}
}
