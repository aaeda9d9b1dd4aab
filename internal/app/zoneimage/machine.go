package zoneimage

import (
	"context"
	"crypto/md5" //nolint:gosec // Exoscale identifies images by their MD5; SHA-256 has verified the download
	"crypto/x509"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"golang.org/x/net/http/httpproxy"

	"exoshift/ignition"
	"exoshift/internal/app/connectivity"
	"exoshift/internal/app/exit"
	"exoshift/internal/fault"
	"exoshift/internal/network"
	"exoshift/provisioner/openshift/release/download"
)

// Verb is the hidden verb of the machine: it reads a task from the standard input and writes a report to the standard output.
const Verb = "copy-image"

// largestTask is in bytes: the links of all parts have a third of it.
const largestTask = 4 << 20

// Run copies the image of the task that in holds. A failure is a part of the report; an error means that there is no report.
func Run(ctx context.Context, net network.Network, in io.Reader, out io.Writer) error {
	var given task
	if err := json.NewDecoder(io.LimitReader(in, largestTask)).Decode(&given); err != nil {
		return exit.WithCode(exit.Usage, fmt.Errorf("read the task: %w", err))
	}
	if given.PartSize < 1 {
		return exit.WithCode(exit.Usage, fmt.Errorf("read the task: parts of %d bytes", given.PartSize))
	}
	done, err := given.copy(ctx, net)
	if err != nil {
		done = report{Failure: newFailure(err)}
	}
	return json.NewEncoder(out).Encode(done)
}

// RunOnMachine runs this program on a machine of a simulated zone; see simcloud.Options.Program.
func RunOnMachine(ctx context.Context, net network.Network, program []byte, args []string, in io.Reader, out io.Writer) int {
	if len(args) == 1 && args[0] == Verb {
		return exit.Code(Run(ctx, net, in, out))
	}
	return connectivity.OnMachine(ctx, net, program, args, in, out)
}

func (t task) copy(ctx context.Context, net network.Network) (done report, err error) {
	direct := net
	if net, err = t.configure(net); err != nil {
		return done, err
	}
	reporter := newReporter(direct, t.Progress)
	defer reporter.close()
	// What the download logs was interrupted, and goes on.
	image, err := download.New(net, reporter.emit).OpenImage(ctx, t.Image, reporter.emit)
	if err != nil {
		return done, err
	}
	defer func() { err = errors.Join(err, image.Close()) }()
	hash := md5.New() //nolint:gosec // as above
	parts, err := newUploader(direct, t).upload(ctx, io.TeeReader(ignition.PatchPlatform(image), hash))
	if err != nil {
		return done, err
	}
	return report{MD5: hex.EncodeToString(hash.Sum(nil)), Parts: parts}, nil
}

// configure returns the network of a node: its proxy and its authorities.
func (t task) configure(net network.Network) (network.Network, error) {
	if t.Proxy != (proxySettings{}) {
		choose := (&httpproxy.Config{HTTPProxy: t.Proxy.HTTP, HTTPSProxy: t.Proxy.HTTPS, NoProxy: t.Proxy.NoProxy}).ProxyFunc()
		net.Proxy = func(r *http.Request) (*url.URL, error) { return choose(r.URL) }
	}
	if t.Authorities == "" {
		return net, nil
	}
	roots := net.Roots
	if roots == nil {
		var err error
		if roots, err = x509.SystemCertPool(); err != nil {
			return net, fault.New(fault.Internal, "read the machine's certificate authorities", err)
		}
	}
	net.Roots = roots.Clone()
	if !net.Roots.AppendCertsFromPEM([]byte(t.Authorities)) {
		return net, fault.Newf(fault.Invalid, "read the trust bundle", "no certificate found").WithField("openshift.trustBundle")
	}
	return net, nil
}
