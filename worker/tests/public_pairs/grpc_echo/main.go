// Echo sends messages to a server of grpc in the same process, and writes a CPU profile of
// itself to the path that it is given.
package main

import (
	"context"
	"net"
	"os"
	"runtime/pprof"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/protobuf/types/known/wrapperspb"
)

const (
	clients  = 16
	messages = 3_000  // of each client
	size     = 30_000 // bytes
)

type echo struct{}

type echoServer interface {
	Echo(context.Context, *wrapperspb.BytesValue) (*wrapperspb.BytesValue, error)
}

func (echo) Echo(_ context.Context, in *wrapperspb.BytesValue) (*wrapperspb.BytesValue, error) {
	return in, nil
}

func handle(server any, ctx context.Context, decode func(any) error, _ grpc.UnaryServerInterceptor) (any, error) {
	in := new(wrapperspb.BytesValue)
	if err := decode(in); err != nil {
		return nil, err
	}
	return server.(echoServer).Echo(ctx, in)
}

var service = grpc.ServiceDesc{
	ServiceName: "Echo",
	HandlerType: (*echoServer)(nil),
	Methods:     []grpc.MethodDesc{{MethodName: "Echo", Handler: handle}},
}

// call sends messages on one connection.
func call(address string) error {
	connection, err := grpc.Dial(address, grpc.WithTransportCredentials(insecure.NewCredentials()))
	if err != nil {
		return err
	}
	defer connection.Close()
	in, out := wrapperspb.Bytes(make([]byte, size)), new(wrapperspb.BytesValue)
	for range messages {
		if err := connection.Invoke(context.Background(), "/Echo/Echo", in, out); err != nil {
			return err
		}
	}
	return nil
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func main() {
	file, err := os.Create(os.Args[1])
	must(err)
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	must(err)
	server := grpc.NewServer()
	server.RegisterService(&service, echo{})
	go func() { must(server.Serve(listener)) }()
	must(pprof.StartCPUProfile(file))
	var all sync.WaitGroup
	for range clients {
		all.Add(1)
		go func() {
			defer all.Done()
			must(call(listener.Addr().String()))
		}()
	}
	all.Wait()
	pprof.StopCPUProfile()
	must(file.Close())
}
