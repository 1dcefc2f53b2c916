// Command slow_disk shows FOLDER at MOUNT_POINT, as slow as DELAY_FILE says.
//
// DELAY_FILE has the seconds that each operation on names and bytes takes longer; a byte is added to DELAY_FILE.slowed for
// each that did. It needs root, which mounts it, and ends when it is unmounted or when the process that started it ends.
package main

import (
	"fmt"
	"os"
	"strconv"
	"strings"
	"syscall"
	"time"

	"github.com/hanwen/go-fuse/v2/fs"
	"github.com/hanwen/go-fuse/v2/fuse"
	"golang.org/x/sys/unix"
)

// slowDisk delays the operations that a slow disk delays; names and attributes come from the memory of the kernel.
type slowDisk struct {
	fuse.RawFileSystem
	delayFile string
}

func (d *slowDisk) wait() {
	text, _ := os.ReadFile(d.delayFile)
	seconds, _ := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
	if seconds == 0 {
		return
	}
	if count, err := os.OpenFile(d.delayFile+".slowed", os.O_CREATE|os.O_APPEND|os.O_WRONLY, 0o600); err == nil {
		_, _ = count.WriteString(".")
		_ = count.Close()
	}
	time.Sleep(time.Duration(seconds * float64(time.Second)))
}

func (d *slowDisk) Mkdir(cancel <-chan struct{}, in *fuse.MkdirIn, name string, out *fuse.EntryOut) fuse.Status {
	d.wait()
	return d.RawFileSystem.Mkdir(cancel, in, name, out)
}

func (d *slowDisk) Unlink(cancel <-chan struct{}, header *fuse.InHeader, name string) fuse.Status {
	d.wait()
	return d.RawFileSystem.Unlink(cancel, header, name)
}

func (d *slowDisk) Rmdir(cancel <-chan struct{}, header *fuse.InHeader, name string) fuse.Status {
	d.wait()
	return d.RawFileSystem.Rmdir(cancel, header, name)
}

func (d *slowDisk) Rename(cancel <-chan struct{}, in *fuse.RenameIn, oldName, newName string) fuse.Status {
	d.wait()
	return d.RawFileSystem.Rename(cancel, in, oldName, newName)
}

func (d *slowDisk) Create(cancel <-chan struct{}, in *fuse.CreateIn, name string, out *fuse.CreateOut) fuse.Status {
	d.wait()
	return d.RawFileSystem.Create(cancel, in, name, out)
}

func (d *slowDisk) Open(cancel <-chan struct{}, in *fuse.OpenIn, out *fuse.OpenOut) fuse.Status {
	d.wait()
	return d.RawFileSystem.Open(cancel, in, out)
}

func (d *slowDisk) Read(cancel <-chan struct{}, in *fuse.ReadIn, buffer []byte) (fuse.ReadResult, fuse.Status) {
	d.wait()
	return d.RawFileSystem.Read(cancel, in, buffer)
}

func (d *slowDisk) Write(cancel <-chan struct{}, in *fuse.WriteIn, data []byte) (uint32, fuse.Status) {
	d.wait()
	return d.RawFileSystem.Write(cancel, in, data)
}

func (d *slowDisk) Fsync(cancel <-chan struct{}, in *fuse.FsyncIn) fuse.Status {
	d.wait()
	return d.RawFileSystem.Fsync(cancel, in)
}

func serve(folder, mountPoint, delayFile string) error {
	if err := unix.Prctl(unix.PR_SET_PDEATHSIG, uintptr(syscall.SIGKILL), 0, 0, 0); err != nil {
		return err
	}
	root, err := fs.NewLoopbackRoot(folder)
	if err != nil {
		return err
	}
	disk := &slowDisk{fs.NewNodeFS(root, nil), delayFile}
	// Without passthrough: the kernel would read and write the files behind itself, without a delay.
	options := &fuse.MountOptions{FsName: "slow", DirectMountStrict: true, DisabledCapabilities: fuse.CAP_PASSTHROUGH}
	server, err := fuse.NewServer(disk, mountPoint, options)
	if err != nil {
		return err
	}
	server.Serve()
	return nil
}

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: slow_disk FOLDER MOUNT_POINT DELAY_FILE")
		os.Exit(64)
	}
	if err := serve(os.Args[1], os.Args[2], os.Args[3]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}
