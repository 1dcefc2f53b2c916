module slowpath.dev/bench/labels

go 1.25
