package shell

import (
	"bytes"
	"compress/gzip"
	"context"
	"crypto/tls"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/netip"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"exoshift/internal/network"
	"exoshift/internal/simcloud/fabric"
)

// disk is a disk in memory.
type disk map[string][]byte

func (d disk) ReadFile(path string) ([]byte, bool) { content, ok := d[path]; return content, ok }

func (d disk) WriteFile(path string, content []byte) error { d[path] = content; return nil }

// said is the exit code and output of a script.
type said struct {
	code            int
	out, complaints string
	err             error
}

func (h *Host) says(ctx context.Context, script string) said {
	var out, complaints bytes.Buffer
	code, err := h.Run(ctx, []byte(script), &out, &complaints)
	return said{code, out.String(), complaints.String(), err}
}

func bare() *Host { return &Host{Files: NewFiles(disk{"/etc/motd": []byte("hello\n")})} }

func TestShell_MachineFilesOnly(t *testing.T) {
	for script, want := range map[string]said{
		`cat /etc/motd`:                               {out: "hello\n"},
		`cat </etc/motd`:                              {out: "hello\n"},
		`cat /etc/hostname`:                           {code: 1, complaints: "cat: /etc/hostname: No such file or directory\n"},
		`cat </etc/passwd`:                            {code: 1, complaints: "open /etc/passwd: file does not exist\n"},
		`[ -e /etc/passwd ] || echo none`:             {out: "none\n"},
		`echo a >/tmp/x; echo b >>/tmp/x; cat /tmp/x`: {out: "a\nb\n"},
		`echo a >/tmp/none/x`:                         {code: 1, complaints: "open /tmp/none/x: file does not exist\n"},
		`umask 077; d=$(mktemp -d /var/tmp/a.XXXX); echo x >$d/x; cat $d/x; rm -rf "$d"; [ -e $d/x ] || echo $d`: {out: "x\n/var/tmp/a.0001\n"},
		`trap 'echo end' EXIT; exit 3`:            {code: 3, out: "end\n"},
		`echo $HOME`:                              {out: "/root\n"},
		`printf 'a\nb' | tr '\n' ' '`:             {out: "a b"},
		`printf abcdef | tail -c 2`:               {out: "ef"},
		`printf 'a\nb\nc' | tail -n 2`:            {out: "b\nc"},
		`wget x`:                                  {code: 127, complaints: "wget: not found\n"},
		`/tmp/x`:                                  {code: 127, complaints: "sh: /tmp/x: not found\n"},
		`echo a >/tmp/x; /tmp/x`:                  {code: 126, complaints: "sh: /tmp/x: Permission denied\n"},
		`echo a >/tmp/x; chmod +x /tmp/x; /tmp/x`: {code: 126, complaints: "sh: /tmp/x: cannot execute binary file: Exec format error\n"},
		`echo "87428fc522803d31065e7bce3cf03fe475096631e5e07bbd7a0fde60c4cf25c7  /tmp/x" >/tmp/l; echo a >/tmp/x; sha256sum -c /tmp/l`: {out: "/tmp/x: OK\n"},
		`a=(1 2)`: {code: 2, complaints: "sh: 1:3: arrays are a bash/mksh/zsh feature; tried parsing as posix\n"},
	} {
		if got := bare().says(t.Context(), script); got != want {
			t.Errorf("%s\ngave %+v\nwant %+v", script, got, want)
		}
	}
}

func TestShell_WrongChecksum(t *testing.T) {
	got := bare().says(t.Context(), `echo a >/tmp/x; echo "`+strings.Repeat("0", 64)+`  /tmp/x" | sha256sum -c - >/dev/null || echo wrong`)
	if got.code != 0 || got.out != "wrong\n" {
		t.Errorf("%+v", got)
	}
}

func TestShell_ExecutesDownload(t *testing.T) {
	h := bare()
	h.Program = func(_ context.Context, _ network.Network, program []byte, args []string, in io.Reader, out io.Writer) int {
		input, _ := io.ReadAll(in)
		_, _ = fmt.Fprintf(out, "%s %q %s", program, args, input)
		return 7
	}
	got := h.says(t.Context(), `printf x >/tmp/p; chmod 0700 /tmp/p; echo in >/tmp/i; timeout 5 /tmp/p 'a b' </tmp/i >/tmp/o; echo $?; cat /tmp/o`)
	if got.out != "7\nx [\"a b\"] in\n" {
		t.Errorf("%+v", got)
	}
}

func TestShell_Timeouts(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		h := bare()
		h.Program = func(ctx context.Context, _ network.Network, _ []byte, _ []string, _ io.Reader, _ io.Writer) int {
			<-ctx.Done()
			return 1
		}
		const start = `printf x >/tmp/p; chmod 0700 /tmp/p; `
		began := time.Now()
		if got := h.says(t.Context(), start+`timeout 300 /tmp/p; echo $?`); got.out != "124\n" || time.Since(began) != 5*time.Minute {
			t.Errorf("%+v after %s", got, time.Since(began))
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		defer cancel()
		if got := h.says(ctx, start+`/tmp/p; echo on`); got.err == nil || got.out != "" {
			t.Errorf("%+v", got)
		}
	})
}

// internet is a network with one server, https://good.test, that responds by path.
func internet(t *testing.T, test func(h *Host)) {
	t.Helper()
	synctest.Test(t, func(t *testing.T) {
		addresses := map[string]string{"good.test": "198.18.0.1", "silent.test": "198.18.0.9", "closed.test": "198.18.0.2"}
		f := fabric.New(fabric.Config{Resolve: func(_ context.Context, name string) ([]netip.Addr, error) {
			address, err := netip.ParseAddr(addresses[name])
			if err != nil {
				return nil, nil
			}
			return []netip.Addr{address}, nil
		}})
		defer f.Close()
		ca, err := fabric.NewCA("Internet")
		if err != nil {
			t.Fatal(err)
		}
		serve(t, f, ca)
		me, err := f.AddHost(netip.MustParseAddr("198.18.0.3"))
		if err != nil {
			t.Fatal(err)
		}
		if _, err := f.AddHost(netip.MustParseAddr("198.18.0.2")); err != nil {
			t.Fatal(err)
		}
		h := bare()
		h.Network = me.Network(ca.Pool())
		test(h)
	})
}

func serve(t *testing.T, f *fabric.Fabric, ca *fabric.CA) {
	t.Helper()
	host, err := f.AddHost(netip.MustParseAddr("198.18.0.1"))
	if err != nil {
		t.Fatal(err)
	}
	l, err := host.Listen(443)
	if err != nil {
		t.Fatal(err)
	}
	config, err := ca.NewServerTLS("good.test")
	if err != nil {
		t.Fatal(err)
	}
	tries := 0
	server := &http.Server{ErrorLog: log.New(io.Discard, "", 0), Handler: http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/flaky":
			if tries++; tries < 3 {
				w.WriteHeader(http.StatusServiceUnavailable)
				return
			}
			_, _ = io.WriteString(w, "at last")
		case "/packed":
			z := gzip.NewWriter(w)
			_, _ = z.Write([]byte("unpacked"))
			_ = z.Close()
		case "/put":
			body, _ := io.ReadAll(r.Body)
			_, _ = fmt.Fprintf(w, "%s %d %s", r.Method, r.ContentLength, body)
		default:
			http.NotFound(w, r)
		}
	})}
	go func() { _ = server.Serve(tls.NewListener(l, config)) }()
}

func TestCurl_TransfersAndExitCodes(t *testing.T) {
	for script, want := range map[string]string{
		`curl -fsS https://good.test/none; echo $?`:                                  "22\n",
		`curl -fsS --retry 2 -o /tmp/x https://good.test/flaky; echo $?; cat /tmp/x`: "0\nat last",
		`curl -fsS https://good.test/flaky; echo $?`:                                 "22\n",
		`curl -fsS -o /tmp/x https://good.test/packed; gzip -dc /tmp/x`:              "unpacked",
		`echo hi >/tmp/x; curl -fsS -T /tmp/x https://good.test/put`:                 "PUT 3 hi\n",
		`curl -fsS -T /tmp/none https://good.test/put; echo $?`:                      "26\n",
		`curl -fsS https://nowhere.test/; echo $?`:                                   "6\n",
		`curl -fsS https://closed.test/; echo $?`:                                    "7\n",
		`curl -fsS --connect-timeout 3 https://silent.test/; echo $?`:                "28\n",
		`curl -fsS https://198.18.0.1/; echo $?`:                                     "60\n",
		`curl --insecure https://good.test/; echo $?`:                                "2\n",
		`curl -fsS -o /tmp/none/x https://good.test/packed; echo $?`:                 "23\n",
	} {
		internet(t, func(h *Host) {
			if got := h.says(context.Background(), script); got.out != want || got.err != nil {
				t.Errorf("%s\ngave %+v\nwant %q", script, got, want)
			}
		})
	}
}

func TestCurl_Retries(t *testing.T) {
	internet(t, func(h *Host) {
		began := time.Now()
		got := h.says(context.Background(), `curl -fsS --retry 3 --retry-all-errors https://nowhere.test/; echo $?`)
		if took := time.Since(began); got.out != "6\n" || took != 7*time.Second || strings.Count(got.complaints, "curl: (6)") != 4 {
			t.Errorf("%+v after %s", got, took)
		}
	})
}
