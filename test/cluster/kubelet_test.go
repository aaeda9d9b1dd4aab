package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/wait"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/util/retry"

	"exoshift/internal/network"
)

// kubelets are the nodes of a cluster: they take pods that nobody has yet, and run their commands as processes in containers of
// the unpacked image.
type kubelets struct {
	t         *testing.T
	client    *kubernetes.Clientset
	namespace string
	root      string // of the image
	shared    string // a directory that every container sees as /zone
	entry     []string
	env       []string // of the image
	dir       string

	mu    sync.Mutex
	nodes []string
	pods  map[types.UID]*runningPod
	next  int // node
	peak  int // bytes that all processes had at once
}

// logTail is how much of the output of a pod that fails is printed, in bytes.
const logTail = 4000

type runningPod struct {
	name, node string
	lost       bool      // with its node: nobody reports how it ended
	command    *exec.Cmd // nil before it is started
	ended      bool
	log        string
}

// run schedules and runs pods until ctx ends.
func (k *kubelets) run(ctx context.Context) {
	for (network.Clock{}).Sleep(ctx, 300*time.Millisecond) == nil {
		pods, err := k.client.CoreV1().Pods(k.namespace).List(ctx, metav1.ListOptions{})
		if err != nil {
			continue
		}
		for n := range pods.Items {
			if err := k.sync(ctx, &pods.Items[n]); err != nil && ctx.Err() == nil {
				k.t.Logf("pod %s: %v", pods.Items[n].Name, err)
			}
		}
		k.measure()
	}
}

func (k *kubelets) sync(ctx context.Context, pod *corev1.Pod) error {
	k.mu.Lock()
	known := k.pods[pod.UID]
	if known == nil && pod.DeletionTimestamp == nil && pod.Status.Phase == corev1.PodPending {
		known = &runningPod{name: pod.Name, node: k.nodes[k.next%len(k.nodes)]}
		k.pods[pod.UID], k.next = known, k.next+1
	}
	k.mu.Unlock()
	switch {
	case known == nil:
		return nil
	case pod.Spec.NodeName == "":
		binding := &corev1.Binding{ObjectMeta: metav1.ObjectMeta{Name: pod.Name, UID: pod.UID}, Target: corev1.ObjectReference{Kind: "Node", Name: known.node}}
		return k.client.CoreV1().Pods(k.namespace).Bind(ctx, binding, metav1.CreateOptions{})
	case known.command == nil && pod.DeletionTimestamp == nil:
		return k.start(ctx, pod, known)
	case pod.DeletionTimestamp != nil && !known.lost:
		return known.signal(syscall.SIGTERM)
	}
	return nil
}

func (p *runningPod) signal(signal syscall.Signal) error {
	if p.command == nil {
		return nil
	}
	if err := syscall.Kill(-p.command.Process.Pid, signal); !errors.Is(err, syscall.ESRCH) {
		return err
	}
	return nil
}

func (p *runningPod) hasPrinted(text string) bool {
	content, err := os.ReadFile(p.log)
	return err == nil && strings.Contains(string(content), text)
}

// start runs the one container of a pod.
func (k *kubelets) start(ctx context.Context, pod *corev1.Pod, known *runningPod) error {
	spec := pod.Spec.Containers[0]
	dir := filepath.Join(k.dir, pod.Name)
	env, err := k.environment(ctx, pod, spec)
	if err != nil {
		return err
	}
	c := container{root: k.root, env: append(append([]string{}, k.env...), env...), mounts: map[string]string{k.shared: "/zone"}, user: "65532:0"}
	for _, mount := range spec.VolumeMounts {
		path, err := k.volume(ctx, pod, mount.Name, filepath.Join(dir, mount.Name))
		if err != nil {
			return err
		}
		c.mounts[path] = mount.MountPath
	}
	arguments := append([]string{}, k.entry...)
	for _, argument := range spec.Args {
		arguments = append(arguments, expand(argument, env))
	}
	known.log = filepath.Join(dir, "log")
	log, err := os.Create(known.log)
	if err != nil {
		return err
	}
	defer func() { _ = log.Close() }()
	command := c.command(arguments...)
	command.Stdout, command.Stderr = log, log
	k.mu.Lock()
	defer k.mu.Unlock()
	if known.lost {
		return nil
	}
	if err := command.Start(); err != nil {
		return err
	}
	known.command = command
	go k.await(context.WithoutCancel(ctx), pod, known)
	return nil
}

// await reports that the container runs, and how it has ended.
func (k *kubelets) await(ctx context.Context, pod *corev1.Pod, known *runningPod) {
	running := corev1.ContainerState{Running: &corev1.ContainerStateRunning{StartedAt: metav1.Now()}}
	if err := k.report(ctx, pod.Name, corev1.PodRunning, running); err != nil {
		k.t.Logf("pod %s: report that it runs: %v", pod.Name, err)
	}
	err := known.command.Wait()
	k.mu.Lock()
	known.ended = true
	lost := known.lost
	k.mu.Unlock()
	if lost {
		return
	}
	if exit := (*exec.ExitError)(nil); err != nil && !errors.As(err, &exit) {
		k.t.Logf("pod %s: %v", pod.Name, err)
	}
	code, phase := known.command.ProcessState.ExitCode(), corev1.PodFailed
	if status, is := known.command.ProcessState.Sys().(syscall.WaitStatus); is && status.Signaled() {
		code = 128 + int(status.Signal())
	}
	if code == 0 {
		phase = corev1.PodSucceeded
	}
	k.t.Logf("pod %s on %s ended with exit code %d", pod.Name, known.node, code)
	if said, err := os.ReadFile(known.log); err == nil && phase == corev1.PodFailed {
		k.t.Logf("pod %s printed at its end: %s", pod.Name, said[max(0, len(said)-logTail):])
	}
	ended := corev1.ContainerState{Terminated: &corev1.ContainerStateTerminated{ExitCode: int32(code), FinishedAt: metav1.Now()}}
	if err := k.report(ctx, pod.Name, phase, ended); err != nil {
		k.t.Logf("pod %s: report how it ended: %v", pod.Name, err)
	}
	now := int64(0)
	if current, err := k.client.CoreV1().Pods(k.namespace).Get(ctx, pod.Name, metav1.GetOptions{}); err == nil && current.DeletionTimestamp != nil {
		_ = k.client.CoreV1().Pods(k.namespace).Delete(ctx, pod.Name, metav1.DeleteOptions{GracePeriodSeconds: &now})
	}
}

func (k *kubelets) report(ctx context.Context, name string, phase corev1.PodPhase, state corev1.ContainerState) error {
	again := func(err error) bool { return !apierrors.IsNotFound(err) }
	return retry.OnError(wait.Backoff{Duration: 100 * time.Millisecond, Factor: 2, Steps: 9}, again, func() error {
		pod, err := k.client.CoreV1().Pods(k.namespace).Get(ctx, name, metav1.GetOptions{})
		if err != nil {
			return err
		}
		pod.Status.Phase = phase
		pod.Status.ContainerStatuses = []corev1.ContainerStatus{{Name: pod.Spec.Containers[0].Name, Image: pod.Spec.Containers[0].Image, State: state}}
		_, err = k.client.CoreV1().Pods(k.namespace).UpdateStatus(ctx, pod, metav1.UpdateOptions{})
		return err
	})
}

// environment returns the variables of a container, those that are referred to before those that refer.
func (k *kubelets) environment(ctx context.Context, pod *corev1.Pod, spec corev1.Container) (env []string, err error) {
	for _, from := range spec.EnvFrom {
		values := map[string]string{}
		if from.ConfigMapRef != nil {
			found, err := k.client.CoreV1().ConfigMaps(k.namespace).Get(ctx, from.ConfigMapRef.Name, metav1.GetOptions{})
			if err != nil {
				return nil, err
			}
			values = found.Data
		} else {
			found, err := k.client.CoreV1().Secrets(k.namespace).Get(ctx, from.SecretRef.Name, metav1.GetOptions{})
			if err != nil {
				return nil, err
			}
			for name, value := range found.Data {
				values[name] = string(value)
			}
		}
		for name, value := range values {
			if !strings.Contains(name, ".") { // as Kubernetes leaves out what is no name of a variable
				env = append(env, name+"="+value)
			}
		}
	}
	fields := map[string]string{"metadata.name": pod.Name, "metadata.namespace": pod.Namespace}
	for _, variable := range spec.Env {
		value := expand(variable.Value, env)
		if variable.ValueFrom != nil {
			value = fields[variable.ValueFrom.FieldRef.FieldPath]
		}
		env = append(env, variable.Name+"="+value)
	}
	return env, nil
}

// expand replaces $(NAME).
func expand(text string, env []string) string {
	for _, variable := range env {
		name, value, _ := strings.Cut(variable, "=")
		text = strings.ReplaceAll(text, "$("+name+")", value)
	}
	return text
}

// volume makes the directory of a volume.
func (k *kubelets) volume(ctx context.Context, pod *corev1.Pod, name, dir string) (string, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	if err := os.Chmod(dir, 0o777); err != nil { // as an emptyDir has
		return "", err
	}
	for _, volume := range pod.Spec.Volumes {
		files := map[string][]byte{}
		switch {
		case volume.Name != name:
			continue
		case volume.ConfigMap != nil:
			found, err := k.client.CoreV1().ConfigMaps(k.namespace).Get(ctx, volume.ConfigMap.Name, metav1.GetOptions{})
			if err != nil {
				return "", err
			}
			for _, item := range volume.ConfigMap.Items {
				files[item.Path] = []byte(found.Data[item.Key])
			}
		case volume.Secret != nil:
			found, err := k.client.CoreV1().Secrets(k.namespace).Get(ctx, volume.Secret.SecretName, metav1.GetOptions{})
			if err != nil {
				return "", err
			}
			for _, item := range volume.Secret.Items {
				files[item.Path] = found.Data[item.Key]
			}
		}
		for path, content := range files {
			if err := os.WriteFile(filepath.Join(dir, path), content, 0o644); err != nil {
				return "", err
			}
		}
	}
	return dir, nil
}

// list returns the pods of a node that run; "" is any node.
func (k *kubelets) list(node string) (pods []*runningPod) {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, pod := range k.pods {
		if pod.command != nil && !pod.ended && (node == "" || pod.node == node) {
			pods = append(pods, pod)
		}
	}
	return pods
}

// lose ends a node with everything on it: nobody reports anything of it any more.
func (k *kubelets) lose(node string) (pods int) {
	running := k.list(node)
	k.mu.Lock()
	for _, pod := range k.pods {
		pod.lost = pod.lost || pod.node == node && !pod.ended
	}
	k.nodes = without(k.nodes, node)
	k.mu.Unlock()
	for _, pod := range running {
		_ = pod.signal(syscall.SIGKILL)
	}
	return len(running)
}

func without(nodes []string, lost string) (left []string) {
	for _, node := range nodes {
		if node != lost {
			left = append(left, node)
		}
	}
	return left
}

// measure adds up the memory of all runs.
func (k *kubelets) measure() {
	sum := 0
	for _, pod := range k.list("") {
		sum += residentMemory(pod.command.Process.Pid)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.peak = max(k.peak, sum)
}

// residentMemory returns bytes; 0 of a process that has ended.
func residentMemory(pid int) int {
	content, err := os.ReadFile(fmt.Sprintf("/proc/%d/statm", pid))
	if err != nil {
		return 0
	}
	var whole, resident int
	if _, err := fmt.Sscan(string(content), &whole, &resident); err != nil {
		return 0
	}
	return resident * os.Getpagesize()
}
