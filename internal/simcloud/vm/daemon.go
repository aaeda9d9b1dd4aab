package vm

import "sync"

// daemon is a program that systemd starts once, at the request of cloud-init's commands or at the end of the boot.
type daemon struct {
	run     func()
	once    sync.Once
	running sync.WaitGroup
}

func (d *daemon) start() { d.once.Do(func() { d.running.Go(d.run) }) }

func (d *daemon) wait() { d.running.Wait() }
