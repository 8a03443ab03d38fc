// One program for all parts of a Kubernetes node, so that what they share is linked once; its first argument says which.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	_ "k8s.io/component-base/logs/json/register"
	_ "k8s.io/component-base/metrics/prometheus/clientgo"
	_ "k8s.io/component-base/metrics/prometheus/version"
	apiserver "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
	scheduler "k8s.io/kubernetes/cmd/kube-scheduler/app"
	kubelet "k8s.io/kubernetes/cmd/kubelet/app"
)

var parts = map[string]func() *cobra.Command{
	"apiserver":   apiserver.NewAPIServerCommand,
	"controllers": controllers.NewControllerManagerCommand,
	"kubelet":     kubelet.NewKubeletCommand,
	"scheduler":   func() *cobra.Command { return scheduler.NewSchedulerCommand() },
}

func main() {
	if len(os.Args) > 1 {
		if part, known := parts[os.Args[1]]; known {
			os.Args = os.Args[1:]
			os.Exit(cli.Run(part()))
		}
	}
	fmt.Fprintln(os.Stderr, "the first argument is a part: apiserver, controllers, kubelet or scheduler")
	os.Exit(2)
}
