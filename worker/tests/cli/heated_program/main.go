// Package main has a hot function with a large buffer, which PGO inlines three times in its caller.
package main

import (
	"os"
	"runtime/pprof"
	"time"
)

var sink int

//go:noinline
func fill(buffer []byte, seed int) {
	for at := range buffer {
		buffer[at] = byte(seed * at)
	}
}

func digest(seed int) (sum int) {
	var buffer [4096]byte
	fill(buffer[:], seed)
	for at := 0; at < len(buffer); at += 3 {
		switch buffer[at] & 3 {
		case 0:
			sum += int(buffer[at])
		case 1:
			sum ^= int(buffer[at]) << 3
		case 2:
			sum -= int(buffer[(at*7)%len(buffer)])
		default:
			sum *= 3
		}
	}
	for at := 1; at < len(buffer); at++ {
		buffer[at] ^= buffer[at-1] + byte(sum)
		sum += int(buffer[at])*at + int(buffer[(at*5)%len(buffer)])
	}
	for at := len(buffer) - 1; at > 0; at-- {
		sum ^= int(buffer[at])<<(at&7) + int(buffer[(at*11)%len(buffer)])
	}
	return sum
}

//go:noinline
func work(until time.Time) {
	for time.Now().Before(until) {
		sink += digest(sink) + digest(sink+1)
		if sink%2 == 0 {
			sink += digest(sink + 2)
		}
	}
}

func main() {
	file, err := os.Create(os.Args[1])
	if err != nil {
		panic(err)
	}
	if err := pprof.StartCPUProfile(file); err != nil {
		panic(err)
	}
	done := make(chan bool)
	go func() {
		work(time.Now().Add(time.Second))
		done <- true
	}()
	<-done
	pprof.StopCPUProfile()
	file.Close()
}
