// Two programs of the Kubernetes control plane, built from their module as one: the proof of the Helm chart installs on them.
package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"
	"k8s.io/component-base/cli"
	api "k8s.io/kubernetes/cmd/kube-apiserver/app"
	controllers "k8s.io/kubernetes/cmd/kube-controller-manager/app"
)

func main() {
	programs := map[string]func() *cobra.Command{
		"kube-apiserver":          api.NewAPIServerCommand,
		"kube-controller-manager": controllers.NewControllerManagerCommand,
	}
	if len(os.Args) < 2 || programs[os.Args[1]] == nil {
		fmt.Fprintln(os.Stderr, "usage: kube_api kube-apiserver|kube-controller-manager [OPTION...]")
		os.Exit(64)
	}
	command := programs[os.Args[1]]()
	command.SetArgs(os.Args[2:])
	os.Exit(cli.Run(command))
}
