// Lints and renders a chart by Helm's own packages, and decodes what comes of it strictly into the types of
// Kubernetes' API: a field that is misspelt, doubled or of another type is an error. Prints the objects, as YAML.
//
//	chart-checker <chart> <release> <namespace> <values file>...
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"helm.sh/helm/v3/pkg/chart/loader"
	"helm.sh/helm/v3/pkg/chartutil"
	"helm.sh/helm/v3/pkg/engine"
	"helm.sh/helm/v3/pkg/lint"
	"helm.sh/helm/v3/pkg/releaseutil"
	"k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/client-go/kubernetes/scheme"
)

func main() {
	if err := check(os.Args[1], os.Args[2], os.Args[3], os.Args[4:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func check(chart, release, namespace string, files []string) error {
	values := map[string]any{}
	for _, file := range files {
		read, err := chartutil.ReadValuesFile(file)
		if err != nil {
			return err
		}
		values = chartutil.CoalesceTables(read, values)
	}
	linted := lint.All(chart, values, namespace, true)
	for _, message := range linted.Messages {
		// Severity 1 is advice: an icon.
		if message.Severity > 1 {
			return fmt.Errorf("lint: %s", message)
		}
	}
	objects, err := render(chart, release, namespace, values)
	if err != nil {
		return err
	}
	serializer := json.NewSerializerWithOptions(json.DefaultMetaFactory, scheme.Scheme, scheme.Scheme,
		json.SerializerOptions{Yaml: true, Strict: true})
	for _, object := range objects {
		if _, _, err := serializer.Decode([]byte(object), nil, nil); err != nil {
			return fmt.Errorf("%w\n%s", err, object)
		}
		fmt.Printf("---\n%s\n", object)
	}
	return nil
}

func render(chart, release, namespace string, values map[string]any) ([]string, error) {
	loaded, err := loader.Load(chart)
	if err != nil {
		return nil, err
	}
	options := chartutil.ReleaseOptions{Name: release, Namespace: namespace, Revision: 1, IsInstall: true}
	all, err := chartutil.ToRenderValues(loaded, values, options, chartutil.DefaultCapabilities)
	if err != nil {
		return nil, err
	}
	rendered, err := engine.Render(loaded, all)
	if err != nil {
		return nil, err
	}
	var names, objects []string
	for name := range rendered {
		if ext := filepath.Ext(name); ext == ".yaml" {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	for _, name := range names {
		manifests := releaseutil.SplitManifests(rendered[name])
		keys := make([]string, 0, len(manifests))
		for key := range manifests {
			keys = append(keys, key)
		}
		slices.Sort(keys)
		for _, key := range keys {
			if strings.TrimSpace(manifests[key]) != "" {
				objects = append(objects, manifests[key])
			}
		}
	}
	return objects, nil
}
