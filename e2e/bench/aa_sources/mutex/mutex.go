package main

import "runtime"

// One of ten contentions is recorded, for captures of cumulative profiles.
func init() { runtime.SetMutexProfileFraction(10) }
