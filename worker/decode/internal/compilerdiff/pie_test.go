//go:build processes

package compilerdiff

func init() { buildModes = append(buildModes, "pie") }
