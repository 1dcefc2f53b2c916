module slowpath/bench/load

go 1.26
