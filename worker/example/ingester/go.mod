module ingester

go 1.26
