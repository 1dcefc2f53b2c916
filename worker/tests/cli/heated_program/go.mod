module slowpath.dev/heated

go 1.22
