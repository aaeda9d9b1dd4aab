package apiserver

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"time"

	"github.com/gorilla/websocket"

	"exoshift/internal/simcloud/kube"
)

// ExecResult is what a command in a container wrote, and its exit code.
type ExecResult struct {
	Out, Err string
	Code     int
	// Unreachable is why the kubelet does not answer; "": it does.
	Unreachable string
}

// execProtocol is understood by kubelets themselves: messages begin with the number of their channel.
const execProtocol = "v4.channel.k8s.io"

// The channels of a command's output, and of how it ended.
const (
	channelOut = iota + 1
	channelErr
	channelStatus
)

const execTimeout = 10 * time.Second

// serveExec runs a command in a container by WebSocket. The older protocol, SPDY, is not simulated.
func serveExec(s *Server, w http.ResponseWriter, r *http.Request, parsed request) error {
	pod, exists := s.Objects.Get(parsed.kind.GroupResource(), parsed.namespace, parsed.name)
	command := r.URL.Query()["command"]
	switch {
	case !exists:
		return kube.NewNotFound(parsed.kind, parsed.name)
	case len(command) == 0:
		return kube.NewBadRequest("you must specify at least 1 command for the container")
	case !websocket.IsWebSocketUpgrade(r) || !slices.Contains(websocket.Subprotocols(r), execProtocol):
		return kube.NewBadRequest("unable to upgrade: missing upgrade headers in request")
	case pod.GetString("spec.nodeName") == "":
		return kube.NewBadRequest("pod %s does not have a host assigned", parsed.name)
	case !pod.IsReady() || s.Exec == nil:
		return newInternalError(fmt.Errorf("error executing command in container: container is not created or running"))
	}
	result := s.Exec(pod, r.URL.Query().Get("container"), command)
	if result.Unreachable != "" {
		return newInternalError(errors.New("error dialing backend: " + result.Unreachable))
	}
	upgrader := websocket.Upgrader{Subprotocols: []string{execProtocol}, HandshakeTimeout: execTimeout, CheckOrigin: func(*http.Request) bool { return true }}
	connection, err := upgrader.Upgrade(w, r, nil)
	if err != nil {
		return nil //nolint:nilerr // it was answered
	}
	defer func() { _ = connection.Close() }()
	_ = connection.SetWriteDeadline(time.Now().Add(execTimeout))
	sendResult(connection, result)
	return nil
}

// sendResult ignores errors of a client that is gone.
func sendResult(connection *websocket.Conn, result ExecResult) {
	status := kube.Object{"metadata": kube.Object{}, "status": "Success"}
	if result.Code != 0 {
		message := "command terminated with non-zero exit code: exit status " + strconv.Itoa(result.Code)
		status = kube.Object{"metadata": kube.Object{}, "status": "Failure", "message": message, "reason": "NonZeroExitCode",
			"details": kube.Object{"causes": []kube.Object{{"reason": "ExitCode", "message": strconv.Itoa(result.Code)}}}}
	}
	ended, _ := json.Marshal(status) // strings alone
	for channel, content := range []string{channelOut: result.Out, channelErr: result.Err, channelStatus: string(ended)} {
		if content != "" {
			_ = connection.WriteMessage(websocket.BinaryMessage, append([]byte{byte(channel)}, content...))
		}
	}
	_ = connection.WriteMessage(websocket.CloseMessage, websocket.FormatCloseMessage(websocket.CloseNormalClosure, ""))
}
