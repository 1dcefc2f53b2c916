package schedlatency

import "math/bits"

// Buckets is one more than the highest bucket of a delay.
const Buckets = 59 * 32

// Bucket returns the histogram bucket of a delay in ns: below 32 its own, then 32
// to each power of two, so that a bucket is at most 3.1 % wide.
func Bucket(ns int64) uint16 {
	if ns < 32 {
		return uint16(max(0, ns))
	}
	e := bits.Len64(uint64(ns)) - 6
	return uint16((e+1)*32 + int(ns>>e) - 32)
}

// BucketStart returns the least delay in a bucket.
func BucketStart(bucket uint16) int64 {
	if bucket < 32 {
		return int64(bucket)
	}
	e, m := bucket/32-1, bucket%32
	return int64(32+m) << e
}

// Quantile returns the start of the bucket that holds quantile q of counts by
// bucket; 0 when there are none.
func Quantile(counts []uint32, q float64) int64 {
	total := int64(0)
	for _, n := range counts {
		total += int64(n)
	}
	rank, seen := int64(q*float64(total-1)), int64(0)
	for bucket, n := range counts {
		if seen += int64(n); n > 0 && seen > rank {
			return BucketStart(uint16(bucket))
		}
	}
	return 0
}
