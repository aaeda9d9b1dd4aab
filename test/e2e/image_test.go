package e2e

import (
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"exoshift/ignition"
	"exoshift/internal/fault"
)

// The kernel argument as the image has it, and as it is to be in the end.
const (
	onOpenStack = "ignition.platform.id=openstack"
	onExoscale  = "ignition.platform.id=exoscale "
)

// rhcos is a disk divided and filled like that of RHCOS.
type rhcos struct {
	dir  string
	path string // of the raw disk, 16 GB of hardly anything
}

// The third partition of RHCOS: the file system "boot", of 384 MiB.
const (
	bootStart = 129 << 20
	bootSize  = 384 << 20
	bootEntry = "/loader/entries/ostree-1.conf"
)

func TestImage_ChangesPlatformOnly(t *testing.T) {
	t.Parallel()
	d := makeRHCOS(t)
	images := map[string]string{}
	for name, options := range map[string][]string{
		"plain":                      nil,
		"compressed":                 {"-c"},
		"compressed, old":            {"-c", "-o", "compat=0.10"},
		"compressed, small clusters": {"-c", "-o", "cluster_size=4k"},
		"compressed, large clusters": {"-c", "-o", "cluster_size=1M"},
		"compressed in any order":    {"-c", "-W", "-m", "16"},
	} {
		images[name] = d.image(t, name, options...)
	}
	d.edit(t)
	for name, image := range images {
		t.Run(name, func(t *testing.T) {
			if strings.HasPrefix(name, "compressed") == contains(t, image, onOpenStack) {
				t.Fatal("the image is not what it should be")
			}
			patched := filepath.Join(t.TempDir(), "patched.qcow2")
			if err := patchImage(image, patched); err != nil {
				t.Fatal(err)
			}
			output(t, "qemu-img", "check", patched)
			output(t, "qemu-img", "compare", "-f", "raw", "-F", "qcow2", d.path, patched)
			boot := d.bootOf(t, patched)
			output(t, "e2fsck", "-fn", boot)
			entry := output(t, "debugfs", "-R", "cat "+bootEntry, boot)
			if !strings.Contains(entry, " "+onExoscale+" console=ttyS0") || strings.Contains(entry, "openstack") {
				t.Errorf("%s", entry)
			}
			if err := patchImage(patched, os.DevNull); !fault.Is(err, fault.Invalid) {
				t.Errorf("an image without the platform is patched: %v", err)
			}
		})
	}
}

func TestImage_RefusesUnsearchable(t *testing.T) {
	t.Parallel()
	d := makeRHCOS(t)
	for name, test := range map[string]struct {
		options []string
		want    string
	}{
		"zstd":        {[]string{"-c", "-o", "compression_type=zstd"}, "zstd"},
		"subclusters": {[]string{"-o", "extended_l2=on,cluster_size=128k"}, "subclusters"},
		// Not luks, for which qemu measures the processor, and fails on one that is too busy.
		"encrypted": {[]string{"--object", "secret,id=s,data=abc", "-o", "encrypt.format=aes,encrypt.key-secret=s"}, "encrypted"},
		"external":  {[]string{"-o", "data_file=" + filepath.Join(d.dir, "external.raw")}, "another file"},
	} {
		err := patchImage(d.image(t, name, test.options...), os.DevNull)
		if !fault.Is(err, fault.Invalid) || !strings.Contains(err.Error(), test.want) || fault.HintOf(err) == "" {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// makeRHCOS makes the disk without mounting anything.
func makeRHCOS(t *testing.T) rhcos {
	t.Helper()
	for _, program := range []string{"qemu-img", "sgdisk", "mkfs.ext4", "e2fsck", "debugfs"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("%s is missing: install qemu-utils, gdisk and e2fsprogs, or run make e2e: %v", program, err)
		}
	}
	d := rhcos{dir: t.TempDir()}
	d.path = filepath.Join(d.dir, "disk.raw")
	must(t, os.WriteFile(d.path, nil, 0o600))
	must(t, os.Truncate(d.path, 16<<30))
	output(t, "sgdisk", "-n", "1:0:+1M", "-c", "1:BIOS-BOOT", "-t", "1:ef02", "-n", "2:0:+127M", "-c", "2:EFI-SYSTEM", "-t", "2:ef00",
		"-n", "3:0:+384M", "-c", "3:boot", "-n", "4:0:0", "-c", "4:root", d.path)
	files, boot := filepath.Join(d.dir, "files"), filepath.Join(d.dir, "boot.ext4")
	writeBoot(t, files)
	must(t, os.WriteFile(boot, nil, 0o600))
	must(t, os.Truncate(boot, bootSize))
	output(t, "mkfs.ext4", "-q", "-L", "boot", "-d", files, boot)
	disk, err := os.OpenFile(d.path, os.O_WRONLY, 0)
	must(t, err)
	copySparse(t, disk, bootStart, boot)
	_, err = disk.WriteAt([]byte(strings.Repeat("the root file system ", 100_000)), bootStart+bootSize+1<<20)
	must(t, errors.Join(err, disk.Close()))
	return d
}

// writeBoot writes what RHCOS has in its partition "boot": the sizes are right, and of the contents the small ones.
func writeBoot(t *testing.T, dir string) {
	t.Helper()
	const version, hash = "5.14.0-570.73.1.el9_6.x86_64", "4f1c5b7e0e4e0e4b1b7a0a1b9b0a5a5d2f3c4f1c5b7e0e4e0e4b1b7a0a1b9b0a"
	kernel := "/ostree/rhcos-" + hash
	for name, content := range map[string]string{
		bootEntry: "title Red Hat Enterprise Linux CoreOS 9.6.20251212-1 (Plow)\nversion 1\n" +
			"options ostree=/ostree/boot.1/rhcos/" + hash + "/0 " + onOpenStack + " console=ttyS0,115200n8 console=tty0 $ignition_firstboot\n" +
			"linux " + kernel + "/vmlinuz-" + version + "\ninitrd " + kernel + "/initramfs-" + version + ".img\n",
		"/grub2/grub.cfg":     "set pager=1\nif [ -f ${config_directory}/console.cfg ]; then\n  source ${config_directory}/console.cfg\nfi\nblscfg\n",
		"/grub2/console.cfg":  "serial --speed=115200\nterminal_input serial console\nterminal_output serial console\n",
		"/ignition.firstboot": "",
		"/coreos/platforms.json": `{"aws":{"kernel_arguments":["console=tty0","console=ttyS0,115200n8"]},"openstack":{"kernel_arguments":` +
			`["console=ttyS0,115200n8","console=tty0"]},"qemu":{"kernel_arguments":["console=tty0","console=ttyS0,115200n8"]}}`,
		kernel + "/vmlinuz-" + version:            noise(1, 14<<20),
		kernel + "/.vmlinuz-" + version + ".hmac": hash + "  vmlinuz-" + version + "\n",
		kernel + "/initramfs-" + version + ".img": noise(2, 90<<20),
		"/efi/.keep":                                 "",
		"/grub2/fonts/unicode.pf2":                   noise(3, 60<<10) + strings.Repeat("\x00", 9000),
		"/bootupd-state.json":                        `{"installed":{"BIOS":{"meta":{"timestamp":"2025-12-12T00:00:00Z","version":"grub2-tools-2.06"}}}}`,
		"/loader/entries.srel":                       "type1\n",
		"/lost+found/." + strings.Repeat("name", 20): "",
	} {
		path := filepath.Join(dir, name)
		must(t, os.MkdirAll(filepath.Dir(path), 0o755))
		must(t, os.WriteFile(path, []byte(content), 0o600))
	}
}

func noise(seed byte, size int) string {
	content := make([]byte, size)
	_, _ = rand.NewChaCha8([32]byte{seed}).Read(content)
	return string(content)
}

// image converts the disk to a qcow2.
func (d rhcos) image(t *testing.T, name string, options ...string) string {
	t.Helper()
	path := filepath.Join(d.dir, name+".qcow2")
	arguments := append([]string{"convert", "-f", "raw", "-O", "qcow2"}, options...)
	output(t, "qemu-img", append(arguments, d.path, path)...)
	return path
}

// edit changes the platform on the raw disk.
func (d rhcos) edit(t *testing.T) {
	t.Helper()
	boot, err := os.ReadFile(filepath.Join(d.dir, "boot.ext4"))
	must(t, err)
	if bytes.Count(boot, []byte(onOpenStack)) != 1 {
		t.Fatal("there is not one boot entry")
	}
	disk, err := os.OpenFile(d.path, os.O_WRONLY, 0)
	must(t, err)
	_, err = disk.WriteAt([]byte(onExoscale), bootStart+int64(bytes.Index(boot, []byte(onOpenStack))))
	must(t, errors.Join(err, disk.Close()))
}

// bootOf extracts the file system "boot" from an image.
func (d rhcos) bootOf(t *testing.T, image string) string {
	t.Helper()
	raw, boot := image+".raw", image+".ext4"
	output(t, "qemu-img", "convert", "-O", "raw", image, raw)
	disk, err := os.Open(raw)
	must(t, err)
	defer func() { _ = disk.Close() }()
	file, err := os.Create(boot)
	must(t, err)
	_, err = io.Copy(file, io.NewSectionReader(disk, bootStart, bootSize))
	must(t, errors.Join(err, file.Close()))
	return boot
}

// patchImage takes an image through gzip, as it is published, and what an installation makes of it.
func patchImage(image, to string) error {
	source, err := os.Open(image)
	if err != nil {
		return err
	}
	var packing sync.WaitGroup
	packed, pipe := io.Pipe()
	packing.Go(func() {
		packer, _ := gzip.NewWriterLevel(pipe, gzip.BestSpeed)
		_, err := io.Copy(packer, source)
		_ = pipe.CloseWithError(errors.Join(err, packer.Close(), source.Close()))
	})
	defer packing.Wait()
	defer func() { _ = packed.Close() }()
	unpacked, err := gzip.NewReader(packed)
	if err != nil {
		return err
	}
	target, err := os.Create(to)
	if err != nil {
		return err
	}
	_, err = io.Copy(target, ignition.PatchPlatform(unpacked))
	return errors.Join(err, target.Close())
}

// copySparse copies a file and leaves out what is zero.
func copySparse(t *testing.T, to *os.File, at int64, path string) {
	t.Helper()
	const block = 64 << 10
	content, err := os.ReadFile(path)
	must(t, err)
	for ; len(content) > 0; at += block {
		part := content[:min(block, len(content))]
		content = content[len(part):]
		if len(bytes.Trim(part, "\x00")) > 0 {
			_, err := to.WriteAt(part, at)
			must(t, err)
		}
	}
}

func contains(t *testing.T, path, what string) bool {
	t.Helper()
	content, err := os.ReadFile(path)
	must(t, err)
	return bytes.Contains(content, []byte(what))
}

// output runs a program and returns what it says.
func output(t *testing.T, program string, arguments ...string) string {
	t.Helper()
	said, err := exec.CommandContext(t.Context(), program, arguments...).CombinedOutput()
	if err != nil {
		t.Fatalf("%s %s: %v: %s", program, strings.Join(arguments, " "), err, said)
	}
	return string(said)
}
