// Recorded burns CPU in a function that is called by an interface, as a method value and
// directly, and writes a profile of itself to the path that it is given.
package main

import (
	"os"
	"runtime/pprof"
)

type worker struct{ sum int }

type embedding struct{ *worker }

type runner interface{ run(rounds int) }

//go:noinline
func (w *worker) run(rounds int) {
	for i := range rounds {
		w.sum ^= w.sum*31 + i
	}
}

//go:noinline
func call(f func(int), rounds int) {
	var room [200]byte
	room[rounds%200] = 1
	f(rounds)
	rest(room[:])
}

// either is executed in the call by the interface only; the names are those of the other.
//
//go:noinline
func either(w *worker, r runner, rounds int) {
	if rounds == 0 {
		w.run(rounds)
		return
	}
	r.run(rounds)
}

//go:noinline
func rest(room []byte) { sink += len(room) }

var sink int

func main() {
	w := &worker{}
	file, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		panic(err)
	}
	done := make(chan bool)
	go func() {
		for range 800 {
			call(w.run, 1<<18)
			either(w, embedding{w}, 1<<18)
			w.run(1 << 18)
		}
		done <- true
	}()
	<-done
	pprof.StopCPUProfile()
}
