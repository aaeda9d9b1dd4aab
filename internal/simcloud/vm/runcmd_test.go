package vm

import (
	"net/netip"
	"testing"
	"testing/synctest"
	"time"
)

func TestCloudInit_RunCmdOnceInOrder(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		z := newZone(t)
		defer z.close()
		i := Instance{ID: "id-1", Name: "one", Address: netip.MustParseAddr("198.18.0.3"), State: Running, UserData: []byte(`#cloud-config
ssh_authorized_keys: [ssh-ed25519 AAAA operator]
write_files:
  - path: /var/lib/say
    content: |
      echo "said $1 $HOME"
runcmd:
  - [nonsense, a b]
  - echo first | cat
  - [cat, /home/ubuntu/.ssh/authorized_keys]
  - [echo, "it's", $HOME]
  - [sh, /var/lib/say]
  - [timeout, "5", poweroff]
`)}
		z.set(i)
		time.Sleep(time.Minute)
		if id := <-z.off; id != "id-1" {
			t.Errorf("%s was switched off", id)
		}
		for _, line := range []string{"nonsense: not found", "first", "ssh-ed25519 AAAA operator", "it's $HOME", "said  /root", "systemd: powering off"} {
			z.wantConsole("one", line)
		}
		i.State = "stopped"
		z.set(i)
		i.State = Running
		z.set(i)
		time.Sleep(time.Minute)
		select {
		case <-z.off:
			t.Error("the commands ran again")
		default:
		}
	})
}
