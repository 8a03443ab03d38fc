// What holds a pod's namespaces: waits to be ended, and reaps what others leave behind where a pod shares its processes.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signal.Ignore(syscall.SIGCHLD) // so the kernel reaps
	told := make(chan os.Signal, 1)
	signal.Notify(told, syscall.SIGINT, syscall.SIGTERM)
	<-told
}
