module watched

go 1.26
