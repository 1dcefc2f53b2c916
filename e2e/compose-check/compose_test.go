// Package composecheck reads docker-compose.yml as a compose engine would. There is no engine where the tests run, and
// the JSON schema alone misses references to services and volumes that do not exist.
package composecheck

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

const composeFile = "../../docker-compose.yml"

// filled is what a person writes into .env: every line of .env.example that is empty there.
func filled(t *testing.T) []string {
	t.Helper()
	example, err := os.ReadFile("../../.env.example")
	if err != nil {
		t.Fatalf("read .env.example: %v", err)
	}
	var settings []string
	for line := range strings.Lines(string(example)) {
		line = strings.TrimSpace(line)
		name, value, found := strings.Cut(line, "=")
		if !found || strings.HasPrefix(line, "#") {
			continue
		}
		if value == "" {
			value = "0123456789abcdef"
		}
		settings = append(settings, name+"="+value)
	}
	return settings
}

func load(file string, settings []string) (*types.Project, error) {
	options, err := cli.NewProjectOptions([]string{file}, cli.WithEnv(settings), cli.WithConsistency(true))
	if err != nil {
		return nil, err
	}
	return options.LoadProject(context.Background())
}

func TestComposeFileHoldsTogether(t *testing.T) {
	project, err := load(composeFile, filled(t))
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"migrate", "postgres", "relay", "valkey", "web", "worker"}
	if got := slices.Sorted(maps.Keys(project.Services)); !slices.Equal(got, want) {
		t.Errorf("services = %v, want %v", got, want)
	}
	for _, name := range []string{"postgres", "valkey", "web"} {
		if project.Services[name].HealthCheck == nil {
			t.Errorf("%s has no healthcheck", name)
		}
	}
	for _, name := range []string{"web", "worker", "relay"} {
		if got := project.Services[name].DependsOn["migrate"].Condition; got != types.ServiceConditionCompletedSuccessfully {
			t.Errorf("%s does not wait for the migration: %q", name, got)
		}
		if admin := project.Services[name].Environment["ADMIN_DATABASE_URL"]; admin != nil {
			t.Errorf("%s is given the superuser's address", name)
		}
	}
	if got := project.Services["migrate"].Restart; got != "no" {
		t.Errorf("migrate is a one-off, restart = %q", got)
	}
	if got := *project.Services["web"].Environment["DATABASE_URL"]; got != "postgresql://slowpath_app:0123456789abcdef@postgres:5432/slowpath" {
		t.Errorf("DATABASE_URL = %q", got)
	}
}

func TestEverySecretMustBeGiven(t *testing.T) {
	settings := filled(t)
	for i, setting := range settings {
		name, _, _ := strings.Cut(setting, "=")
		if name == "SLOWPATH_BIND" {
			continue // not a secret: the loopback address by default
		}
		if _, err := load(composeFile, slices.Delete(slices.Clone(settings), i, i+1)); err == nil {
			t.Errorf("without %s the file loads; a secret must have no default", name)
		}
	}
}

func TestUndefinedServiceIsNoticed(t *testing.T) {
	content, err := os.ReadFile(composeFile)
	if err != nil {
		t.Fatal(err)
	}
	broken := filepath.Join(t.TempDir(), "docker-compose.yml")
	text := strings.Replace(string(content), "    valkey:\n      condition", "    redis:\n      condition", 1)
	if err := os.WriteFile(broken, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := load(broken, filled(t)); err == nil || !strings.Contains(err.Error(), "redis") {
		t.Errorf("a dependency on a service that does not exist was not noticed: %v", err)
	}
}
