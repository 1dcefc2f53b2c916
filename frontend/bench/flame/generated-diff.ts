/** The drawing of the design's example: microseconds per request, self values, states as an analysis would give them. */
import { columnsOf, drawnTree } from '../../src/testing/diff-fixtures';
import type { DiffColumns } from '../../src/testing/diff-fixtures';

const EXAMPLE = `
net/http.(*conn).serve 6 6 1
  net/http.serverHandler.ServeHTTP 4 4 1
    ingest.(*Handler).ServeHTTP 10 10 1
      ingest.(*Handler).writeBatch 4 4 1
        ingest.(*Limiter).Do 4 4 1
          downsample.(*Appender).Append 22 22 1
            downsample.(*Appender).writeTile 18 18 1
              storage.(*DB).WriteBatch 9 9 1
                storage.(*Namespace).Write 7 7 1
                  storage.(*Shard).writeAndIndex 20 20 1
                    storage.(*Shard).insertSeries 24 24 1
                      ident.(*Pool).Clone 52 48 1
                        runtime.newstack 4 22 1 r
                          runtime.copystack 8 60 1 r
                            runtime.adjustframe 6 80 1 r
                              runtime.getStackMap 2 20 1 r
                                runtime.pcdatavalue 8 120 1 r
                              runtime.adjustpointers 6 80 1 r
                            runtime.memmove 10 150 1 r
                            runtime.stackalloc 8 70 1 r
                              runtime.stackcacherefill 4 50 1 r
                            runtime.stackfree 6 74 1 r
                        runtime.mallocgc 38 38 0 r
                        ident.cloneBytes 0 14 3
                          runtime.memmove 0 38 3 r
                        ident.(*Pool).get 36 0 4
                      index.(*Queue).Insert 10 10 0
                        runtime.chansend 54 56 0 r
                        runtime.selectgo 44 46 0 r
                    series.(*Buffer).Write 90 91 0
                      runtime.mallocgc 80 81 0 r
                      sync.(*RWMutex).Lock 44 45 0
                    storage.(*Shard).lookup 30 30 0
                      runtime.mapaccess2_faststr 62 63 0 r
                        runtime.memhash 94 95 0 r
              tsz.(*Encoder).Encode 80 81 0
                tsz.(*Encoder).writeXOR 46 47 0
            downsample.(*Matcher).Match 40 40 0
              metrics.(*TagIterator).Next 90 91 0
              filter.(*Multi).Matches 74 75 0
      ingest.(*Handler).readBatch 0 0 0
        prompb.(*WriteRequest).Unmarshal 70 71 0
          prompb.(*TimeSeries).Unmarshal 30 30 0
            prompb.(*Label).Unmarshal 22 22 0
              runtime.slicebytetostring 18 18 0 r
                runtime.mallocgc 40 41 0 r
          runtime.growslice 22 22 0 r
            runtime.mallocgc 34 35 0 r
              runtime.memclrNoHeapPointers 26 26 0 r
        io.ReadAll 6 6 0
          net/http.(*body).Read 8 8 0
            internal/poll.(*FD).Read 8 9 0
              syscall.Read 96 97 0
        snappy.Decode 104 91 2
      ingest.(*Handler).respond 10 10 0
        net.(*conn).Write 6 6 0
          syscall.Write 30 30 0
      ingest.(*Handler).traceHeader 34 0 4
  net/http.(*conn).readRequest 12 12 0
    net/textproto.(*Reader).ReadMIMEHeader 34 34 0
      runtime.mallocgc 26 27 0 r
runtime.gcBgMarkWorker 10 10 1 r
  runtime.gcDrain 90 92 1 r
    runtime.scanobject 84 85 0 r
    runtime.scanstack 14 26 1 r
      runtime.scanframeworker 38 73 1 r
runtime.mcall 4 4 0 r
  runtime.schedule 32 32 0 r
    runtime.findRunnable 10 10 0 r
      runtime.futex 32 33 0 r
      runtime.stealWork 24 25 0 r
      runtime.netpoll 30 30 0 r
runtime.sysmon 22 22 0 r
`;

export function exampleColumns(): DiffColumns {
  const root = drawnTree(EXAMPLE);
  root.state = 1;
  const columns = columnsOf(root);
  for (const values of [
    columns.baseSelf,
    columns.baseTotal,
    columns.candidateSelf,
    columns.candidateTotal,
  ]) {
    for (let row = 0; row < values.length; row++) values[row] = (values[row] ?? 0) * 1000;
  }
  return columns;
}
