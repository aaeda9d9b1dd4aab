package cluster

import (
	"bytes"
	"encoding/json"
	"errors"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/gorilla/websocket"
	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"exoshift/internal/simcloud/openshift/hostnet"
)

// etcdctlBuilt returns the path of etcd's own client, which is built once.
var etcdctlBuilt = sync.OnceValues(func() (string, error) {
	dir, err := os.MkdirTemp("", "exoshift-etcdctl-")
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, "etcdctl")
	return path, goRun("etcdctl", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", path, ".")
})

// etcdctl returns the path of the program, or skips the test where it cannot be built.
func etcdctl(t *testing.T) string {
	t.Helper()
	path, err := etcdctlBuilt()
	if errors.Is(err, errNoNetwork) {
		t.Skip(err)
	}
	must(t, err)
	return path
}

// memberKubelets runs what is executed in the pods of etcd's members: a kubelet that serves nothing else, on the address of each node.
type memberKubelets struct {
	ring    *ring
	program string
}

// serve starts the kubelet of a node and returns its port.
func (k memberKubelets) serve(t *testing.T, s *story, address string) int32 {
	t.Helper()
	listener, err := net.Listen("tcp4", net.JoinHostPort(address, "0"))
	must(t, err)
	config := hostnet.NewTLSConfig(hostnet.UseCertificate(issueServer(t, s.plane.authority, net.ParseIP(address))))
	ended := make(chan struct{})
	go func() { defer close(ended); _ = hostnet.Serve(t.Context(), listener, config, http.HandlerFunc(k.exec)) }()
	t.Cleanup(func() { <-ended })
	_, port, err := net.SplitHostPort(listener.Addr().String())
	must(t, err)
	number, err := strconv.ParseInt(port, 10, 32)
	must(t, err)
	return int32(number)
}

// exec runs etcdctl with what the container of a real pod has in its environment, and reports its exit code as kubelets do.
func (k memberKubelets) exec(w http.ResponseWriter, r *http.Request) {
	command := r.URL.Query()["command"]
	if !strings.HasSuffix(r.URL.Path, "/etcdctl") || len(command) == 0 || command[0] != "etcdctl" {
		http.Error(w, "unknown container or command: "+r.URL.String(), http.StatusNotFound)
		return
	}
	var endpoints []string
	for _, m := range k.ring.members {
		if m.process != nil {
			endpoints = append(endpoints, m.clients)
		}
	}
	var out, said bytes.Buffer
	run := exec.CommandContext(r.Context(), k.program, command[1:]...)
	run.Env = []string{
		"ETCDCTL_API=3", "ETCDCTL_ENDPOINTS=" + strings.Join(endpoints, ","), "ETCDCTL_CACERT=" + filepath.Join(k.ring.dir, "ca.crt"),
		"ETCDCTL_CERT=" + filepath.Join(k.ring.dir, "server.crt"), "ETCDCTL_KEY=" + filepath.Join(k.ring.dir, "server.key"),
	}
	run.Stdout, run.Stderr = &out, &said
	_ = run.Run()
	connection, err := (&websocket.Upgrader{Subprotocols: []string{"v4.channel.k8s.io"}}).Upgrade(w, r, nil)
	if err != nil {
		return
	}
	defer func() { _ = connection.Close() }()
	status := metav1.Status{Status: metav1.StatusSuccess}
	if code := run.ProcessState.ExitCode(); code != 0 {
		status = metav1.Status{Status: metav1.StatusFailure, Reason: "NonZeroExitCode",
			Details: &metav1.StatusDetails{Causes: []metav1.StatusCause{{Type: "ExitCode", Message: strconv.Itoa(code)}}}}
	}
	ended, _ := json.Marshal(status)
	for channel, content := range [][]byte{1: out.Bytes(), 2: said.Bytes(), 3: ended} {
		if len(content) > 0 {
			_ = connection.WriteMessage(websocket.BinaryMessage, append([]byte{byte(channel)}, content...))
		}
	}
}

// placeMember makes the pod of a member on its node, whose kubelet is served.
func (k memberKubelets) placeMember(t *testing.T, s *story, name, address string) {
	t.Helper()
	s.registerMaster(t, name, address)
	node, err := s.typed.CoreV1().Nodes().Get(t.Context(), name, metav1.GetOptions{})
	must(t, err)
	node.Status.DaemonEndpoints.KubeletEndpoint.Port = k.serve(t, s, address)
	_, err = s.typed.CoreV1().Nodes().UpdateStatus(t.Context(), node, metav1.UpdateOptions{})
	must(t, err)
	pods := s.typed.CoreV1().Pods("openshift-etcd")
	pod, err := pods.Create(t.Context(), &corev1.Pod{
		ObjectMeta: metav1.ObjectMeta{Name: "etcd-" + name, Labels: map[string]string{"app": "etcd"}},
		Spec:       corev1.PodSpec{NodeName: name, Containers: []corev1.Container{{Name: "etcd", Image: "etcd"}, {Name: "etcdctl", Image: "etcd"}}},
	}, metav1.CreateOptions{})
	must(t, err)
	pod.Status.Conditions = []corev1.PodCondition{{Type: corev1.PodReady, Status: corev1.ConditionTrue}}
	_, err = pods.UpdateStatus(t.Context(), pod, metav1.UpdateOptions{})
	must(t, err)
}
