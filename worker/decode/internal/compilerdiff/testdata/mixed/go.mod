module mixed

go 1.20
