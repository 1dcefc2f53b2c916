module quoter

go 1.26
