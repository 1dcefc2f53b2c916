module timestamps

go 1.26
