module recorded

go 1.22
