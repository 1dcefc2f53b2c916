package main

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"strings"
	"time"
)

const (
	// A question is the number of timestamps wanted, the answer the first of them.
	questionBytes, answerBytes = 4, 8
	// logicalBits of a timestamp count within a millisecond.
	logicalBits = 18
	mostWanted  = 1 << logicalBits
)

var errTooMany = errors.New("more timestamps wanted than a millisecond has")

// oracle hands out timestamps that only ever grow.
type oracle struct {
	next uint64
}

// take returns the first of so many timestamps in a row.
func (o *oracle) take(wanted uint32, now time.Time) (uint64, error) {
	if wanted == 0 || wanted > mostWanted {
		return 0, fmt.Errorf("%w: %d", errTooMany, wanted)
	}
	first := max(o.next, uint64(now.UnixMilli())<<logicalBits)
	o.next = first + uint64(wanted)
	return first, nil
}

// serve answers the questions of one connection at a time until the listener is closed.
func serve(listener net.Listener, away time.Duration) {
	var source oracle
	for {
		conn, err := listener.Accept()
		if err != nil {
			return
		}
		_ = source.answer(conn, away)
		_ = conn.Close()
	}
}

// answer answers the questions of a connection until it ends.
func (o *oracle) answer(conn io.ReadWriter, away time.Duration) error {
	var buffer [answerBytes]byte
	for {
		if _, err := io.ReadFull(conn, buffer[:questionBytes]); err != nil {
			return err
		}
		first, err := o.take(binary.LittleEndian.Uint32(buffer[:]), time.Now())
		if err != nil {
			return err
		}
		time.Sleep(away)
		binary.LittleEndian.PutUint64(buffer[:], first)
		if _, err := conn.Write(buffer[:]); err != nil {
			return err
		}
	}
}

// serveAlone is the oracle's whole process: it prints its address on stdout and ends when stdin does.
func serveAlone(stdin io.Reader, stdout io.Writer, away time.Duration) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	go serve(listener, away)
	if _, err := fmt.Fprintln(stdout, listener.Addr()); err != nil {
		return err
	}
	_, err = io.Copy(io.Discard, stdin)
	return errors.Join(err, listener.Close())
}

// startOracle starts the oracle as a separate process on this machine and returns its address; stop ends it.
func startOracle(away time.Duration) (address string, stop func(), err error) {
	self, err := os.Executable()
	if err != nil {
		return "", nil, err
	}
	child := exec.Command(self, "-serve", "-away", away.String())
	stdin, err := child.StdinPipe()
	if err != nil {
		return "", nil, err
	}
	stdout, err := child.StdoutPipe()
	if err != nil {
		return "", nil, err
	}
	if err := child.Start(); err != nil {
		return "", nil, err
	}
	stop = func() {
		_ = stdin.Close()
		_ = child.Wait()
	}
	line := make([]byte, 64)
	read, err := stdout.Read(line)
	if err != nil {
		stop()
		return "", nil, fmt.Errorf("the oracle does not come up: %w", err)
	}
	return strings.TrimSpace(string(line[:read])), stop, nil
}
